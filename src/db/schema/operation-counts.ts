import { index, integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { uuid } from "./columns.ts";
import { contracts } from "./contracts.ts";

/**
 * Operations that the scheduled job has passed over, counted by when they were accepted, so that what reads a day's counts
 * doesn't read the day's operations. Those that it hasn't passed over yet are counted where they are read.
 */
export const operationCounts = sqliteTable("operation_counts", {
  /** Number of the five minutes since the Unix epoch in which they were accepted. */
  slot: integer("slot").primaryKey(),
  accepted: integer("accepted").notNull(),
  succeeded: integer("succeeded").notNull(),
  failed: integer("failed").notNull(),
  /** Sum of the times that those took which succeeded, milliseconds. */
  took: integer("took").notNull(),
});

/** Tokens of mints that succeeded among them, by contract. The migration makes the table WITHOUT ROWID. */
export const mintedCounts = sqliteTable(
  "minted_counts",
  {
    contractId: uuid("contract_id")
      .notNull()
      .references(() => contracts.id),
    /** As in `operation_counts`. */
    slot: integer("slot").notNull(),
    tokens: integer("tokens").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.contractId, table.slot] }),
    // Old slots are deleted.
    index("minted_counts_slot").on(table.slot),
  ],
);

/**
 * Operations that were open when they were counted: their ends are still to be counted. They may leave the database before
 * that, so that the column refers to nothing. The migration makes the table WITHOUT ROWID.
 */
export const countedOpen = sqliteTable("counted_open", {
  operationId: uuid("operation_id").primaryKey(),
});

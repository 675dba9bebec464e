import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";
import { operations } from "./operations.ts";

/** The final record of a transaction, written with its operation's effects. Open ones are in the wallet's journal. */
export const transactions = sqliteTable(
  "transactions",
  {
    /**
     * SHA-256 of the transaction, whose base58 is its name on the chain. Where several operations share it, each but the
     * first that ended has its uuid's bytes behind that.
     */
    hash: bytes("hash").primaryKey(),
    operationId: uuid("operation_id")
      .notNull()
      .references(() => operations.id),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    step: text("step").notNull(),
    /** A ChainTransactionResult as JSON; null where it is the same as that of the record under the hash alone. */
    result: text("result", { mode: "json" }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    index("transactions_operation").on(table.operationId),
    index("transactions_integration").on(table.integrationId, table.createdAt),
  ],
);

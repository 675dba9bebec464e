import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { bytes, uuid } from "./columns.ts";
import { contracts } from "./contracts.ts";

/** A claim drop on the chain, as far as events have told of its links. */
export const claimDrops = sqliteTable(
  "claim_drops",
  {
    contractId: uuid("contract_id")
      .notNull()
      .references(() => contracts.id),
    /** Its number on the contract. */
    dropId: integer("drop_id").notNull(),
    /** How many claimed links events have told of. */
    told: integer("told").notNull(),
    /** Which: one bit a link, the lowest bit of the first byte first. */
    links: bytes("links").notNull(),
  },
  (table) => [primaryKey({ columns: [table.contractId, table.dropId] })],
);

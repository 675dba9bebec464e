import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bytes, timestamps, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** A contract account that holds an integration's collections. Its id is the API's `contract_uuid`. */
export const contracts = sqliteTable(
  "contracts",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    accountId: text("account_id").notNull(),
    /** SHA-256 of the code it runs. */
    codeHash: bytes("code_hash").notNull(),
    /** `deploying` until the account exists with its code; `ready`; `failed` with the reason in its operation. */
    state: text("state", { enum: ["deploying", "ready", "failed"] }).notNull(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("contracts_account").on(table.accountId),
    index("contracts_integration").on(table.integrationId, table.id),
  ],
);

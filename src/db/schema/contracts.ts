import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { CodeState } from "../../api/resources/contract.ts";
import { bytes, instant, timestamps, uuid, uuidOf } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** Of a contract that isn't read yet. */
const UNREAD_CODE = sql`'{"locked":false,"announced":null,"delay_blocks":432000,"has_full_access_key":false}'`;

/** The deployment that publishes a code as a global contract, which burns NEAR for each byte: only one of several does it. */
export const publications = sqliteTable(
  "publications",
  {
    codeHash: bytes("code_hash").primaryKey(),
    /** The deployment with the `publish` step; its failure deletes the row. */
    operationId: uuid("operation_id").notNull(),
    createdAt: instant("created_at").notNull(),
    isDone: integer("is_done", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [index("publications_operation").on(table.operationId)],
);

/** A contract account that holds an integration's collections. Its id is the API's `contract_uuid`. */
export const contracts = sqliteTable(
  "contracts",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuidOf("integration_id", () => integrations.id),
    accountId: text("account_id").notNull(),
    codeHash: bytes("code_hash").notNull(),
    /** `deploying` until the account exists with its code; `ready`; `failed` with the reason in its operation. */
    state: text("state", { enum: ["deploying", "ready", "failed"] }).notNull(),
    ...timestamps(),
    /** When its wallet lost its role in a hand-over; null: it has a role. */
    leftAt: instant("left_at"),
    /** What may become of its code, as last read from the chain. */
    codeState: text("code_state", { mode: "json" }).$type<CodeState>().notNull().default(UNREAD_CODE),
  },
  (table) => [
    uniqueIndex("contracts_account").on(table.accountId),
    index("contracts_integration").on(table.integrationId, table.id),
    index("contracts_deploying").on(table.id).where(sql`state = 'deploying'`),
    // Each write checks whether its contract is among these few.
    index("contracts_left").on(table.accountId).where(sql`left_at IS NOT NULL`),
  ],
);

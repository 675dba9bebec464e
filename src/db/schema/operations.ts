import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { OperationKind } from "../../domain/operations.ts";
import { bytes, instant, timestamps, uuid, uuidOf } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** An Idempotency-Key that an integration used, with its operation or its stored response. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    integrationId: uuidOf("integration_id", () => integrations.id),
    key: text("key").notNull(),
    /** SHA-256 of method, path and body; for multipart of part names, file names and digests. Null: unknown (recovery). */
    fingerprint: bytes("fingerprint"),
    operationId: uuid("operation_id"),
    /** Status of the response; null: the operation has it. */
    status: integer("status"),
    /** Body of the response, as JSON; above 64 kB `r2:<key>`. Null: none, or the operation has it. */
    body: text("body"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** Bytes of the body in R2; null: the row has it. */
    bodyBytes: integer("body_bytes"),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.key] }),
    index("idempotency_keys_expiry").on(table.expiresAt),
  ],
);

/** A write to the chain, from its acceptance to its response. After the acceptance only the engine changes the row. */
export const operations = sqliteTable(
  "operations",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuidOf("integration_id", () => integrations.id),
    kind: text("kind").$type<OperationKind>().notNull(),
    /** `pending`: in progress; `succeeded`, `failed`: ended; `unknown`: the operator settles it. */
    state: text("state", { enum: ["pending", "succeeded", "failed", "unknown"] }).notNull(),
    /** The draft, collection or contract that it acts on, by `kind`. */
    subjectId: uuid("subject_id").notNull(),
    /** The validated request, by `kind`, with all that its steps need. */
    request: text("request", { mode: "json" }).notNull(),
    answerStatus: integer("answer_status"),
    /** Body of the synchronous response, with hashes for transaction results; above 64 kB `r2:<key>` of the whole. */
    answerBody: text("answer_body"),
    finishedAt: instant("finished_at"),
    /** Final block height that includes all its effects on the chain; null: it is open or has no effect. */
    height: integer("height"),
    ...timestamps(),
    /** Quoted cost, yoctoNEAR; null: no quote. */
    quotedCost: text("quoted_cost"),
    /** Highest allowed cost; null: no limit. */
    mostCost: text("most_cost"),
    /** Actual cost; null: pending or unknown. */
    actualCost: text("actual_cost"),
    /** The caller's reference, such as an order number; null: none. Not unique. */
    reference: text("reference"),
    /** The key that it was accepted for; null: the operator, a collector, or the service. */
    keyId: uuid("key_id"),
  },
  (table) => [
    index("operations_integration").on(table.integrationId, table.id),
    index("operations_subject").on(table.subjectId, table.id),
    // Partial, so that operations without a reference write no index row.
    index("operations_reference")
      .on(table.integrationId, table.reference, table.id)
      .where(sql`reference IS NOT NULL`),
    // Operations that the platform's wallet signs: a few for each integration.
    index("operations_platform")
      .on(table.id)
      .where(sql`kind IN ('wallet_create', 'contract_deploy', 'contract_publish')`),
    // For all queries of open operations (`OPEN` in db/queries/operations.ts): each further index would write another row
    // for every operation.
    index("operations_going_on")
      .on(table.integrationId, table.subjectId, table.kind, table.state)
      .where(sql`state IN ('pending', 'unknown')`),
  ],
);

/** The final record of a transaction, written with its operation's effects. Open transactions are in the wallet's journal. */
export const transactions = sqliteTable(
  "transactions",
  {
    /** SHA-256 of the transaction. In all records but the first of a shared one, the operation's uuid follows. */
    hash: bytes("hash").primaryKey(),
    operationId: uuidOf("operation_id", () => operations.id),
    integrationId: uuidOf("integration_id", () => integrations.id),
    step: text("step").notNull(),
    /** A ChainTransactionResult as JSON; null: the same as in the first record of the transaction. */
    result: text("result", { mode: "json" }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    index("transactions_operation").on(table.operationId),
    index("transactions_integration").on(table.integrationId, table.createdAt),
  ],
);

/** Operations that ended on a day, counted by the batch that ends them. The migration makes it WITHOUT ROWID. */
export const operationCounts = sqliteTable(
  "operation_counts",
  {
    /** Days since the Unix epoch (UTC); 0: the sum of all older days. */
    day: integer("day").notNull(),
    kind: text("kind").$type<OperationKind>().notNull(),
    state: text("state", { enum: ["succeeded", "failed"] }).notNull(),
    /** From acceptance to the end, as an index of `DURATION_BOUNDS` (src/domain/operation-counts.ts). */
    bucket: integer("bucket").notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.kind, table.state, table.bucket] })],
);

/** The quoted highest cost of a write, until the quote expires. */
export const quotes = sqliteTable(
  "quotes",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuidOf("integration_id", () => integrations.id),
    method: text("method").notNull(),
    /** Path without the API's prefix. */
    path: text("path").notNull(),
    /** SHA-256 of the body's canonical JSON. */
    bodyDigest: bytes("body_digest").notNull(),
    /** yoctoNEAR, like `most`. */
    expected: text("expected").notNull(),
    most: text("most").notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** State of the draft that was quoted (`Proposal.quotedState`), for a quote that can be executed; null: any. */
    state: text("state"),
    /** The body as canonical JSON, for a quote that can be executed; null: the caller sends the write itself. */
    body: text("body"),
    /** The Idempotency-Key of its execution; null: not executed. */
    executedBy: text("executed_by"),
  },
  (table) => [index("quotes_expiry").on(table.expiresAt)],
);

/**
 * Files in R2 with old operations and their transactions (src/files/archive/), which are no longer in `operations`. A file has
 * operations of one integration that were accepted on the same day (UTC) and recorded on the same day.
 */
export const archives = sqliteTable(
  "archives",
  {
    integrationId: uuidOf("integration_id", () => integrations.id),
    /** Smallest and largest id of its operations. */
    firstId: uuid("first_id").notNull(),
    lastId: uuid("last_id").notNull(),
    /** When its first and last transactions were recorded; null: it has none. */
    firstAt: instant("first_at"),
    lastAt: instant("last_at"),
    /** Key in R2, unique to this row. */
    objectKey: text("object_key").notNull(),
    operations: integer("operations").notNull(),
    /** Size in R2. */
    bytes: integer("bytes").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.lastId] }),
    index("archives_transactions").on(table.integrationId, table.lastAt),
    // For clean-up, which finds objects without a row.
    index("archives_object").on(table.objectKey),
  ],
);

/** Which mints and updates added a file to a collection by URL: it drops files of those that failed. */
export const broughtFiles = sqliteTable(
  "brought_files",
  {
    collectionId: uuid("collection_id").notNull(),
    sha256: bytes("sha256").notNull(),
    operationId: uuid("operation_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.sha256, table.operationId] })],
);

/** Accounts that the service pays, or has paid, to register at a token (NEP-145): none is paid for twice. */
export const registrations = sqliteTable(
  "registrations",
  {
    /** Account of the token. */
    currency: text("currency").notNull(),
    account: text("account").notNull(),
    integrationId: uuidOf("integration_id", () => integrations.id),
    operationId: uuid("operation_id").notNull(),
    /** When the operation was accepted. */
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.currency, table.account] }),
    index("registrations_integration").on(table.integrationId, table.createdAt),
  ],
);

/** Wallets whose journal has an operation that this database lacks. The objects decide; these rows save a call to each. */
export const behindWallets = sqliteTable("behind_wallets", {
  wallet: text("wallet").primaryKey(),
  missing: uuid("missing").notNull(),
  noticedAt: instant("noticed_at").notNull(),
});

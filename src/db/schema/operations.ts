import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { OperationKind } from "../../domain/operations.ts";
import { bytes, instant, timestamps, uuid } from "./columns.ts";
import { integrations } from "./integrations.ts";

/** An Idempotency-Key that an integration used, and the operation or response that it stands for. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    key: text("key").notNull(),
    /** SHA-256 over method, path and body; for multipart over part names, file names and digests. Null: unknown (recovery). */
    fingerprint: bytes("fingerprint"),
    /** The operation that it stands for; null: a response. */
    operationId: uuid("operation_id"),
    /** Status of the response; null: an operation has it. */
    status: integer("status"),
    /** The response's body, as JSON; above 64 kB `r2:<key>`. Null: none, or an operation has it. */
    body: text("body"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** Bytes of the body in R2; null where the row has it. */
    bodyBytes: integer("body_bytes"),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.key] }),
    index("idempotency_keys_expiry").on(table.expiresAt),
  ],
);

/** A write that touches the chain, from its acceptance to its answer. After its acceptance only the engine changes a row. */
export const operations = sqliteTable(
  "operations",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    kind: text("kind").$type<OperationKind>().notNull(),
    /** `pending`: work goes on; `succeeded`, `failed`: over; `unknown`: the operator has to settle it. */
    state: text("state", { enum: ["pending", "succeeded", "failed", "unknown"] }).notNull(),
    /** What it acts on: a draft, a collection or a contract, by `kind`. */
    subjectId: uuid("subject_id").notNull(),
    /** The validated request, by `kind`; all that its steps need. */
    request: text("request", { mode: "json" }).notNull(),
    /** Status of the answer once it is over. */
    answerStatus: integer("answer_status"),
    /**
     * The body that the synchronous call has, with hashes in the places of its transactions' results
     * (`withoutResults`); above 64 kB `r2:<key>` of the object that holds the very body.
     */
    answerBody: text("answer_body"),
    finishedAt: instant("finished_at"),
    /**
     * `promised`: a caller was told 202, so that it is never given up for what passes; `given_up`: the request that
     * brought it gives it up, so that nobody is told 202. Null: neither. The first stands (`commitTo`).
     */
    commitment: text("commitment", { enum: ["promised", "given_up"] }),
    /** Final height at which all that it did on the chain shows; null: it is open, or did nothing there. */
    height: integer("height"),
    /** Somebody is reading and writing its effects until then, where that is much work; null: nobody has begun. */
    leasedUntil: instant("leased_until"),
    ...timestamps(),
    /** yoctoNEAR: what it was quoted; null: it named no quote. */
    quotedCost: text("quoted_cost"),
    /** The most that it may cost its wallet; null: whatever it costs. */
    mostCost: text("most_cost"),
    /** What it has cost; null: it goes on, or that isn't known. */
    actualCost: text("actual_cost"),
    /** Its caller's own name for it, such as an order's; null: it was given none. Several may have the same. */
    reference: text("reference"),
  },
  (table) => [
    index("operations_integration").on(table.integrationId, table.id),
    index("operations_subject").on(table.subjectId, table.id),
    // Only those that have one, so that a write without it writes no row more.
    index("operations_reference")
      .on(table.integrationId, table.reference, table.id)
      .where(sql`reference IS NOT NULL`),
    // Those that the platform's wallet signs: a few an integration, among all that its customers do.
    index("operations_platform")
      .on(table.id)
      .where(sql`kind IN ('wallet_create', 'contract_deploy', 'contract_publish')`),
    // Queries about open operations read this, whose size is what goes on; `OPEN` in db/queries/operations.ts. One for
    // all of them, because each index is a row to write for every operation.
    index("operations_going_on")
      .on(table.integrationId, table.subjectId, table.kind, table.state)
      .where(sql`state IN ('pending', 'unknown')`),
  ],
);

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

/**
 * How many operations ended on a day, by kind, outcome and time taken. The batch that ends an operation counts it, so that
 * a rollback takes both back. The migration makes the table WITHOUT ROWID.
 */
export const operationCounts = sqliteTable(
  "operation_counts",
  {
    /** Days since the Unix epoch (UTC); 0: all days that have a row of their own no longer. */
    day: integer("day").notNull(),
    kind: text("kind").$type<OperationKind>().notNull(),
    state: text("state", { enum: ["succeeded", "failed"] }).notNull(),
    /** From acceptance to the end, as an index of `DURATION_BOUNDS` (src/domain/operation-counts.ts). */
    bucket: integer("bucket").notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.kind, table.state, table.bucket] })],
);

/** What a write to the chain was said to cost at most, until its time is over. */
export const quotes = sqliteTable(
  "quotes",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    method: text("method").notNull(),
    /** Below the prefix of the API. */
    path: text("path").notNull(),
    /** SHA-256 of the body's canonical JSON. */
    bodyDigest: bytes("body_digest").notNull(),
    /** yoctoNEAR. */
    expected: text("expected").notNull(),
    most: text("most").notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("quotes_expiry").on(table.expiresAt)],
);

/**
 * Files in R2 that hold operations which ended long ago, with their transactions (src/archive/). A file has operations of
 * one integration that were accepted on one day (UTC) and recorded on one. What a row here names isn't in `operations`.
 */
export const archives = sqliteTable(
  "archives",
  {
    integrationId: uuid("integration_id")
      .notNull()
      .references(() => integrations.id),
    /** The least and the greatest id of its operations. */
    firstId: uuid("first_id").notNull(),
    lastId: uuid("last_id").notNull(),
    /** When the first and the last of its transactions were recorded; null: it has none. */
    firstAt: instant("first_at"),
    lastAt: instant("last_at"),
    /** Key in R2, of this row alone. */
    objectKey: text("object_key").notNull(),
    operations: integer("operations").notNull(),
    /** Size in R2. */
    bytes: integer("bytes").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.lastId] }),
    index("archives_transactions").on(table.integrationId, table.lastAt),
    // Which objects no row names (clean-up).
    index("archives_object").on(table.objectKey),
  ],
);

/**
 * Which mints and updates brought a file to a collection by URL. A failed one has the collection give its files up that
 * none of the others brought.
 */
export const broughtFiles = sqliteTable(
  "brought_files",
  {
    collectionId: uuid("collection_id").notNull(),
    sha256: bytes("sha256").notNull(),
    operationId: uuid("operation_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.sha256, table.operationId] })],
);

/**
 * Wallets whose journal has an operation that this database lacks, because it was rolled back. The objects themselves
 * know it for certain; these rows show it without asking all of them.
 */
export const behindWallets = sqliteTable("behind_wallets", {
  /** The integration's uuid, or `platform`. */
  wallet: text("wallet").primaryKey(),
  /** The operation that is missing. */
  missing: uuid("missing").notNull(),
  noticedAt: instant("noticed_at").notNull(),
});

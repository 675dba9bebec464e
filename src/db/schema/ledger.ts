import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EventRun, NumberRun } from "../../domain/events.ts";
import type { OperationKind } from "../../domain/operations.ts";
import { bytes, instant, timestamps, uuid } from "./columns.ts";

/** Tables of ledgers alone: each integration's object has them (src/db/ledger.ts). */

export { collections } from "./collections.ts";
export { idempotencyKeys, operationCounts } from "./copied.ts";

/** What a ledger knows of itself, one row. Triggers change it (src/wallet/journal/schema.ts). */
export const meta = sqliteTable(
  "meta",
  {
    id: integer("id").primaryKey(),
    integrationId: uuid("integration_id"),
    /** Rises with each change of operations, collections and counts. */
    version: integer("version").notNull().default(0),
    /** Number of the last event. */
    eventsSeq: integer("events_seq").notNull().default(0),
    /** Mint fees that the wallet earned and hasn't paid out, nanoNEAR. */
    unpaidSales: integer("unpaid_sales").notNull().default(0),
    /** Since when nothing is accepted from its keys; null: not suspended. */
    suspendedAt: instant("suspended_at"),
    /** Where payouts go, as D1's integration has it; null: nowhere, also while the operator changes it. */
    payoutAccount: text("payout_account"),
    /** The version that D1 knew when the ledger had forgotten it: it accepts nothing until the operator activates it. Null: it hasn't. */
    forgotVersion: integer("forgot_version"),
    /** Whether it was restored since then, with all that D1 and R2 have of it. */
    isRestored: integer("is_restored", { mode: "boolean" }).notNull().default(false),
    /** Where the restoration resumes (src/operations/engine/restore-ledger.ts); null: it hasn't begun. */
    restoreCursor: text("restore_cursor"),
    /** The outbox entry and the version that D1 had when it answered last. */
    sentEntry: integer("sent_entry").notNull().default(0),
    sentVersion: integer("sent_version").notNull().default(0),
    /** The call of D1 that was answered last, and its tag; and the tag of the next one. */
    sentFlush: integer("sent_flush").notNull().default(0),
    sentTag: text("sent_tag").notNull().default(""),
    nextTag: text("next_tag"),
  },
  () => [check("meta_one", sql`id = 1`)],
);

/** Writes to D1 that changes of the ledger have caused, in order. Applied ones are kept for a D1 that is set back. */
export const outbox = sqliteTable(
  "outbox",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** A list of statements as JSON (src/db/outbox.ts). */
    statements: text("statements").notNull(),
    createdAt: instant("created_at").notNull(),
    /** Why D1 refused it twice on its own, so that it was left out; null: it wasn't. */
    refusal: text("refusal"),
    /** The row of which it is a copy that D1 has refused: its table and key. Null: it is an effect. */
    copyOf: text("copy_of").unique(),
    /** Whether it is sent again although it was refused: it is behind what was sent. */
    isRetried: integer("is_retried", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [index("outbox_refused").on(table.id).where(sql`refusal IS NOT NULL`)],
);

/** Whether D1 names an operation in `unshipped_operations`. */
const isNamed = integer("is_named", { mode: "boolean" }).notNull().default(false);

/** Operations that were accepted or have ended, and aren't in R2 as they are now (src/operations/engine/shipping.ts). */
export const unshipped = sqliteTable("unshipped", {
  operationId: uuid("operation_id").primaryKey(),
  changedAt: instant("changed_at").notNull(),
  /** The Idempotency-Key that it was accepted with, if R2 doesn't have that either. */
  key: text("key"),
  /** The row of events that its end has written. */
  eventSeq: integer("event_seq"),
  isNamed,
});

/** Operations that a loss took along and that are nowhere, as D1 named them (src/operations/engine/restore-ledger.ts). */
export const lostOperations = sqliteTable("lost_operations", {
  id: uuid("id").primaryKey(),
  /** The Idempotency-Key that it was accepted with, and that key's fingerprint; null: none. */
  key: text("key"),
  fingerprint: bytes("fingerprint"),
  /** Until then the key answers that the outcome is unknown, also after another loss. */
  expiresAt: instant("expires_at").notNull(),
  isNamed,
});

/** Contracts in which the wallet lost its role by a hand-over. */
export const leftContracts = sqliteTable("left_contracts", {
  accountId: text("account_id").primaryKey(),
  leftAt: instant("left_at").notNull(),
});

/** A write to the chain, from its acceptance to its response. After the acceptance only the engine changes the row. */
export const operations = sqliteTable(
  "operations",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id").notNull(),
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
    operationId: uuid("operation_id").notNull(),
    integrationId: uuid("integration_id").notNull(),
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

/** The quoted highest cost of a write, until the quote expires. */
export const quotes = sqliteTable(
  "quotes",
  {
    id: uuid("id").primaryKey(),
    integrationId: uuid("integration_id").notNull(),
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
    integrationId: uuid("integration_id").notNull(),
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

/** Accounts that the service pays, or has paid, to register at a token (NEP-145): none is paid for twice. */
export const registrations = sqliteTable(
  "registrations",
  {
    /** Account of the token. */
    currency: text("currency").notNull(),
    account: text("account").notNull(),
    integrationId: uuid("integration_id").notNull(),
    operationId: uuid("operation_id").notNull(),
    /** When the operation was accepted. */
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.currency, table.account] }),
    index("registrations_integration").on(table.integrationId, table.createdAt),
  ],
);

/** Events of an integration: a row for each batch of effects. The table is WITHOUT ROWID (`createSchema`): a row is one write. */
export const events = sqliteTable(
  "events",
  {
    integrationId: uuid("integration_id").notNull(),
    /** Number of its last event. Its first event has the number after the previous row's. */
    seq: integer("seq").notNull(),
    count: integer("count").notNull(),
    /** Base of its events' uuids (`eventUuid`). */
    id: uuid("id").notNull(),
    runs: text("runs", { mode: "json" }).$type<readonly EventRun[]>().notNull(),
    /** Whether `collection.sold_out` follows. */
    soldOut: integer("sold_out", { mode: "boolean" }).notNull(),
    /** The operation that ended, whose response has the data of the events; null: none. */
    operationId: uuid("operation_id"),
    /** The collection of the reported tokens, or that sold out; null: none. */
    collectionId: uuid("collection_id"),
    /** Numbers of the reported tokens, as runs of first and last; null: none. */
    minted: text("minted", { mode: "json" }).$type<readonly NumberRun[]>(),
    /** Data of its first run, as JSON, if no operation's response has it: a resource, or a list of tokens. */
    data: text("data", { mode: "json" }),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.integrationId, table.seq] })],
);

/** The last accepted operation that relays the claim of a link. The table is WITHOUT ROWID (`createSchema`). */
export const claims = sqliteTable(
  "claims",
  {
    collectionId: uuid("collection_id").notNull(),
    dropId: integer("drop_id").notNull(),
    link: integer("link").notNull(),
    operationId: uuid("operation_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.dropId, table.link] })],
);

/** Which links of a claim drop on the chain are reported as redeemed by events. */
export const claimDrops = sqliteTable(
  "claim_drops",
  {
    contractId: uuid("contract_id").notNull(),
    dropId: integer("drop_id").notNull(),
    /** How many claimed links are reported. */
    reported: integer("reported").notNull(),
    /** Which: one bit a link, the lowest bit of the first byte first. */
    links: bytes("links").notNull(),
  },
  (table) => [primaryKey({ columns: [table.contractId, table.dropId] })],
);

import { sql } from "drizzle-orm";
import {
  check,
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
} from "drizzle-orm/sqlite-core";
import type { ChainTransactionResult } from "../../chain/outcome.ts";
import { bytes } from "../../db/schema/columns.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { OperationKind } from "../../domain/operations.ts";
import type { OperationEnding, SnapshotKey } from "../interface.ts";
import type { IntentState, RowState } from "./machine.ts";

/**
 * The tables of a wallet object's SQLite. tables.ts is generated from them (test/unit/journal-tables.test.ts). Times are
 * milliseconds since the epoch, heights are block heights.
 */

/** yoctoNEAR, stored as a decimal string. */
const amount = customType<{ data: bigint; driverData: string }>({
  dataType: () => "text",
  toDriver: String,
  fromDriver: BigInt,
});

/** JSON. Drizzle's own would store null as text. */
const json = <T>(name: string) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => (value === null ? value : JSON.stringify(value)) as string,
    fromDriver: (value) => JSON.parse(value) as T,
  })(name);

const flag = (name: string) => integer(name, { mode: "boolean" }).notNull();

/** The uuid of an operation. */
const uuid = (name: string) => text(name).$type<Uuid>();

/** The wallet itself, one row. */
export const wallets = sqliteTable(
  "wallet",
  {
    id: integer("id").primaryKey(),
    accountId: text("account_id").notNull(),
    publicKey: bytes("public_key").notNull(),
    sealed: bytes("sealed").notNull(),
    secretVersion: integer("secret_version").notNull(),
    /** `prepared`: its account may not exist yet; `active`: it signs; `restored`: it signs nothing until activated. */
    state: text("state", { enum: ["prepared", "active", "restored"] }).notNull(),
    /** Operations from before may have lost rows with the previous object. */
    restoredAt: integer("restored_at"),
    /** Height of a final block that is certainly newer than the restoration; null until one was seen. */
    restoredHeight: integer("restored_height"),
  },
  (table) => [
    check("wallet_single", sql`${table.id} = 1`),
    check("wallet_state", sql`${table.state} IN ('prepared', 'active', 'restored')`),
  ],
);

/** Upper bound of what is spent, the part of it that isn't gas, and gas that is also purchased and refunded. */
const costs = () => ({
  cost: amount("cost").notNull(),
  certain: amount("certain").notNull(),
  ahead: amount("ahead").notNull(),
});

/** Transactions that operations need. */
export const intents = sqliteTable(
  "intents",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    operation: uuid("operation").notNull(),
    step: text("step").notNull(),
    fairness: text("fairness").notNull(),
    turn: integer("turn").notNull(),
    receiverId: text("receiver_id").notNull(),
    /** Set if a function-call key may sign. */
    method: text("method"),
    actions: bytes("actions").notNull(),
    ...costs(),
    state: text("state").$type<IntentState>().notNull(),
    result: json<ChainTransactionResult>("result"),
    value: bytes("value"),
    contractCode: text("contract_code"),
    createdAt: integer("created_at").notNull(),
    finishedAt: integer("finished_at"),
    /** Highest block of the transaction's receipts, from which its effects are visible. */
    height: integer("height"),
    /** Intents with the same name may share a transaction. */
    share: text("share"),
    /** Number of tokens minted. */
    tokens: integer("tokens").notNull(),
    /** The operation that pays for this one too, until `heldUntil`. */
    heldBy: uuid("held_by"),
    heldUntil: integer("held_until"),
    /** yoctoNEAR that moves on success. */
    deposit: amount("deposit").notNull(),
    /** Cost of ended transactions. */
    spent: amount("spent").notNull().default(sql`'0'`),
    /** Maximum cost of its operation, yoctoNEAR; null: unlimited. */
    most: text("most"),
  },
  (table) => [
    unique("intents_step").on(table.operation, table.step),
    index("intents_queue").on(table.turn, table.id).where(sql`state = 'queued'`),
    index("intents_fairness").on(table.fairness, table.turn).where(sql`state = 'queued'`),
    index("intents_state").on(table.state),
    index("intents_held").on(table.heldBy).where(sql`held_by IS NOT NULL`),
    index("intents_limited").on(table.turn, table.id).where(sql`state = 'queued' AND most IS NOT NULL`),
  ],
);

/** Operations that the alarm drives. */
export const operations = sqliteTable(
  "operations",
  {
    operation: uuid("operation").primaryKey(),
    /** The wallet's own, never resumed. */
    internal: flag("internal"),
    resumeAt: integer("resume_at"),
    resumeTries: integer("resume_tries").notNull().default(0),
    acknowledgedAt: integer("acknowledged_at"),
    /** Set: accepts no more steps. */
    withdrawnAt: integer("withdrawn_at"),
  },
  (table) => [
    index("operations_resume").on(table.resumeAt).where(sql`resume_at IS NOT NULL`),
    index("operations_acknowledged").on(table.acknowledgedAt).where(sql`acknowledged_at IS NOT NULL`),
  ],
);

/** Access keys, each derived from the wallet's seed and its id. Those that are gone are kept. */
export const lanes = sqliteTable(
  "lanes",
  {
    id: text("id").primaryKey(),
    /** `ed25519:<base58>`. */
    publicKey: text("public_key").notNull().unique("lanes_key"),
    kind: text("kind", { enum: ["full_access", "function_call"] }).notNull(),
    /** The only contract that a function-call key may call. */
    receiverId: text("receiver_id"),
    methods: json<readonly string[]>("methods").notNull(),
    /** `adding`: its key is being added; `unread`: its nonce must be read; `ready`: it may sign. */
    state: text("state", { enum: ["adding", "unread", "ready", "gone"] }).notNull(),
    /** The highest nonce used or seen; null until read from a final block. */
    nonce: integer("nonce"),
    /** Distance to the chain's nonce when it is first read. */
    nonceGap: integer("nonce_gap").notNull(),
    /** The endpoint used for its open rows. */
    endpoint: text("endpoint"),
    /** The intent that adds its key; null for the wallet's first key. */
    addedBy: integer("added_by"),
    /** Height of a final block in which its key was on the account; 0 if none is known. */
    seenHeight: integer("seen_height").notNull().default(0),
    /** Height of a final block in which it wasn't. */
    missingHeight: integer("missing_height"),
  },
  // Most queries concern those that aren't gone.
  (table) => [index("lanes_state").on(table.state)],
);

/** Signed transactions, and the no-ops that race them. */
export const signed = sqliteTable(
  "signed",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    intentId: integer("intent_id")
      .notNull()
      .references(() => intents.id),
    laneId: text("lane_id")
      .notNull()
      .references(() => lanes.id),
    nonce: integer("nonce").notNull(),
    hash: text("hash").notNull().unique("signed_hash"),
    /** Emptied once the row is over. */
    bytes: bytes("bytes").notNull(),
    noopHash: text("noop_hash"),
    noopBytes: bytes("noop_bytes"),
    /** Height of the base block: the key's nonce was below the row's there, and its validity counts from it. */
    baseHeight: integer("base_height").notNull(),
    signedAt: integer("signed_at").notNull(),
    state: text("state").$type<RowState>().notNull(),
    included: flag("included").default(false),
    /** `InvalidTxError` variant returned by a node, if it is permanent. */
    refusal: text("refusal"),
    /** Checks that ended without a proof because blocks or the outcome were unavailable. */
    unproven: integer("unproven").notNull().default(0),
    tries: integer("tries").notNull().default(0),
    /** The final height from which its outcome is polled. */
    dueHeight: integer("due_height").notNull(),
    /** Not polled before then. */
    askAt: integer("ask_at").notNull(),
    /** Height by which it was seen in a block that a fork can still drop; null if not seen. */
    includedBy: integer("included_by"),
    /** Its inclusion in a final block is proven, and only its outcome is missing. */
    landed: flag("landed").default(false),
  },
  (table) => [
    index("signed_open").on(table.state).where(sql`state = 'open'`),
    index("signed_intent").on(table.intentId),
    index("signed_lane").on(table.laneId).where(sql`state = 'open'`),
  ],
);

/** Operations that intents belong to, from the database. */
export const snapshots = sqliteTable(
  "snapshots",
  {
    operation: uuid("operation").primaryKey(),
    generation: integer("generation").notNull(),
    rowNumber: integer("row_number").notNull(),
    kind: text("kind").$type<OperationKind>().notNull(),
    integrationUuid: uuid("integration").notNull(),
    subjectUuid: uuid("subject").notNull(),
    request: text("request").notNull(),
    keys: json<readonly SnapshotKey[]>("keys").notNull(),
    acceptedAt: integer("accepted_at").notNull(),
    /** The result, with the following columns; null: it goes on. */
    state: text("state").$type<OperationEnding["state"]>(),
    answerStatus: integer("answer_status"),
    answerBody: text("answer_body"),
    endedAt: integer("ended_at"),
    /** It can't be put back into a database without it. */
    lost: flag("lost").default(false),
    quotedCost: text("quoted_cost"),
    mostCost: text("most_cost"),
    reference: text("reference"),
  },
  (table) => [index("snapshots_order").on(table.generation, table.rowNumber)],
);

/** State of the database, one row. */
export const database = sqliteTable(
  "database",
  {
    id: integer("id").primaryKey(),
    /** Number of recoveries. */
    generation: integer("generation").notNull().default(0),
    /** Set, with `missing`, while it is older than the journal. */
    behindSince: integer("behind_since"),
    missing: uuid("missing"),
    /** Rows of operations that began before may have been removed without a name. */
    forgottenUntil: integer("forgotten_until"),
  },
  (table) => [check("database_single", sql`${table.id} = 1`)],
);

/**
 * Operations whose rows were removed, by the bytes of their uuid, which sort by creation time: a rolled-back database may
 * have them open again.
 */
export const forgotten = sqliteTable("forgotten", {
  operation: bytes("operation").primaryKey(),
  /** It was withdrawn before its first step, so callers were told that nothing was sent. */
  withdrawn: flag("withdrawn").default(false),
});

/** Intents of shared transactions. The costs are the intent's own, which count for the transaction while it carries it. */
export const carried = sqliteTable(
  "carried",
  {
    shared: integer("shared").notNull(),
    intentId: integer("intent").notNull(),
    /** In the call. */
    position: integer("position").notNull(),
    /** Number of tokens minted. */
    tokens: integer("tokens").notNull(),
    ...costs(),
  },
  (table) => [
    primaryKey({ columns: [table.shared, table.intentId] }),
    index("carried_intent").on(table.intentId),
  ],
);

/** Amount spent per day. */
export const spending = sqliteTable("spending", {
  /** UTC, days since the Unix epoch. */
  day: integer("day").primaryKey(),
  spent: amount("spent").notNull(),
});

/** Files in R2 with operations that were removed. All operations of a file have one generation. */
export const files = sqliteTable(
  "files",
  {
    /** Later files have higher ones. */
    number: integer("number").primaryKey({ autoIncrement: true }),
    key: text("key").notNull(),
    generation: integer("generation").notNull(),
    /** The lowest and highest row number and uuid. */
    firstRow: integer("first_row").notNull(),
    lastRow: integer("last_row").notNull(),
    firstId: uuid("first_id").notNull(),
    lastId: uuid("last_id").notNull(),
    writtenAt: integer("written_at").notNull(),
  },
  (table) => [
    index("files_order").on(table.generation, table.firstRow),
    index("files_ids").on(table.lastId),
    index("files_written").on(table.writtenAt),
  ],
);

import { sql } from "drizzle-orm";
import { blob, check, index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";

/** The tables of a wallet object's SQLite. Instants are milliseconds since the Unix epoch, amounts yoctoNEAR. */

const bytes = (name: string) => blob(name, { mode: "buffer" });

/** The wallet itself, one row. */
export const wallet = sqliteTable(
  "wallet",
  {
    id: integer("id").primaryKey(),
    accountId: text("account_id").notNull(),
    publicKey: bytes("public_key").notNull(),
    sealed: bytes("sealed").notNull(),
    secretVersion: integer("secret_version").notNull(),
    state: text("state", { enum: ["prepared", "active", "restored"] }).notNull(),
    /** Operations older than this may have lost rows. */
    restoredAt: integer("restored_at"),
    /** A final block certainly newer than the restoration, so that base blocks of the lost object's rows are below it. */
    restoredHeight: integer("restored_height"),
  },
  () => [
    check("wallet_one", sql`id = 1`),
    check("wallet_state", sql`state IN ('prepared', 'active', 'restored')`),
  ],
);

/** Transactions that operations need. */
export const intents = sqliteTable(
  "intents",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    operation: text("operation").notNull(),
    step: text("step").notNull(),
    fairness: text("fairness").notNull(),
    turn: integer("turn").notNull(),
    receiverId: text("receiver_id").notNull(),
    /** Set if a function-call key may sign. */
    method: text("method"),
    actions: bytes("actions").notNull(),
    /** Upper bound of what is spent. */
    cost: text("cost").notNull(),
    state: text("state").notNull(),
    result: text("result"),
    value: bytes("value"),
    contractCode: text("contract_code"),
    createdAt: integer("created_at").notNull(),
    finishedAt: integer("finished_at"),
    /** Highest block of the transaction's receipts, from which its effects are visible. */
    height: integer("height"),
    /** The part of the cost that isn't gas. */
    certain: text("certain").notNull().default("0"),
    /** Gas that is also purchased, and refunded. */
    ahead: text("ahead").notNull().default("0"),
    /** Intents with the same name may share a transaction. */
    share: text("share"),
    /** Number of tokens minted. */
    tokens: integer("tokens").notNull().default(0),
    /** The operation that pays for this one too, until `held_until`. */
    heldBy: text("held_by"),
    heldUntil: integer("held_until"),
    /** Moved on success. */
    deposit: text("deposit").notNull(),
    /** Cost of ended transactions. */
    spent: text("spent").notNull().default("0"),
    /** Maximum cost of its operation; null: unlimited. */
    most: text("most"),
  },
  (table) => [
    unique().on(table.operation, table.step),
    index("intents_queue").on(table.turn, table.id).where(sql`state = 'queued'`),
    index("intents_fairness").on(table.fairness, table.turn).where(sql`state = 'queued'`),
    index("intents_state").on(table.state),
    index("intents_held").on(table.heldBy).where(sql`held_by IS NOT NULL`),
    index("intents_limited").on(table.turn, table.id).where(sql`state = 'queued' AND most IS NOT NULL`),
  ],
);

/** Operations that the alarm drives. */
export const drives = sqliteTable(
  "drives",
  {
    operation: text("operation").primaryKey(),
    /** 1: the wallet's own, never resumed. */
    internal: integer("internal").notNull(),
    resumeAt: integer("resume_at"),
    resumeTries: integer("resume_tries").notNull().default(0),
    acknowledgedAt: integer("acknowledged_at"),
    /** From then on it accepts no more steps. */
    withdrawnAt: integer("withdrawn_at"),
    /** 1 if a caller was told that it is pending. */
    promised: integer("promised").notNull().default(0),
  },
  (table) => [
    index("drives_resume").on(table.resumeAt).where(sql`resume_at IS NOT NULL`),
    index("drives_acknowledged").on(table.acknowledgedAt).where(sql`acknowledged_at IS NOT NULL`),
  ],
);

/** Access keys. */
export const lanes = sqliteTable(
  "lanes",
  {
    id: text("id").primaryKey(),
    publicKey: text("public_key").notNull().unique(),
    kind: text("kind").notNull(),
    receiverId: text("receiver_id"),
    methods: text("methods").notNull(),
    state: text("state").notNull(),
    /** The highest used or seen; null until read from a final block. */
    nonce: integer("nonce"),
    nonceGap: integer("nonce_gap").notNull().default(0),
    endpoint: text("endpoint"),
    addedBy: integer("added_by"),
    /** Final block in which the key was on its account. */
    seenHeight: integer("seen_height").notNull().default(0),
    /** One in which it wasn't. */
    missingHeight: integer("missing_height"),
  },
  // Lanes that are gone are kept; most queries concern the others.
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
    hash: text("hash").notNull().unique(),
    /** Emptied once the row is over. */
    bytes: bytes("bytes").notNull(),
    noopHash: text("noop_hash"),
    noopBytes: bytes("noop_bytes"),
    baseHeight: integer("base_height").notNull(),
    signedAt: integer("signed_at").notNull(),
    state: text("state").notNull(),
    sent: integer("sent").notNull().default(0),
    included: integer("included").notNull().default(0),
    refusal: text("refusal"),
    unproven: integer("unproven").notNull().default(0),
    tries: integer("tries").notNull().default(0),
    dueHeight: integer("due_height").notNull(),
    askAt: integer("ask_at").notNull(),
    /** Height by which it was seen in a block that a fork can still drop. */
    includedBy: integer("included_by"),
    /** 1: inclusion is proven. */
    landed: integer("landed").notNull().default(0),
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
    operation: text("operation").primaryKey(),
    generation: integer("generation").notNull(),
    rowNumber: integer("row_number").notNull(),
    kind: text("kind").notNull(),
    integration: text("integration").notNull(),
    subject: text("subject").notNull(),
    request: text("request").notNull(),
    keys: text("keys").notNull(),
    acceptedAt: integer("accepted_at").notNull(),
    /** The result, like the three after it. */
    state: text("state"),
    answerStatus: integer("answer_status"),
    answerBody: text("answer_body"),
    endedAt: integer("ended_at"),
    /** 1: it can't be put back into a database without it. */
    lost: integer("lost").notNull().default(0),
    quotedCost: text("quoted_cost"),
    mostCost: text("most_cost"),
    reference: text("reference"),
    apiKey: text("api_key"),
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
    /** Set, like `missing`, while it is older than the journal. */
    behindSince: integer("behind_since"),
    missing: text("missing"),
    /** Rows of operations that began before may have been removed without a name. */
    forgottenUntil: integer("forgotten_until"),
  },
  () => [check("database_one", sql`id = 1`)],
);

/**
 * Operations whose rows were removed, by the bytes of their uuid, which sort by creation time: a rolled-back database may have
 * them open again.
 */
export const forgotten = sqliteTable("forgotten", {
  operation: bytes("operation").primaryKey(),
  /** 1 if it was withdrawn before its first step, so that callers were told that nothing was sent. */
  withdrawn: integer("withdrawn").notNull().default(0),
});

/** Intents of shared transactions. The costs are the intent's own, which count for the transaction while it carries the intent. */
export const carried = sqliteTable(
  "carried",
  {
    shared: integer("shared").notNull(),
    intent: integer("intent").notNull(),
    /** In the call, from 0. */
    position: integer("position").notNull(),
    tokens: integer("tokens").notNull(),
    cost: text("cost").notNull(),
    certain: text("certain").notNull(),
    ahead: text("ahead").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.shared, table.intent] }),
    index("carried_intent").on(table.intent),
  ],
);

/** Amount spent per day (UTC, days since the Unix epoch). */
export const spending = sqliteTable("spending", {
  day: integer("day").primaryKey(),
  spent: text("spent").notNull(),
});

/**
 * Budgets of API keys that count an intent that isn't over. storage: yoctoNEAR of a contract's storage that count for the
 * budgets beyond the intent's cost, if it succeeds.
 */
export const budgetIntents = sqliteTable(
  "budget_intents",
  { key: text("key").notNull(), intent: integer("intent").notNull(), storage: text("storage").notNull() },
  (table) => [
    primaryKey({ columns: [table.key, table.intent] }),
    index("budget_intents_intent").on(table.intent),
  ],
);

/** What the budget of an API key has spent on the last day of its spending. */
export const budgets = sqliteTable("budgets", {
  key: text("key").primaryKey(),
  day: integer("day").notNull(),
  spent: text("spent").notNull(),
});

/** Files in R2 with removed operations, all of one generation. */
export const files = sqliteTable(
  "files",
  {
    number: integer("number").primaryKey({ autoIncrement: true }),
    key: text("key").notNull(),
    generation: integer("generation").notNull(),
    /** Lowest and highest row number and uuid. */
    firstRow: integer("first_row").notNull(),
    lastRow: integer("last_row").notNull(),
    firstId: text("first_id").notNull(),
    lastId: text("last_id").notNull(),
    writtenAt: integer("written_at").notNull(),
  },
  (table) => [
    index("files_order").on(table.generation, table.firstRow),
    index("files_ids").on(table.lastId),
    index("files_written").on(table.writtenAt),
  ],
);

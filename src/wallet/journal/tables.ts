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

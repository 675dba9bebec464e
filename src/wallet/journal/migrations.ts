/**
 * Migrations of a wallet object's SQLite, applied in order and each in a transaction with its name. Append only: old
 * objects meet new Workers during a deployment, so that a migration may add, and never change what a release reads.
 */
const MIGRATIONS: readonly { readonly name: string; readonly statements: readonly string[] }[] = [
  {
    name: "0001_journal",
    statements: [
      // The wallet itself, one row. restored_at: operations older than this may have lost rows.
      `CREATE TABLE wallet (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        account_id TEXT NOT NULL,
        public_key BLOB NOT NULL,
        sealed BLOB NOT NULL,
        secret_version INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('prepared', 'active', 'restored')),
        restored_at INTEGER
      )`,
      // What operations want on the chain. cost: yoctoNEAR reserved. method: set where a function-call key may sign.
      `CREATE TABLE intents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        operation TEXT NOT NULL,
        step TEXT NOT NULL,
        fairness TEXT NOT NULL,
        turn INTEGER NOT NULL,
        receiver_id TEXT NOT NULL,
        method TEXT,
        actions BLOB NOT NULL,
        cost TEXT NOT NULL,
        state TEXT NOT NULL,
        result TEXT,
        value BLOB,
        contract_code TEXT,
        created_at INTEGER NOT NULL,
        finished_at INTEGER,
        UNIQUE (operation, step)
      )`,
      "CREATE INDEX intents_queue ON intents (turn, id) WHERE state = 'queued'",
      "CREATE INDEX intents_fairness ON intents (fairness, turn) WHERE state = 'queued'",
      "CREATE INDEX intents_state ON intents (state)",
      // Operations that the alarm looks after. internal: the wallet's own, which nobody resumes. withdrawn: takes no step.
      `CREATE TABLE operations (
        operation TEXT PRIMARY KEY,
        internal INTEGER NOT NULL,
        resume_at INTEGER,
        resume_tries INTEGER NOT NULL DEFAULT 0,
        acknowledged_at INTEGER,
        withdrawn_at INTEGER
      )`,
      "CREATE INDEX operations_resume ON operations (resume_at) WHERE resume_at IS NOT NULL",
      "CREATE INDEX operations_acknowledged ON operations (acknowledged_at) WHERE acknowledged_at IS NOT NULL",
      // Access keys. nonce: the highest used or seen; null until read from a final block.
      `CREATE TABLE lanes (
        id TEXT PRIMARY KEY,
        public_key TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        receiver_id TEXT,
        methods TEXT NOT NULL,
        state TEXT NOT NULL,
        nonce INTEGER,
        nonce_gap INTEGER NOT NULL DEFAULT 0,
        endpoint TEXT,
        added_by INTEGER
      )`,
      // Signed transactions, and the no-ops that race them. bytes: emptied once the row is over.
      `CREATE TABLE signed (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        intent_id INTEGER NOT NULL REFERENCES intents (id),
        lane_id TEXT NOT NULL REFERENCES lanes (id),
        nonce INTEGER NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        bytes BLOB NOT NULL,
        noop_hash TEXT,
        noop_bytes BLOB,
        base_height INTEGER NOT NULL,
        signed_at INTEGER NOT NULL,
        state TEXT NOT NULL,
        sent INTEGER NOT NULL DEFAULT 0,
        included INTEGER NOT NULL DEFAULT 0,
        refusal TEXT,
        unproven INTEGER NOT NULL DEFAULT 0,
        tries INTEGER NOT NULL DEFAULT 0,
        due_height INTEGER NOT NULL,
        ask_at INTEGER NOT NULL
      )`,
      "CREATE INDEX signed_open ON signed (state) WHERE state = 'open'",
      "CREATE INDEX signed_intent ON signed (intent_id)",
    ],
  },
  {
    name: "0002_height",
    // Where the effects of an intent show: the highest block of its transaction's receipts.
    statements: ["ALTER TABLE intents ADD COLUMN height INTEGER"],
  },
  {
    name: "0003_lane_rows",
    // Lanes are looked at with their open rows at each signing.
    statements: ["CREATE INDEX signed_lane ON signed (lane_id) WHERE state = 'open'"],
  },
  {
    name: "0004_restored_height",
    // A final block that is surely younger than the restoration: base blocks of the lost object's rows are below it.
    statements: ["ALTER TABLE wallet ADD COLUMN restored_height INTEGER"],
  },
  {
    name: "0005_origins",
    statements: [
      // The operations of the database that intents come from. state and what follows: what it came to. lost: it can't
      // be put back into a database without it.
      `CREATE TABLE origins (
        operation TEXT PRIMARY KEY,
        era INTEGER NOT NULL,
        row_number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        integration TEXT NOT NULL,
        subject TEXT NOT NULL,
        request TEXT NOT NULL,
        keys TEXT NOT NULL,
        accepted_at INTEGER NOT NULL,
        state TEXT,
        answer_status INTEGER,
        answer_body TEXT,
        ended_at INTEGER,
        lost INTEGER NOT NULL DEFAULT 0
      )`,
      "CREATE INDEX origins_order ON origins (era, row_number)",
      // What is known of the database, one row. era: how often it was recovered. behind_since, witness: set while it
      // is older than the journal. forgotten_until: rows of operations that began before then may have been forgotten.
      `CREATE TABLE database (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        era INTEGER NOT NULL DEFAULT 0,
        behind_since INTEGER,
        witness TEXT,
        forgotten_until INTEGER
      )`,
      "INSERT INTO database (id) VALUES (1)",
    ],
  },
  {
    name: "0006_forks",
    statements: [
      // included_by: height by which a row was seen in a block that a fork may still undo. landed: that is proven.
      "ALTER TABLE signed ADD COLUMN included_by INTEGER",
      "ALTER TABLE signed ADD COLUMN landed INTEGER NOT NULL DEFAULT 0",
      // seen_height: final block in which the key was on its account. missing_height: one in which it was found not to be.
      "ALTER TABLE lanes ADD COLUMN seen_height INTEGER NOT NULL DEFAULT 0",
      "ALTER TABLE lanes ADD COLUMN missing_height INTEGER",
    ],
  },
  {
    name: "0007_costs",
    statements: [
      // cost: what goes for good at most. certain: the part of it that isn't gas. ahead: gas bought beyond it for a while.
      "ALTER TABLE intents ADD COLUMN certain TEXT NOT NULL DEFAULT '0'",
      "ALTER TABLE intents ADD COLUMN ahead TEXT NOT NULL DEFAULT '0'",
    ],
  },
  {
    name: "0008_given_up",
    statements: [
      // To look again at a row that was given up, a former release opened it, and left its intent as it was. The machine
      // has no such state, and no move out of it.
      `UPDATE signed SET state = 'unknown'
       WHERE state = 'open' AND intent_id IN (SELECT id FROM intents WHERE state = 'unknown')`,
    ],
  },
  {
    name: "0009_forgotten",
    statements: [
      // Operations whose rows are gone, by the bytes of their uuid, which sort by when they began: a rolled-back
      // database may have them open again. forgotten_until now stands for those that are not even named here.
      "CREATE TABLE forgotten (operation BLOB PRIMARY KEY) WITHOUT ROWID",
    ],
  },
  {
    name: "0010_shared",
    statements: [
      // share: intents of one name may share a transaction. tokens: how many such a one mints. held_by: the operation that
      // has it in hand to pay for this one too, and held_until when this one goes whatever became of that.
      "ALTER TABLE intents ADD COLUMN share TEXT",
      "ALTER TABLE intents ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0",
      "ALTER TABLE intents ADD COLUMN held_by TEXT",
      "ALTER TABLE intents ADD COLUMN held_until INTEGER",
      "CREATE INDEX intents_held ON intents (held_by) WHERE held_by IS NOT NULL",
      // What a shared transaction carries: intents, each with its place in the call and how many of its tokens are its. The
      // costs are the intent's own, which count for the transaction while it is carried. No foreign keys: the release
      // before this one forgets intents, and doesn't know of this table.
      `CREATE TABLE carried (
        shared INTEGER NOT NULL,
        intent INTEGER NOT NULL,
        position INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        cost TEXT NOT NULL,
        certain TEXT NOT NULL,
        ahead TEXT NOT NULL,
        PRIMARY KEY (shared, intent)
      ) WITHOUT ROWID`,
      "CREATE INDEX carried_intent ON carried (intent)",
    ],
  },
  {
    name: "0011_spending",
    // What went for good on a day (UTC, numbered from the Unix epoch), yoctoNEAR.
    statements: ["CREATE TABLE spending (day INTEGER PRIMARY KEY, spent TEXT NOT NULL)"],
  },
  {
    name: "0012_operation_costs",
    statements: [
      // yoctoNEAR. deposit: what moves if it succeeds. spent: what transactions that are over have taken for it. most:
      // what its operation may cost in all; null: whatever it costs. Null deposit and spent: of a former release.
      "ALTER TABLE intents ADD COLUMN deposit TEXT",
      "ALTER TABLE intents ADD COLUMN spent TEXT",
      "ALTER TABLE intents ADD COLUMN most TEXT",
      "CREATE INDEX intents_limited ON intents (turn, id) WHERE state = 'queued' AND most IS NOT NULL",
      "ALTER TABLE origins ADD COLUMN quoted_cost TEXT",
      "ALTER TABLE origins ADD COLUMN most_cost TEXT",
    ],
  },
  {
    name: "0013_files",
    statements: [
      // Files in R2 with operations that are forgotten here. A file has operations of one era; first_row, last_row,
      // first_id and last_id: the least and the greatest of their row numbers and of their uuids.
      `CREATE TABLE files (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL,
        era INTEGER NOT NULL,
        first_row INTEGER NOT NULL,
        last_row INTEGER NOT NULL,
        first_id TEXT NOT NULL,
        last_id TEXT NOT NULL,
        written_at INTEGER NOT NULL
      )`,
      "CREATE INDEX files_order ON files (era, first_row)",
      "CREATE INDEX files_ids ON files (last_id)",
      "CREATE INDEX files_written ON files (written_at)",
    ],
  },
  {
    name: "0014_lanes",
    // Lanes that are gone stay for good, and most of what is asked is about the others.
    statements: ["CREATE INDEX lanes_state ON lanes (state)"],
  },
  {
    name: "0015_withdrawn",
    // 1 where the operation was withdrawn before its first step: callers were told that nothing of it was sent.
    statements: ["ALTER TABLE forgotten ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0"],
  },
];

/** Brings a journal to the newest form. Safe to run at every start of the object. */
export const migrate = (storage: DurableObjectStorage): void => {
  const { sql } = storage;
  sql.exec("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)");
  const applied = new Set(
    sql
      .exec<{ name: string }>("SELECT name FROM migrations")
      .toArray()
      .map(({ name }) => name),
  );
  for (const { name, statements } of MIGRATIONS) {
    if (applied.has(name)) continue;
    storage.transactionSync(() => {
      for (const statement of statements) sql.exec(statement);
      sql.exec("INSERT INTO migrations (name, applied_at) VALUES (?, ?)", name, Date.now());
    });
  }
};

/** The schema of a wallet object's SQLite. */
const SCHEMA = [
  // The wallet itself, one row. restored_at: operations older than this may have lost rows. restored_height: a final
  // block certainly newer than the restoration, so base blocks of the lost object's rows are below it.
  `CREATE TABLE wallet (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    account_id TEXT NOT NULL,
    public_key BLOB NOT NULL,
    sealed BLOB NOT NULL,
    secret_version INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('prepared', 'active', 'restored')),
    restored_at INTEGER,
    restored_height INTEGER
  )`,
  // Transactions that operations need. method: set if a function-call key may sign. height: highest block of the
  // transaction's receipts, from which its effects are visible. share: intents with the same name may share a
  // transaction; tokens: number of tokens minted. held_by: the operation that pays for this one too, until held_until.
  // yoctoNEAR: cost, upper bound of what is spent; certain, the part of it that isn't gas; ahead, gas also purchased
  // and refunded; deposit, moved on success; spent, cost of ended transactions; most, maximum cost of its operation
  // (null: unlimited).
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
    height INTEGER,
    certain TEXT NOT NULL DEFAULT '0',
    ahead TEXT NOT NULL DEFAULT '0',
    share TEXT,
    tokens INTEGER NOT NULL DEFAULT 0,
    held_by TEXT,
    held_until INTEGER,
    deposit TEXT NOT NULL,
    spent TEXT NOT NULL DEFAULT '0',
    most TEXT,
    UNIQUE (operation, step)
  )`,
  "CREATE INDEX intents_queue ON intents (turn, id) WHERE state = 'queued'",
  "CREATE INDEX intents_fairness ON intents (fairness, turn) WHERE state = 'queued'",
  "CREATE INDEX intents_state ON intents (state)",
  "CREATE INDEX intents_held ON intents (held_by) WHERE held_by IS NOT NULL",
  "CREATE INDEX intents_limited ON intents (turn, id) WHERE state = 'queued' AND most IS NOT NULL",
  // Operations that the alarm drives. internal: the wallet's own, never resumed. withdrawn_at: accepts no more steps.
  // promised: 1 if a caller was told that it is pending.
  `CREATE TABLE operations (
    operation TEXT PRIMARY KEY,
    internal INTEGER NOT NULL,
    resume_at INTEGER,
    resume_tries INTEGER NOT NULL DEFAULT 0,
    acknowledged_at INTEGER,
    withdrawn_at INTEGER,
    promised INTEGER NOT NULL DEFAULT 0
  )`,
  "CREATE INDEX operations_resume ON operations (resume_at) WHERE resume_at IS NOT NULL",
  "CREATE INDEX operations_acknowledged ON operations (acknowledged_at) WHERE acknowledged_at IS NOT NULL",
  // Access keys. nonce: highest used or seen; null until read from a final block. seen_height: final block in which the
  // key was on its account. missing_height: one in which it wasn't.
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
    added_by INTEGER,
    seen_height INTEGER NOT NULL DEFAULT 0,
    missing_height INTEGER
  )`,
  // Lanes that are gone are kept; most queries concern the others.
  "CREATE INDEX lanes_state ON lanes (state)",
  // Signed transactions, and the no-ops that race them. bytes: emptied once the row is over. included_by: height by
  // which it was seen in a block that a fork can still drop. landed: inclusion is proven.
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
    ask_at INTEGER NOT NULL,
    included_by INTEGER,
    landed INTEGER NOT NULL DEFAULT 0
  )`,
  "CREATE INDEX signed_open ON signed (state) WHERE state = 'open'",
  "CREATE INDEX signed_intent ON signed (intent_id)",
  "CREATE INDEX signed_lane ON signed (lane_id) WHERE state = 'open'",
  // Operations that intents belong to, from the database. state and following: the result. lost: it can't be put back
  // into a database without it.
  `CREATE TABLE snapshots (
    operation TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
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
    lost INTEGER NOT NULL DEFAULT 0,
    quoted_cost TEXT,
    most_cost TEXT,
    reference TEXT,
    api_key TEXT
  )`,
  "CREATE INDEX snapshots_order ON snapshots (generation, row_number)",
  // State of the database, one row. generation: number of recoveries. behind_since, missing: set while it is older than
  // the journal. forgotten_until: rows of operations that began before may have been removed without a name.
  `CREATE TABLE database (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    generation INTEGER NOT NULL DEFAULT 0,
    behind_since INTEGER,
    missing TEXT,
    forgotten_until INTEGER
  )`,
  "INSERT INTO database (id) VALUES (1)",
  // Operations whose rows were removed, by the bytes of their uuid, which sort by creation time: a rolled-back database
  // may have them open again. withdrawn: 1 if it was withdrawn before its first step, so callers were told that nothing
  // was sent.
  "CREATE TABLE forgotten (operation BLOB PRIMARY KEY, withdrawn INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID",
  // Intents of shared transactions, with position in the call and number of tokens. The costs are the intent's own,
  // which count for the transaction while it carries the intent.
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
  // Amount spent per day (UTC, days since the Unix epoch), yoctoNEAR.
  "CREATE TABLE spending (day INTEGER PRIMARY KEY, spent TEXT NOT NULL)",
  // Budgets of API keys that count an intent that isn't over, and what each has spent on the last day of its spending.
  // storage: yoctoNEAR of a contract's storage that count for the budgets beyond the intent's cost, if it succeeds.
  `CREATE TABLE budget_intents (
    key TEXT NOT NULL,
    intent INTEGER NOT NULL,
    storage TEXT NOT NULL,
    PRIMARY KEY (key, intent)
  ) WITHOUT ROWID`,
  "CREATE INDEX budget_intents_intent ON budget_intents (intent)",
  "CREATE TABLE budgets (key TEXT PRIMARY KEY, day INTEGER NOT NULL, spent TEXT NOT NULL) WITHOUT ROWID",
  // Files in R2 with removed operations. All operations of a file have one generation; first_row, last_row, first_id
  // and last_id: their lowest and highest row number and uuid.
  `CREATE TABLE files (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    generation INTEGER NOT NULL,
    first_row INTEGER NOT NULL,
    last_row INTEGER NOT NULL,
    first_id TEXT NOT NULL,
    last_id TEXT NOT NULL,
    written_at INTEGER NOT NULL
  )`,
  "CREATE INDEX files_order ON files (generation, first_row)",
  "CREATE INDEX files_ids ON files (last_id)",
  "CREATE INDEX files_written ON files (written_at)",
];

/** Creates the tables of a new object. Safe to run at every start of the object. */
export const createSchema = (storage: DurableObjectStorage): void => {
  const made = storage.sql.exec("PRAGMA table_info(wallet)").toArray();
  if (made.length > 0) return;
  storage.transactionSync(() => {
    for (const statement of SCHEMA) storage.sql.exec(statement);
  });
};

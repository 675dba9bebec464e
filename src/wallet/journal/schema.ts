/** The schema of a wallet object's SQLite. */
const SCHEMA = [
  // The wallet itself, one row. restored_at: operations older than this may have lost rows. restored_height: a final block
  // that is surely younger than the restoration: base blocks of the lost object's rows are below it.
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
  // What operations want on the chain. method: set where a function-call key may sign. height: where its effects show, the
  // highest block of its transaction's receipts. share: intents of one name may share a transaction. tokens: how many such a
  // one mints. held_by: the operation that pays for this one too, until held_until. yoctoNEAR: cost, what goes for good at
  // most; certain, the part of it that isn't gas; ahead, gas bought beyond it for a while; deposit, what moves if it
  // succeeds; spent, what transactions that are over have taken; most, what its operation may cost in all (null: any).
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
    deposit TEXT,
    spent TEXT,
    most TEXT,
    UNIQUE (operation, step)
  )`,
  "CREATE INDEX intents_queue ON intents (turn, id) WHERE state = 'queued'",
  "CREATE INDEX intents_fairness ON intents (fairness, turn) WHERE state = 'queued'",
  "CREATE INDEX intents_state ON intents (state)",
  "CREATE INDEX intents_held ON intents (held_by) WHERE held_by IS NOT NULL",
  "CREATE INDEX intents_limited ON intents (turn, id) WHERE state = 'queued' AND most IS NOT NULL",
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
  // Access keys. nonce: the highest used or seen; null until read from a final block. seen_height: final block in which the
  // key was on its account. missing_height: one in which it was found not to be.
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
  // Lanes that are gone stay for good, and most of what is asked is about the others.
  "CREATE INDEX lanes_state ON lanes (state)",
  // Signed transactions, and the no-ops that race them. bytes: emptied once the row is over. included_by: height by which
  // it was seen in a block that a fork may still undo. landed: that is proven.
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
  // The operations of the database that intents come from. state and what follows: what it came to. lost: it can't
  // be put back into a database without it.
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
    reference TEXT
  )`,
  "CREATE INDEX snapshots_order ON snapshots (generation, row_number)",
  // What is known of the database, one row. generation: how often it was recovered. behind_since, missing: set while it
  // is older than the journal. forgotten_until: rows of operations that began before then may have been forgotten.
  `CREATE TABLE database (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    generation INTEGER NOT NULL DEFAULT 0,
    behind_since INTEGER,
    missing TEXT,
    forgotten_until INTEGER
  )`,
  "INSERT INTO database (id) VALUES (1)",
  // Operations whose rows are gone, by the bytes of their uuid, which sort by when they began: a rolled-back
  // database may have them open again. forgotten_until now stands for those that are not even named here.
  // withdrawn: 1 where the operation was withdrawn before its first step: callers were told that nothing of it was sent.
  "CREATE TABLE forgotten (operation BLOB PRIMARY KEY, withdrawn INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID",
  // What a shared transaction carries: intents, each with its place in the call and how many of its tokens are its. The
  // costs are the intent's own, which count for the transaction while it is carried.
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
  // What went for good on a day (UTC, numbered from the Unix epoch), yoctoNEAR.
  "CREATE TABLE spending (day INTEGER PRIMARY KEY, spent TEXT NOT NULL)",
  // Files in R2 with operations that are forgotten here. A file has operations of one generation; first_row, last_row,
  // first_id and last_id: the least and the greatest of their row numbers and of their uuids.
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

/** Creates the tables of an object that has none. Safe to run at every start of the object. */
export const createSchema = (storage: DurableObjectStorage): void => {
  const made = storage.sql.exec("PRAGMA table_info(wallet)").toArray();
  if (made.length > 0) return;
  storage.transactionSync(() => {
    for (const statement of SCHEMA) storage.sql.exec(statement);
  });
};

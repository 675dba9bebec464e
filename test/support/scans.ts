/**
 * What a statement may scan or sort, each with why it doesn't grow. Anything else that SQLite would scan or sort is
 * refused: the statement needs an index, or a place here with a reason that holds for a service of ten years.
 */

/** A line of a plan that is allowed. */
interface Allowed {
  readonly line: RegExp;
  /** Of which statements, without quotes and with single spaces; absent: of all. */
  readonly of?: RegExp;
  readonly why: string;
}

const SORT =
  /^USE TEMP B-TREE FOR (?:ORDER BY|GROUP BY|DISTINCT|count\(DISTINCT\)|LAST \w+ TERMS? OF ORDER BY)/;

const ALLOWED: readonly Allowed[] = [
  { line: /^SCAN \w+ (?:EXISTS )?VIRTUAL TABLE/, why: "json_each reads what the statement brought along" },
  { line: /^SCAN \d+-ROW VALUES CLAUSE$/, why: "rows that the statement brought along" },
  { line: /^SCAN \(subquery-\d+\)(?: LEFT-JOIN)?$/, why: "what a subquery reads has lines of its own" },
  {
    line: /^SCAN (?:weight|sold_out|stand|place)$/,
    of: /\) AS (?:weight|sold_out|stand|place)\b/,
    why: "a subquery of one row",
  },
  { line: /^SCAN part$/, of: /\) AS part$/, why: "what a subquery reads has lines of its own" },

  // D1: what goes on. The limit of waiting operations bounds it for an integration.
  {
    line: /^SCAN \w+ USING (?:COVERING )?INDEX operations_going_on/,
    why: "the index has what goes on, and nothing that is over",
  },
  {
    line: SORT,
    of: /state IN \('pending', 'unknown'\).* order by (?:\+id DESC|(?:state DESC, )?\+?rowid|operations\.updated_at asc) limit \?$/,
    why: "what goes on",
  },
  {
    line: SORT,
    of: /from operations where \(?state IN \('pending', 'unknown'\)(?: and [^()]*\))? group by /,
    why: "what goes on, counted for the operator",
  },

  // D1: pages, whose size is a constant or the caller's limit.
  {
    line: /^SCAN integrations USING (?:COVERING )?INDEX (?:sqlite_autoindex_integrations_1|integrations_deleted|integrations_with_wallet|integrations_ready)$/,
    of: / order by integrations\.id (?:asc|desc) limit \?/,
    why: "the first rows in the order of ids, up to the limit",
  },
  {
    line: SORT,
    of: /ORDER BY id DESC LIMIT \?\) ORDER BY id LIMIT 1\)/,
    why: "the last of at most 1,000 candidates",
  },
  {
    line: SORT,
    of: /^select result, created_at, rowid, .* from transactions where rowid IN /,
    why: "one page of transactions",
  },

  {
    line: /^SCAN contracts USING INDEX sqlite_autoindex_contracts_1$/,
    of: / order by contracts\.id (?:asc|desc) limit \?$/,
    why: "the first rows in the order of ids, up to the limit; nearly all are ready",
  },
  {
    line: /^SCAN collections USING INDEX sqlite_autoindex_collections_1$/,
    of: / order by collections\.id asc limit \?$/,
    why: "the first rows in the order of ids, up to the limit",
  },
  {
    line: /^SCAN webhooks USING INDEX webhooks_(?:enabled|disabled)$/,
    of: / order by webhooks\.id (?:asc|desc) limit \?$/,
    why: "the first rows in the order of ids, up to the limit",
  },
  {
    line: /^SCAN operations USING INDEX operations_platform$/,
    of: / order by operations\.id desc limit \?$/,
    why: "the newest that the platform's wallet signed, up to the limit; nearly all succeeded",
  },
  {
    line: /^SCAN operation_counts$/,
    of: /^select integration_id, day, kind, state, bucket, count, ledger_version from operation_counts$/,
    why: "counts of two weeks and of all days before, a row a kind, outcome and time taken",
  },
  {
    line: SORT,
    of: /^insert into operation_counts .*\bSELECT integration_id, 0, kind, state, bucket, sum\(count\), max\(ledger_version\) FROM operation_counts WHERE /,
    why: "counts of the days that have become too old since the last time",
  },
  {
    line: SORT,
    of: /from api_keys where .* order by api_keys\.id desc limit \?$/,
    why: "keys that the operator issued to one integration",
  },
  {
    line: SORT,
    of: /^insert into operation_counts .* GROUP BY integration_id, kind, state, bucket/,
    why: "counts of days that nothing shows, a few times a day",
  },
  {
    line: SORT,
    of: /from collections where \(?collections\.pin_state in \(\?, \?\).* order by collections\.updated_at asc limit \?$/,
    why: "what waits to be pinned",
  },
  {
    line: SORT,
    of: /^select distinct operations\.id from idempotency_keys inner join operations .* json_each/,
    why: "operations of the keys that the statement brought along",
  },
  {
    line: SORT,
    of: /FROM idempotency_keys WHERE \(idempotency_keys\.integration_id, idempotency_keys\.key\) IN .* GROUP BY integration_id\) AS weight/,
    why: "keys that the statement brought along",
  },
  {
    line: SORT,
    of: /FROM quotes WHERE id IN \( SELECT id FROM quotes WHERE expires_at <= \? AND \(executed_by IS NULL OR expires_at <= \?\) ORDER BY expires_at LIMIT \?\) GROUP BY integration_id\) AS weight/,
    why: "one page of quotes whose time is over",
  },
  {
    line: SORT,
    of: /^select collections\.id, collections\.on_chain_id, collections\.earned, .* order by contracts\.id desc$/,
    why: "an integration's collections, before a payout of its sales",
  },
  {
    line: /^SCAN quotes$/,
    of: /^update integrations set stored_bytes = coalesce\(/,
    why: "quotes of ten minutes, once after a database was rolled back",
  },
  {
    line: /^SCAN integrations$/,
    of: /^select count\(\*\) from integrations where wallet_secret IS NOT NULL AND wallet_secret_version < \?$/,
    why: "asked by the operator while a secret is rotated; a row an integration",
  },
  {
    line: SORT,
    of: /^insert into minted_hundreds .* json_each\(.*\) AS note WHERE .* GROUP BY 1, 2 on conflict/,
    why: "notes of one mint, or of the few that a collection's row has",
  },

  // D1: foreign keys. SQLite looks for children of a new row only while a statement before left one without its parent.
  {
    line: /^SCAN drafts$/,
    of: /^insert into contracts /,
    why: "a contract is new, and never deleted; nothing here defers foreign keys",
  },

  // Objects: tables of one row, or of as many as a wallet has keys.
  { line: /^SCAN (?:database|wallet|meta)$/, why: "one row" },
  { line: /^SCAN sqlite_sequence$/, why: "a row a table that counts by itself" },
  {
    line: /^SCAN lanes\b/,
    of: / lanes (?:SET .*)?WHERE (?:public_key = \? AND )?added_by IS NULL/,
    why: "once the operator has replaced the platform's key",
  },
  { line: /^SCAN lanes$/, of: /^(?:DELETE FROM lanes|UPDATE lanes SET state = 'gone')$/, why: "all of them" },
  { line: SORT, of: /^SELECT .* FROM lanes LEFT JOIN signed /, why: "64 keys at most" },
  { line: /^SCAN migrations\b/, of: /^SELECT name FROM migrations$/, why: "a row a release" },

  {
    line: /^SCAN signed$/,
    of: /^DELETE FROM lanes$/,
    why: "a key that was never used gives way to another, before anything is signed",
  },
  {
    line: /^SCAN attempts$/,
    of: /WHERE NOT EXISTS \(SELECT 1 FROM attempts WHERE event_uuid = \?\)$/,
    why: "an endpoint's last 1,000 attempts",
  },
  { line: /^SCAN replays$/, why: "ten rounds at most" },
  {
    line: SORT,
    of: /FROM snapshots WHERE operation IN \(SELECT value FROM json_each\(\?\)\)/,
    why: "brought along",
  },

  // Objects: what goes on.
  {
    line: /^SCAN intents USING INDEX intents_(?:queue|limited)$/,
    of: / ORDER BY turn, id LIMIT \?$/,
    why: "the first of the queue, up to a window",
  },
  {
    line: /^SCAN snapshots USING INDEX snapshots_order$/,
    of: /WHERE lost = 0 ORDER BY generation DESC, row_number DESC LIMIT 1$/,
    why: "the newest, behind those few that recovery could not restore",
  },
  { line: SORT, of: /^SELECT DISTINCT carried\.shared/, why: "transactions that are shared and go on" },
  { line: SORT, of: /^SELECT DISTINCT due_height AS dueHeight/, why: "open rows: as many as lanes" },
  {
    line: SORT,
    of: /INDEXED BY intents_state WHERE state IN \('unknown', 'queued', 'open'\)/,
    why: "what goes on or waits for the operator",
  },
  { line: SORT, of: /FROM signed WHERE state = 'unknown'/, why: "what waits for the operator" },
  {
    line: SORT,
    of: /^WITH own AS \(SELECT id FROM intents WHERE operation = \?\)/,
    why: "open rows of one operation",
  },
  { line: SORT, of: /FROM intents WHERE operation = \? ORDER BY id$/, why: "steps of one operation" },
  { line: SORT, of: /FROM carried WHERE shared = \? ORDER BY position$/, why: "25 tokens at most share one" },
];

const COSTLY =
  /^SCAN (?!CONSTANT ROW)|USE TEMP B-TREE|^SEARCH (?:operations|transactions) USING INTEGER PRIMARY KEY \(rowid[<>]/;

/** Lines of a plan that are costly and that nothing allows, as sentences. */
export const refused = (where: string, text: string, details: readonly string[]): string[] => {
  const plain = text.replace(/["`]/g, "").replace(/\s+/g, " ").trim();
  return details
    .filter((line) => COSTLY.test(line))
    .filter((line) => !ALLOWED.some((each) => each.line.test(line) && (each.of?.test(plain) ?? true)))
    .map((line) => `${where}: ${line}: ${plain}`);
};

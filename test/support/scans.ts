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
  { line: /^SCAN \w+ VIRTUAL TABLE/, why: "json_each reads what the statement brought along" },
  // Objects: tables of one row, or of as many as a wallet has keys.
  { line: /^SCAN (?:database|wallet)$/, why: "one row" },
  { line: /^SCAN lanes\b/, why: "64 keys at most, and those that were taken off the account" },
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
    of: /FROM origins WHERE operation IN \(SELECT value FROM json_each\(\?\)\)/,
    why: "brought along",
  },

  // Objects: what goes on.
  {
    line: /^SCAN intents USING INDEX intents_(?:queue|limited)$/,
    of: / ORDER BY turn, id LIMIT \?$/,
    why: "the first of the queue, up to a window",
  },
  {
    line: /^SCAN origins USING INDEX origins_order$/,
    of: /WHERE lost = 0 ORDER BY era DESC, row_number DESC LIMIT 1$/,
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

const COSTLY = /^SCAN (?!CONSTANT ROW)|USE TEMP B-TREE/;

/** Lines of a plan that are costly and that nothing allows, as sentences. */
export const refused = (where: string, text: string, details: readonly string[]): string[] => {
  const plain = text.replace(/["`]/g, "").replace(/\s+/g, " ").trim();
  return details
    .filter((line) => COSTLY.test(line))
    .filter((line) => !ALLOWED.some((each) => each.line.test(line) && (each.of?.test(plain) ?? true)))
    .map((line) => `${where}: ${line}: ${plain}`);
};

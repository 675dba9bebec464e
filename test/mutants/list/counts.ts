import type { Mutant } from "../mutant.ts";

const file = "src/db/queries/operation-counts.ts";
const tests = ["test/api/operation-counts.test.ts"];

/** What the schedule counts, so that the operator's overview doesn't read the day's operations. */
export const COUNTS: readonly Mutant[] = [
  {
    id: "counts: two runs beside each other count a page twice",
    file,
    search: "operations.rowid <= ${to.row} AND ${isSweptTo(SWEEP, cursor)}`",
    replacement: "operations.rowid <= ${to.row}`",
    tests,
    named: "plain count",
  },
  {
    id: "counts: two runs beside each other count an end twice",
    file,
    search: "operations.id IN (SELECT operation_id FROM counted_open WHERE operation_id IN ${named})`",
    replacement: "operations.id IN ${named}`",
    tests,
    named: "plain count",
  },
  {
    id: "counts: an operation that was open when it was counted never ends",
    file,
    search: "WHERE ${those} AND ${OPEN}`",
    replacement: "WHERE ${those} AND ${OPEN} AND state = 'none'`",
    tests,
    named: "plain count",
  },
  {
    id: "counts: what wasn't counted yet isn't read",
    file,
    search: "const rest = sql`operations.rowid > ${position}`;",
    replacement: "const rest = sql`operations.rowid < 0`;",
    tests,
    named: "plain count",
  },
  {
    id: "counts: rows are passed over where an import has given them other numbers",
    file,
    search: "(SELECT o.rowid FROM operations AS o WHERE o.id = unhex(json_extract(cursor, '$.id')))",
    replacement: "NULL",
    tests,
    named: "exported and imported",
  },
  {
    id: "archive: takes the newest row, whose number is given again",
    file: "src/db/queries/archives.ts",
    search: "sql`operations.rowid < (SELECT max(rowid) FROM operations)`,",
    replacement: "",
    tests: ["test/api/archive-refusals.test.ts"],
  },
  {
    id: "counts: slots of the last day are forgotten",
    file: "src/operator/jobs/operation-counts.ts",
    search: "const KEPT_MS = 26 * 3_600_000;",
    replacement: "const KEPT_MS = 6 * 3_600_000;",
    tests,
    named: "plain count",
  },
];

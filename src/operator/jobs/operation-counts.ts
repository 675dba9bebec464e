import type { ServiceContext } from "../../context.ts";
import { type Countable, countable, countEnds, countRows } from "../../db/queries/operation-counts.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { slotAt } from "../../domain/overview.ts";

/** Operations of one batch. */
const PAGE = 1_000;
/** For so long a run begins a further batch. Milliseconds. */
const RUN_MS = 5_000;
/** An operation is counted when it is so old: most are over then, and their ends needn't be counted by themselves. Milliseconds. */
const LAG_MS = 30_000;
/** For so long slots are kept: the overview reads a day of them. Milliseconds. */
const KEPT_MS = 26 * 3_600_000;

/**
 * Counts the operations that were accepted since the last run, and the ends of those that were still open then.
 * @param page operations of one batch
 */
export const countOperations = async (
  { db, now }: Pick<ServiceContext, "db" | "now">,
  page = PAGE,
): Promise<void> => {
  const until = now().getTime() + RUN_MS;
  for (let goesOn = true; goesOn && now().getTime() < until; ) {
    const found = await countable(db, page);
    const to = lastOf(found.rows, now().getTime() - LAG_MS);
    checkpoint("operation_counts.before_page");
    if (to !== undefined) {
      await countRows(db, found, to, { before: slotAt(now().getTime() - KEPT_MS), now: now() });
      checkpoint("operation_counts.rows_counted");
    }
    if (found.ends.length > 0) await countEnds(db, found.ends);
    goesOn = (found.rows.length === page && to?.row === found.rows.at(-1)?.row) || found.ends.length === page;
  }
};

/** The last row that is counted now; undefined: none is. */
const lastOf = (rows: Countable["rows"], before: number) => {
  const young = rows.findIndex(({ at }) => at > before);
  return young === -1 ? rows.at(-1) : rows[young - 1];
};

import type { ServiceContext } from "../context.ts";
import { countMinted } from "../db/queries/metrics.ts";
import { readSweep, writeSweep } from "../db/queries/sweeps.ts";
import type { Uuid } from "../domain/ids.ts";

/** The round over all collections, and what the last whole round counted. */
const ROUND = "minted_tokens";
const TOTAL = "minted_tokens_total";

/** Collections that one run looks at. */
const COLLECTIONS = 2_000;

/** Where a round is, and what it has counted so far. */
interface Place {
  readonly after: Uuid;
  readonly minted: number;
}

/** Counts the tokens of all collections for the metrics, those of some collections a run. */
export const countMintedTokens = async ({ db, now }: ServiceContext): Promise<void> => {
  const cursor = await readSweep(db, ROUND);
  const place = cursor === null ? null : (JSON.parse(cursor) as Place);
  const { minted, last } = await countMinted(db, place?.after ?? null, COLLECTIONS);
  const sum = (place?.minted ?? 0) + minted;
  if (last === null) await writeSweep(db, TOTAL, String(sum), now());
  const next = last === null ? null : JSON.stringify({ after: last, minted: sum } satisfies Place);
  await writeSweep(db, ROUND, next, now());
};

/** Tokens of all collections, as the last round counted them. */
export const mintedTokens = async ({ db }: Pick<ServiceContext, "db">): Promise<number> =>
  Number((await readSweep(db, TOTAL)) ?? 0);

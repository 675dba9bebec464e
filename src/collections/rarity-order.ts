import type { PublicToken } from "../api/resources/public-collection.ts";
import type { ServiceContext } from "../context.ts";
import type { Uuid } from "../domain/ids.ts";
import { ranksKey } from "../files/storage/keys.ts";

/**
 * The order of a collection's tokens by rarity. Only the chain knows which asset a token has drawn, so that each token is read once,
 * and its rank kept in R2: four bytes each, by its number.
 */

/** Reads tokens of a collection by their numbers; burnt ones are left out. */
export type ReadNumbers = (numbers: readonly number[]) => Promise<readonly PublicToken[]>;

/** Most tokens that one request reads, and how many at once: two concurrent views. */
export const MOST_READ = 1_000;
export const AT_ONCE = 200;
/** Bytes of tokens after which it stops: large tokens take a node long. */
export const MOST_BYTES_READ = 1_048_576;

/** What is read behind an answer: one view at a time, so that half of an address's calls are left for its pages. */
const AT_ONCE_LATER = 100;

/** The ranks that are known, of the tokens from 1 on; 0: it has none. */
type Ranks = Uint32Array<ArrayBuffer>;

const keptRanks = async ({ env }: ServiceContext, collection: Uuid): Promise<Ranks> => {
  const object = await env.BUCKET.get(ranksKey(collection));
  return object === null ? new Uint32Array() : new Uint32Array(await object.arrayBuffer());
};

const keepRanks = async ({ env }: ServiceContext, collection: Uuid, ranks: Ranks): Promise<void> => {
  await env.BUCKET.put(ranksKey(collection), ranks);
};

/** The known ranks with some more of the tokens behind them, as many as one request reads. */
const extended = async (ranks: Ranks, minted: number, read: ReadNumbers, atOnce: number): Promise<Ranks> => {
  const found = [...ranks];
  const end = Math.min(minted, ranks.length + MOST_READ);
  let unshown = 0;
  for (let bytes = 0; found.length < end && bytes < MOST_BYTES_READ; ) {
    const first = found.length + 1;
    const numbers = Array.from({ length: Math.min(atOnce, end - found.length) }, (_, index) => first + index);
    const tokens = await read(numbers);
    const byNumber = new Map(tokens.map((token) => [token.number, token]));
    for (const number of numbers) {
      const token = byNumber.get(number);
      found.push(token?.rarity_rank ?? 0);
      unshown = token?.media_url === null ? unshown + 1 : 0;
    }
    bytes += Buffer.byteLength(JSON.stringify(tokens));
  }
  // In the block of its mint a token shows no asset: those at the end are read again.
  return Uint32Array.from(found.slice(0, found.length - unshown));
};

/** Collections whose tokens this isolate is reading, and since when; ms since 1970. */
const reading = new Map<Uuid, number>();
/** The platform ends work behind an answer after 30 s, without a word. Milliseconds. */
const LONGEST = 60_000;

/** Reads on behind the answer, as long as the platform lets it; the next request resumes there. */
const readOn = async (
  context: ServiceContext,
  collection: Uuid,
  minted: number,
  read: ReadNumbers,
): Promise<void> => {
  const now = context.now().getTime();
  if (now - (reading.get(collection) ?? 0) < LONGEST) return;
  reading.set(collection, now);
  try {
    for (let ranks = await keptRanks(context, collection); ranks.length < minted; ) {
      const more = await extended(ranks, minted, read, AT_ONCE_LATER);
      if (more.length === ranks.length) return;
      await keepRanks(context, collection, more);
      ranks = more;
    }
  } finally {
    reading.delete(collection);
  }
};

const readOnLater = (context: ServiceContext, collection: Uuid, minted: number, read: ReadNumbers): void =>
  context.waitUntil(
    readOn(context, collection, minted, read).catch((error: unknown) =>
      context.log("rarity.not_read", { error }),
    ),
  );

/** Whether a request can sort more tokens than it can read; otherwise they are being read from then on. */
export const isSortable = async (
  context: ServiceContext,
  collection: Uuid,
  minted: number,
  read: ReadNumbers,
): Promise<boolean> => {
  const known = (await context.env.BUCKET.head(ranksKey(collection)))?.size ?? 0;
  const isReady = minted - known / Uint32Array.BYTES_PER_ELEMENT <= MOST_READ;
  if (!isReady) readOnLater(context, collection, minted, read);
  return isReady;
};

/** Numbers of all tokens, the lowest ranks first and those without a rank last; null: they are still being read. */
export const byRarity = async (
  context: ServiceContext,
  collection: Uuid,
  minted: number,
  read: ReadNumbers,
): Promise<readonly number[] | null> => {
  const before = await keptRanks(context, collection);
  const ranks = await extended(before, minted, read, AT_ONCE);
  if (ranks.length > before.length) await keepRanks(context, collection, ranks);
  if (minted - ranks.length > AT_ONCE) {
    readOnLater(context, collection, minted, read);
    return null;
  }
  const rankOf = (number: number): number => ranks[number - 1] || Number.MAX_SAFE_INTEGER;
  return Array.from({ length: minted }, (_, index) => index + 1).sort(
    (a, b) => rankOf(a) - rankOf(b) || a - b,
  );
};

/** Keeps the ranks of tokens that were read where they differ from those that are kept: their metadata was changed. */
export const correctRanks = async (
  context: ServiceContext,
  collection: Uuid,
  tokens: readonly PublicToken[],
): Promise<void> => {
  const ranks = await keptRanks(context, collection);
  const changed = tokens.filter(
    ({ number, rarity_rank: rank }) => number <= ranks.length && ranks[number - 1] !== (rank ?? 0),
  );
  if (changed.length === 0) return;
  for (const { number, rarity_rank: rank } of changed) ranks[number - 1] = rank ?? 0;
  await keepRanks(context, collection, ranks);
};

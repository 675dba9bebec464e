import type { PublicToken, PublicTokenDetail, PublicTokenEvent } from "../api/resources/public-collection.ts";
import { type ContractToken, mayHaveMore } from "../chain/contract/views.ts";
import type { ServiceContext } from "../context.ts";
import { shownFilesOf } from "../db/queries/collection-pages.ts";
import { mintTransactionOf } from "../db/queries/mint-transactions.ts";
import { type Transfer, transfersOf } from "../db/queries/token-transfers.ts";
import { cursorNumber } from "../domain/cursors.ts";
import { ServiceError } from "../domain/errors.ts";
import { toHex } from "../domain/ids.ts";
import { collectionOf, tokenNumber } from "../domain/token-ids.ts";
import type { Trait } from "../domain/traits.ts";
import { gatewayUrl } from "../files/ipfs/cid.ts";
import { isHidden, onChain, openShowcase, type Showcase } from "./public-collection.ts";
import {
  AT_ONCE,
  byRarity,
  correctRanks,
  isSortable,
  MOST_BYTES_READ,
  MOST_READ,
  type ReadNumbers,
} from "./rarity-order.ts";
import { readTokens } from "./tokens.ts";
import { traitsByReference } from "./traits.ts";

const OWNERS_PAGE = 100;

export interface TokenFilter {
  readonly limit: number;
  readonly cursor: string | null;
  readonly owner?: string;
  /** `latest`: the highest numbers first. `rarity`: the lowest ranks first. */
  readonly sort: "number" | "latest" | "rarity";
  readonly traits: readonly Trait[];
}

/** A page of a gallery. A short page may have a next one. */
export interface TokenPage {
  readonly tokens: readonly PublicToken[];
  readonly next: string | null;
}

const hexOf = (hash: string | null): string | null =>
  hash === null ? null : toHex(Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0)));

/** Tokens as the gallery shows them. @param hidden before the reveal, when traits are withheld */
const toPublic = async (
  context: ServiceContext,
  { row }: Showcase,
  tokens: readonly ContractToken[],
  { base, hidden }: { readonly base: string; readonly hidden: boolean },
): Promise<PublicToken[]> => {
  const digests = (name: "media_hash" | "reference_hash") =>
    tokens.flatMap(({ metadata }) => hexOf(metadata[name]) ?? []);
  const [files, traits] = await Promise.all([
    shownFilesOf(context.db, digests("media_hash")),
    hidden
      ? new Map<string, never>()
      : traitsByReference(context.db, row.collection.id, digests("reference_hash")),
  ]);
  return tokens.map(({ token_id, owner_id, metadata }) => {
    const known = traits.get(hexOf(metadata.reference_hash) ?? "");
    const { title, description, media, media_hash, reference, reference_hash } = metadata;
    const file = files.get(hexOf(media_hash) ?? "");
    return {
      token_id,
      number: tokenNumber(token_id),
      title,
      description,
      owner_id,
      media_url: media && gatewayUrl(base, media),
      media_type: file?.mediaType ?? null,
      media_ground: file?.ground ?? null,
      media_hash,
      media_cid: media,
      reference_url: reference && gatewayUrl(base, reference),
      reference_hash,
      traits: known?.traits ?? [],
      rarity_rank: known?.rank ?? null,
    };
  });
};

/** Whether a token has, for each type of the wanted traits, one of their values. */
const fits = (token: PublicToken, wanted: readonly Trait[]): boolean =>
  [...Map.groupBy(wanted, ({ type }) => type)].every(([type, values]) => {
    const own = token.traits.find((trait) => trait.type === type);
    return own !== undefined && values.some(({ value }) => value === own.value);
  });

/** Tokens after a position, of the collection or of an owner. */
const readSome = async ({ views, collectionId }: Showcase, position: number, owner: string | undefined) => {
  if (owner === undefined) return readTokens(views, collectionId, position, AT_ONCE);
  const found = await views.tokensOfOwner(owner, position, OWNERS_PAGE);
  return { found, hasMore: mayHaveMore(found, OWNERS_PAGE) };
};

const isWanted = (token: PublicToken, { owner, traits }: TokenFilter): boolean =>
  (owner === undefined || token.owner_id === owner) && fits(token, traits);

/** The highest numbers first. @param filter whose cursor is the number that comes next @param minted the last number */
const showLatest = async (read: ReadNumbers, filter: TokenFilter, minted: number): Promise<TokenPage> => {
  const { limit, cursor, owner, traits } = filter;
  const size = owner === undefined && traits.length === 0 ? limit : AT_ONCE;
  const start = cursor === null ? minted : Math.min(cursorNumber(cursor), minted);
  const tokens: PublicToken[] = [];
  let number = start;
  let bytes = 0;
  while (tokens.length < limit && number > 0 && start - number < MOST_READ && bytes < MOST_BYTES_READ) {
    const numbers = Array.from({ length: Math.min(size, number) }, (_, index) => number - index);
    const found = await read(numbers);
    for (const token of found) {
      if (!isWanted(token, filter)) continue;
      if (tokens.length === limit) return { tokens, next: String(token.number) };
      tokens.push(token);
    }
    number -= numbers.length;
    bytes += Buffer.byteLength(JSON.stringify(found));
  }
  return { tokens, next: number > 0 ? String(number) : null };
};

const unsorted = () =>
  new ServiceError(
    "invalid_request",
    "Choose another order, or ask again in a minute: this collection's NFTs are being read for the order by rarity.",
    { issues: [{ path: ["sort"], message: "Choose another order." }] },
  );

/**
 * The lowest ranks first, and those without a rank last. @param filter whose cursor is a place in that order
 * @throws ServiceError invalid_request while the order isn't known
 */
const showRarest = async (
  order: readonly number[] | null,
  read: ReadNumbers,
  { limit, cursor, ...filter }: TokenFilter,
): Promise<TokenPage> => {
  if (order === null) throw unsorted();
  const size = filter.owner === undefined && filter.traits.length === 0 ? limit : AT_ONCE;
  const start = cursorNumber(cursor);
  const tokens: PublicToken[] = [];
  let place = start;
  let bytes = 0;
  while (place < order.length && place - start < MOST_READ && bytes < MOST_BYTES_READ) {
    const numbers = order.slice(place, place + size);
    const found = await read(numbers);
    const byNumber = new Map(found.map((token) => [token.number, token]));
    for (const [index, number] of numbers.entries()) {
      const token = byNumber.get(number);
      if (!token || !isWanted(token, { limit, cursor, ...filter })) continue;
      if (tokens.length === limit) return { tokens, next: String(place + index) };
      tokens.push(token);
    }
    place += numbers.length;
    bytes += Buffer.byteLength(JSON.stringify(found));
    if (tokens.length === limit) break;
  }
  return { tokens, next: place < order.length ? String(place) : null };
};

/**
 * Tokens of a page's collection, from the chain; with filters, the matches among the next thousand, or fewer if they are
 * large. @throws ServiceError not_found, invalid_request (cursor, sort), chain_unavailable
 */
export const showTokens = async (
  context: ServiceContext,
  slug: string,
  base: string,
  filter: TokenFilter,
): Promise<TokenPage> => {
  const { showcase, minted, hidden, isRanked, read } = await openTokens(context, slug, base);
  // Hidden traits match nothing.
  if (hidden && filter.traits.length > 0) return { tokens: [], next: null };
  if (filter.sort === "latest") return showLatest(read, filter, minted);
  // Without ranks all are equal.
  if (filter.sort === "number" || !isRanked) return showInOrder(context, showcase, { base, hidden }, filter);
  const { id } = showcase.row.collection;
  const page = await showRarest(await byRarity(context, id, minted, read), read, filter);
  context.waitUntil(
    correctRanks(context, id, page.tokens).catch((error: unknown) =>
      context.log("rarity.not_corrected", { error }),
    ),
  );
  return page;
};

/** What the tokens of a page's collection are read by. */
const openTokens = async (context: ServiceContext, slug: string, base: string) => {
  const showcase = await openShowcase(context, slug);
  const collection = await onChain(showcase);
  const hidden = isHidden(collection);
  const read: ReadNumbers = (numbers) => {
    const ids = numbers.map((number) => `${showcase.collectionId}:${number}`);
    return tokensByIds(context, showcase, ids, { base, hidden });
  };
  // Ranks are known once all reference files were read.
  const isRanked = !hidden && showcase.row.page.traitsCursor === null;
  return { showcase, minted: collection.minted, hidden, isRanked, read };
};

/** Whether a gallery of more than MOST_READ tokens can be sorted by rarity now. @throws ServiceError not_found, chain_unavailable */
export const canSortByRarity = async (
  context: ServiceContext,
  slug: string,
  base: string,
): Promise<boolean> => {
  const { showcase, minted, isRanked, read } = await openTokens(context, slug, base);
  return isRanked && isSortable(context, showcase.row.collection.id, minted, read);
};

/** In minting order. */
const showInOrder = async (
  context: ServiceContext,
  showcase: Showcase,
  { base, hidden }: { readonly base: string; readonly hidden: boolean },
  { limit, cursor, owner, traits }: TokenFilter,
): Promise<TokenPage> => {
  let position = cursorNumber(cursor);
  if (owner === undefined && traits.length === 0) {
    const { found, hasMore } = await readTokens(showcase.views, showcase.collectionId, position, limit);
    return {
      tokens: await toPublic(context, showcase, found, { base, hidden }),
      next: hasMore && found.length > 0 ? String(position + found.length) : null,
    };
  }
  const tokens: PublicToken[] = [];
  let bytes = 0;
  for (const end = position + MOST_READ; position < end && bytes < MOST_BYTES_READ; ) {
    const { found, hasMore } = await readSome(showcase, position, owner);
    const own = found.filter(({ token_id }) => collectionOf(token_id) === showcase.collectionId);
    const shown = new Map(
      (await toPublic(context, showcase, own, { base, hidden })).map((token) => [token.token_id, token]),
    );
    for (const [index, { token_id }] of found.entries()) {
      const token = shown.get(token_id);
      if (!token || !fits(token, traits)) continue;
      if (tokens.length === limit) return { tokens, next: String(position + index) };
      tokens.push(token);
    }
    position += found.length;
    bytes += Buffer.byteLength(JSON.stringify(found));
    if (!hasMore || found.length === 0) return { tokens, next: null };
  }
  return { tokens, next: String(position) };
};

/** What is known to have happened to a token, the latest first. @param known transactions, which the service has noted */
const historyOf = (
  { metadata: { issued_at: issued } }: ContractToken,
  known: { readonly minted: string | null; readonly transfers: readonly Transfer[] },
): Omit<PublicTokenEvent, "explorer_url">[] => [
  ...known.transfers
    .map(({ at, receiverId, hash }) => ({
      event: "transferred" as const,
      at: at.toISOString(),
      receiver_id: receiverId,
      transaction_hash: hash,
    }))
    .toReversed(),
  {
    event: "minted",
    at: new Date(Number(issued)).toISOString(),
    receiver_id: null,
    transaction_hash: known.minted,
  },
];

/** One token of a page's collection by its number. @throws ServiceError not_found, chain_unavailable */
export const showToken = async (
  context: ServiceContext,
  slug: string,
  base: string,
  number: number,
): Promise<PublicTokenDetail> => {
  const showcase = await openShowcase(context, slug);
  const hidden = isHidden(await onChain(showcase));
  const id = `${showcase.collectionId}:${number}`;
  const [[found], hash, transfers] = await Promise.all([
    showcase.views.tokens([id]),
    mintTransactionOf(context.db, showcase.row.collection.id, number),
    transfersOf(context.db, showcase.row.collection.id, number),
  ]);
  const [token] = await toPublic(context, showcase, found ? [found] : [], { base, hidden });
  if (token && found) {
    const locked = found.locks?.includes("metadata") ?? false;
    const explorerOf = (hash: string | null) =>
      (hash && context.settings.EXPLORER_URL?.replace("{hash}", hash)) || null;
    const history = historyOf(found, { minted: hash, transfers }).map((one) => ({
      ...one,
      explorer_url: explorerOf(one.transaction_hash),
    }));
    return { ...token, transaction_hash: hash, explorer_url: explorerOf(hash), locked, history };
  }
  throw new ServiceError("not_found", "There is no such NFT in this collection, or its owner has burnt it.");
};

/** Tokens by their ids; missing ones are left out. */
export const tokensByIds = async (
  context: ServiceContext,
  showcase: Showcase,
  ids: readonly string[],
  how: { readonly base: string; readonly hidden: boolean },
): Promise<PublicToken[]> => {
  const found = await showcase.views.tokens(ids);
  return toPublic(
    context,
    showcase,
    found.flatMap((token) => token ?? []),
    how,
  );
};

import type { ContractCollection, ContractToken } from "../contract/views.ts";
import { callGas, logGas, readGas, replaceGas, writeGas } from "./protocol.ts";
import {
  COLLECTION_KEY,
  copiesLayout,
  headerBytes,
  idsBytes,
  listKey,
  NUMBERED_KEY,
  onOpenPage,
  PAGE_TOKENS,
  pageBytes,
  ROOT,
  ROOT_KEY,
  slotOf,
  varint,
} from "./records.ts";
import type { Work } from "./work.ts";

/** Arguments of `nft_batch_mint`. */
export interface MintArguments {
  readonly collection_id: number;
  readonly receiver_ids: readonly string[];
  readonly quantity_per_receiver?: number;
  readonly asset_index?: number;
  readonly metadata?: object;
}

/** What a mint's gas depends on. */
export interface MintFacts {
  readonly collection: ContractCollection;
  /** The newest tokens, at most 100, in the order of their numbers. */
  readonly newest: readonly ContractToken[];
  /** Tokens of this contract that each receiver holds. */
  readonly held: ReadonlyMap<string, number>;
}

/** Tokens for which a collection takes promised bytes at once. */
const TOKENS_AT_ONCE = 128;
/** Token ids of one event; above it the event names none. */
const MOST_SHOWN = 100;
const EVENT = 65;

/** What a mint does. */
export const mintWork = (
  args: MintArguments,
  bytes: number,
  { collection, newest, held }: MintFacts,
): Work => {
  const { collection_id: id, receiver_ids: receivers, quantity_per_receiver: each = 1, metadata } = args;
  const tokens = receivers.length * each;
  const header = headerBytes(collection);
  const open = onOpenPage(collection.minted);
  const before = open === 0 ? [] : newest.slice(-open).map(slotOf);
  const after = [
    ...before,
    ...receivers.flatMap((owner) => Array.from({ length: each }, () => ({ owner, at: "now" }))),
  ];
  const copies = copiesLayout(collection);
  const chosen = args.asset_index !== undefined;
  const headerBefore = header + pageBytes(before, collection.assets);
  const override = metadata === undefined ? 0 : overrideBytes(metadata);
  let host = callGas("nft_batch_mint", bytes);
  host += readGas(ROOT_KEY, ROOT) + readGas(COLLECTION_KEY, headerBefore);
  host += lists(args, held, collection.minted);
  for (let page = 0; page < copies.pages; page++) host += readGas(NUMBERED_KEY, copies.bytes);
  if (copies.pages > 0) {
    host += (tokens > 1 ? copies.pages : 1) * writeGas(NUMBERED_KEY, copies.bytes, copies.bytes);
  }
  let rest = after;
  for (; rest.length >= PAGE_TOKENS; rest = rest.slice(PAGE_TOKENS)) {
    host += writeGas(NUMBERED_KEY, pageBytes(rest.slice(0, PAGE_TOKENS), collection.assets), null);
  }
  host += writeGas(COLLECTION_KEY, header + pageBytes(rest, collection.assets), headerBefore);
  host += tokens * (metadata === undefined ? 0 : writeGas(NUMBERED_KEY, override, null));
  const credit = (TOKENS_AT_ONCE - (collection.minted % TOKENS_AT_ONCE)) % TOKENS_AT_ONCE;
  if (credit < tokens || metadata !== undefined) host += writeGas(ROOT_KEY, ROOT, ROOT);
  const told = newest.filter(
    ({ metadata: { issued_at: at } }) => at === newest.at(-1)?.metadata.issued_at,
  ).length;
  const shownBytes =
    told === 0 ? 0 : told > MOST_SHOWN ? EVENT : EVENT + 16 + idsBytes(id, collection.minted - told, told);
  const mintBytes =
    EVENT +
    receivers.reduce(
      (sum, owner, place) =>
        sum + owner.length + 32 + idsBytes(id, collection.minted + 1 + place * each, each),
      0,
    );
  host += (told === 0 ? 0 : logGas(shownBytes)) + logGas(mintBytes);
  return {
    host,
    counts: {
      receivers: receivers.length,
      tokens,
      pairs: chosen ? 0 : (tokens * tokens) / 100,
      slots: before.length,
      written: after.length,
      copies: copies.pages === 0 ? copies.bytes : copies.bytes * copies.pages,
      located: chosen ? 0 : tokens * Math.log2(copies.bytes / 8 + 1),
      own: metadata === undefined ? 0 : tokens,
      fresh: receivers.filter((receiver) => (held.get(receiver) ?? 0) === 0).length,
      argument: bytes,
      logged: shownBytes + mintBytes,
      chosen: chosen ? 1 : 0,
    },
  };
};

const LIST_PAGE = 64;

/** Reading and writing the lists of the receivers, as the contract does: a list is taken to be new after one that was. */
const lists = (
  { receiver_ids: receivers, quantity_per_receiver: each = 1 }: MintArguments,
  held: ReadonlyMap<string, number>,
  minted: number,
): number => {
  let probablyNew = receivers.length > 1;
  let host = 0;
  const entry = 1 + varint(minted + 1);
  for (const receiver of receivers) {
    const key = listKey(receiver);
    const has = held.get(receiver) ?? 0;
    const inHead = has === 0 ? 0 : ((has - 1) % LIST_PAGE) + 1;
    const pages = Math.floor(Math.max(has - 1, 0) / LIST_PAGE);
    const old = has === 0 ? null : 3 + pages + inHead * entry;
    const isFull = inHead + each > LIST_PAGE;
    const after = 3 + pages + (isFull ? 1 + (inHead + each - LIST_PAGE) * entry : (inHead + each) * entry);
    if (isFull) host += writeGas(key + 2, LIST_PAGE * entry, null);
    if (probablyNew) {
      host += replaceGas(key, 3 + each * entry, old);
      if (old !== null) host += writeGas(key, after, 3 + each * entry);
    } else host += readGas(key, old) + writeGas(key, after, old);
    probablyNew = old === null;
  }
  return host;
};

/** A token's own metadata as they are stored: names and marks are less than in JSON. */
const overrideBytes = (metadata: object): number =>
  7 + Object.values(metadata).reduce((sum: number, value) => sum + fieldBytes(value), 0);

const fieldBytes = (value: unknown): number => {
  if (value === null || value === undefined) return 0;
  if (typeof value === "string") return Buffer.byteLength(value) + 1;
  return typeof value === "number" ? 2 : 65;
};

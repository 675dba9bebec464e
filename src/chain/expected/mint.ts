import { promisedBytes, RECORD_BYTES, TOKENS_AT_ONCE, varintBytes } from "../../domain/promised-bytes.ts";
import type { ContractAsset, ContractCollection, ContractToken } from "../contract/views.ts";
import { ownOf } from "./own-metadata.ts";
import { callGas, logGas, readGas, replaceGas, writeGas } from "./protocol.ts";
import {
  COLLECTION_KEY,
  copiesLayout,
  digestsIn,
  fieldBytes,
  headerBytes,
  idsBytes,
  listKey,
  NUMBERED_KEY,
  numberOf,
  onOpenPage,
  PAGE_TOKENS,
  pageBytes,
  ROOT,
  ROOT_KEY,
  rootGas,
  type Slot,
  slotOf,
  storedName,
} from "./records.ts";
import { type Place, wayToCollection, wayToDigest, wayToOwn } from "./trie.ts";
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
  readonly place: Place;
  /** The most copies that an asset began with, as far as that is known. */
  readonly mostCopies: number;
  readonly assets: readonly ContractAsset[] | null;
  /** The newest tokens, at most 100, in the order of their numbers. */
  readonly newest: readonly ContractToken[];
  /** Tokens of this contract that each receiver holds. */
  readonly held: ReadonlyMap<string, number>;
}

/** Token ids of one event; above it the event names none. */
const MOST_SHOWN = 100;
const EVENT = 65;

/** What a mint does. */
export const mintWork = (args: MintArguments, bytes: number, facts: MintFacts): Work => {
  const { receiver_ids: receivers, quantity_per_receiver: each = 1, metadata } = args;
  const { collection, newest } = facts;
  const tokens = receivers.length * each;
  const before =
    onOpenPage(collection.minted) === 0 ? [] : newest.slice(-onOpenPage(collection.minted)).map(slotOf);
  const copies = copiesLayout(collection.assets, facts.mostCopies);
  const isChosen = args.asset_index !== undefined;
  const logs = eventsOf(args, facts);
  const holders = lists(args, facts);
  const own = metadata === undefined ? 0 : overrideBytes(metadata);
  const pages = pagesOf(args, facts, before);
  const host =
    callGas("nft_batch_mint", bytes) +
    readGas(ROOT_KEY, ROOT) +
    holders.host +
    pages.host +
    copiesGas(facts, tokens, isChosen) +
    ownGas(facts, tokens, own) +
    (creditOf(collection) < tokens || metadata !== undefined ? rootGas(facts.place) : 0) +
    logs.reduce((sum, text) => sum + logGas(text), 0);
  return {
    host,
    counts: {
      receivers: receivers.length,
      digested: receivers.filter((receiver) => listKey(receiver) > 17).length,
      long: receivers.filter((receiver) => storedName(receiver) > 32).length,
      entries: holders.entries,
      tokens,
      pairs: isChosen ? 0 : (tokens * tokens) / 100,
      names: pages.names,
      written: before.length + tokens,
      copies: copies.bytes * Math.max(copies.pages, 1),
      deep: isChosen ? 0 : tokens * Math.log2(copies.bytes / 8 + 1),
      own: own > 0 ? tokens : 0,
      ownBytes: own,
      argument: bytes,
      digests: digestsIn(metadata ?? {}),
      logged: logs.reduce((sum, text) => sum + text, 0),
      told: logs.length > 1 ? 1 : 0,
      chosen: isChosen ? 1 : 0,
    },
    lack: storing(collection, tokens, own === 0 ? 0 : tokens * (RECORD_BYTES + NUMBERED_KEY + own)),
  };
};

/**
 * What a contract lacks for so many tokens: it takes promised bytes for many at once where it can pay for them, else for
 * these alone, and then stores what is their own.
 */
const storing = (collection: ContractCollection, tokens: number, own: number) => {
  const each = promisedBytes(collection);
  const missing = (tokens - creditOf(collection)) * each;
  const ahead = Math.max(missing, Math.min(TOKENS_AT_ONCE, collection.total - collection.minted) * each);
  return (free: number): number => {
    if (missing > free) return missing - free;
    const taken = missing <= 0 ? 0 : ahead <= free ? ahead : missing;
    return Math.max(taken + own - free, 0);
  };
};

/** Tokens for which a collection has taken promised bytes already. */
const creditOf = ({ minted }: ContractCollection): number =>
  (TOKENS_AT_ONCE - (minted % TOKENS_AT_ONCE)) % TOKENS_AT_ONCE;

/** Reading the header, and writing it and the pages of tokens that become full. */
const pagesOf = (
  { receiver_ids: receivers, quantity_per_receiver: each = 1, metadata }: MintArguments,
  { collection, place, mostCopies }: MintFacts,
  before: readonly Slot[],
) => {
  const header = headerBytes(collection.assets, mostCopies);
  const marks = metadata === undefined ? 0 : 4;
  const after = [
    ...before,
    ...receivers.flatMap((owner) => Array.from({ length: each }, () => ({ owner, at: "now" }))),
  ];
  const old = header + pageBytes(before, collection.assets);
  const full = Array.from({ length: Math.floor(collection.minted / PAGE_TOKENS) }, (_, page) => [page]);
  let host = readGas(COLLECTION_KEY, old);
  let rest = after;
  for (let page = full.length; rest.length >= PAGE_TOKENS; page++, rest = rest.slice(PAGE_TOKENS)) {
    const value = pageBytes(rest.slice(0, PAGE_TOKENS), collection.assets) + marks;
    host += writeGas({ key: NUMBERED_KEY, value, old: null, nodes: wayToOwn(place, [page], full) });
  }
  const value = header + pageBytes(rest, collection.assets) + (rest.length > 0 ? marks : 0);
  host += writeGas({ key: COLLECTION_KEY, value, old, nodes: wayToCollection(place) });
  return { host, names: new Set(before.map(({ owner }) => owner)).size };
};

/** Reading all pages of remaining copies, and writing those that copies are taken from. */
const copiesGas = (
  { collection, place, mostCopies }: MintFacts,
  tokens: number,
  isChosen: boolean,
): number => {
  const { pages, bytes } = copiesLayout(collection.assets, mostCopies);
  const all = Array.from({ length: pages }, (_, page) => [page]);
  const [first] = all;
  if (first === undefined) return 0;
  const nodes = wayToOwn(place, first, all);
  const written = tokens > 1 && !isChosen ? pages : 1;
  return (
    pages * readGas(NUMBERED_KEY, bytes) +
    written * writeGas({ key: NUMBERED_KEY, value: bytes, old: bytes, nodes })
  );
};

/** Writing a record of its own for each token. */
const ownGas = (facts: MintFacts, tokens: number, bytes: number): number => {
  if (bytes === 0) return 0;
  const { collection, place, newest, assets } = facts;
  const there = newest
    .filter((token) => ownOf(token, { collection, assets, page: newest }) !== null)
    .map((token) => [numberOf(token)]);
  let host = 0;
  for (let number = collection.minted + 1; number <= collection.minted + tokens; number++) {
    const nodes = wayToOwn(place, [number], there);
    host += writeGas({ key: NUMBERED_KEY, value: bytes, old: null, nodes });
  }
  return host;
};

/** Bytes of the events: that of the tokens that show their assets by now, and that of the mint. */
const eventsOf = (
  { collection_id: id, receiver_ids: receivers, quantity_per_receiver: each = 1 }: MintArguments,
  { collection: { minted }, newest }: MintFacts,
): number[] => {
  const last = newest.at(-1)?.metadata.issued_at;
  const told = newest.filter(({ metadata: { issued_at: at } }) => at === last).length;
  const mint = receivers.reduce(
    (sum, owner, place) => sum + owner.length + 32 + idsBytes(id, minted + 1 + place * each, each),
    EVENT,
  );
  if (told === 0) return [mint];
  return [told > MOST_SHOWN ? EVENT : EVENT + 27 + idsBytes(id, minted - told, told), mint];
};

const LIST_PAGE = 64;

/** Accounts that hold tokens of a collection, about: as many of all as of the newest. */
const holdersOf = ({ collection, newest }: MintFacts): number =>
  newest.length === 0
    ? 0
    : (new Set(newest.map(({ owner_id: owner }) => owner)).size * collection.minted) / newest.length;

/** Reading and writing the lists of the receivers, as the contract does: a list is taken to be new after one that was. */
const lists = (args: MintArguments, facts: MintFacts) => {
  const { receiver_ids: receivers, quantity_per_receiver: each = 1 } = args;
  const holders = holdersOf(facts);
  const entry = 1 + varintBytes(facts.collection.minted + 1);
  const seen = new Map(facts.held);
  const written = new Set<string>();
  let probablyNew = receivers.length > 1;
  let host = 0;
  let entries = 0;
  for (const receiver of receivers) {
    const key = listKey(receiver);
    const has = seen.get(receiver) ?? 0;
    const inHead = has === 0 ? 0 : ((has - 1) % LIST_PAGE) + 1;
    const pages = Math.floor(Math.max(has - 1, 0) / LIST_PAGE);
    const old = has === 0 ? null : 3 + pages + inHead * entry;
    const isFull = inHead + each > LIST_PAGE;
    const value = 3 + pages + (isFull ? 1 + (inHead + each - LIST_PAGE) * entry : (inHead + each) * entry);
    const nodes = written.has(receiver) ? 0 : wayToDigest(facts.place, holders, old !== null);
    if (isFull) {
      host += writeGas({
        key: key + 2,
        value: LIST_PAGE * entry,
        old: null,
        nodes: wayToDigest(facts.place, 0, false),
      });
    }
    if (probablyNew) {
      const first = 3 + each * entry;
      host += replaceGas({ key, value: first, old, nodes });
      if (old !== null) host += writeGas({ key, value, old: first, nodes: 0 });
    } else host += readGas(key, old) + writeGas({ key, value, old, nodes });
    entries += inHead;
    probablyNew = old === null;
    seen.set(receiver, has + each);
    written.add(receiver);
  }
  return { host, entries };
};

/** A token's own metadata as they are stored: names and marks are less than in JSON. */
const overrideBytes = (metadata: object): number =>
  7 + Object.values(metadata).reduce((sum: number, value) => sum + fieldBytes(value), 0);

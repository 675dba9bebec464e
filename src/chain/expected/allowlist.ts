import { blake2s } from "@noble/hashes/blake2.js";
import { RECORD_BYTES } from "../../domain/promised-bytes.ts";
import type { ContractCollection } from "../contract/views.ts";
import { callGas, readGas, writeGas } from "./protocol.ts";
import {
  COLLECTION_KEY,
  headerBytes,
  onOpenPage,
  ROOT,
  ROOT_KEY,
  rootGas,
  storedAccount,
  storedName,
} from "./records.ts";
import { type Place, wayToCollection, wayToOwn } from "./trie.ts";
import { lackOf, type Work } from "./work.ts";

/** Arguments of the allowlist's calls. */
export interface AllowlistArguments {
  readonly collection_id: number;
  readonly account_ids?: readonly string[];
}

/** What the gas of a change of an allowlist depends on. */
export interface AllowlistFacts {
  readonly collection: ContractCollection;
  readonly place: Place;
  readonly mostCopies: number;
  /** How many of the accounts are on the list. */
  readonly listed: number;
}

const BUCKET_KEY = 13;
const ENTRY = 12;
/** Accounts of a bucket on average. */
const LOAD = 256;
/** The list's own record. */
const LIST = 12;
/** What a cleared generation adds to it. */
const STALE = 8;
const SLOT = 20;

type Target = Pick<AllowlistFacts, "collection" | "place" | "mostCopies">;

const begun = (method: string, bytes: number, { collection, mostCopies }: Target): number =>
  callGas(method, bytes) +
  readGas(ROOT_KEY, ROOT) +
  readGas(COLLECTION_KEY, headerBytes(collection.assets, mostCopies) + onOpenPage(collection.minted) * SLOT) +
  readGas(COLLECTION_KEY, collection.allowlisted === 0 ? null : LIST);

/** Writing the list's own record, and the root, which counts what all records take. */
const booked = ({ collection, place }: Target, value: number): number => {
  const old = collection.allowlisted === 0 ? null : LIST;
  const nodes = old === null ? wayToOwn(place, [], []) : wayToCollection(place);
  return writeGas({ key: COLLECTION_KEY, value, old, nodes }) + rootGas(place);
};

/** Writing a bucket among those of its list. */
const bucketGas = (
  place: Place,
  buckets: number,
  { value, old }: { value: number; old: number | null },
): number => {
  const there = Array.from({ length: buckets }, (_, bucket) => [0, bucket]);
  const nodes = wayToOwn(place, old === null ? [0, buckets] : [0, 0], there);
  return writeGas({ key: BUCKET_KEY, value, old, nodes });
};

/** The bucket of an account among so many, which grow one at a time (linear hashing). */
export const bucketOf = (account: string, buckets: number): number => {
  const print = blake2s(storedAccount(account), { dkLen: 16 });
  const number = new DataView(print.buffer, print.byteOffset).getUint32(0, true);
  const round = 2 ** Math.ceil(Math.log2(buckets));
  const place = number % round;
  return place < buckets ? place : place - round / 2;
};

/** The part of a list's accounts that is in a bucket, on average: one that isn't split yet has twice as many. */
const partOf = (bucket: number, buckets: number): number => {
  const round = 2 ** Math.ceil(Math.log2(buckets));
  return bucket >= buckets - round / 2 && bucket < round / 2 ? 2 / round : 1 / round;
};

/** The buckets that accounts come into: the part of the list that each has, and how many of the accounts. */
const touched = (buckets: number, accounts: readonly string[]) => {
  const counts = new Map<number, number>();
  for (const account of accounts) {
    const bucket = bucketOf(account, buckets);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return [...counts].map(([bucket, come]) => ({ part: partOf(bucket, buckets), come }));
};

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

const accountsWork = (accounts: readonly string[], bytes: number) => ({
  argument: bytes,
  accounts: accounts.length,
  hashed: accounts.filter((account) => storedName(account) > 32).length,
  sorted: accounts.length * Math.log2(accounts.length + 1) ** 2,
});

/** What adding accounts does. */
export const addWork = (
  { account_ids: accounts = [] }: AllowlistArguments,
  bytes: number,
  facts: AllowlistFacts,
): Work => {
  const { collection, place, listed } = facts;
  const before = collection.allowlisted;
  const added = accounts.length - listed;
  const buckets = Math.ceil(before / LOAD);
  const wanted = Math.max(buckets, Math.ceil((before + accounts.length) / LOAD));
  const into = touched(wanted, accounts);
  let host = begun("allowlist_add", bytes, facts);
  const size = (part: number) => before * part * ENTRY;
  if (before === 0) {
    host += sumOf(into, ({ come }) => bucketGas(place, 0, { value: come * ENTRY, old: null }));
  } else {
    for (let at = buckets; at < wanted; at++) {
      const parent = (before / at) * ENTRY;
      host += readGas(BUCKET_KEY, parent);
      host += bucketGas(place, buckets, { value: parent / 2, old: parent });
      host += bucketGas(place, buckets, { value: parent / 2, old: null });
    }
    host += sumOf(into, ({ part }) => readGas(BUCKET_KEY, size(part)));
    host += sumOf(into, ({ part, come }) => {
      const fresh = come * (added / accounts.length);
      const isChanged = 1 - (listed / accounts.length) ** come;
      return isChanged * bucketGas(place, buckets, { value: size(part) + fresh * ENTRY, old: size(part) });
    });
  }
  host += booked(facts, LIST);
  return {
    host,
    counts: {
      ...accountsWork(accounts, bytes),
      slots: onOpenPage(collection.minted),
      buckets: into.length,
      compared: sumOf(into, ({ part, come }) => come * before * part),
      moved: wanted > buckets && before > 0 ? (before / buckets) * (wanted - buckets) : 0,
    },
    lack: lackOf(
      added * ENTRY +
        (wanted - buckets) * (RECORD_BYTES + BUCKET_KEY) +
        (before === 0 ? RECORD_BYTES + COLLECTION_KEY + LIST : 0),
    ),
  };
};

/** What removing accounts does. */
export const removeWork = (
  { account_ids: accounts = [] }: AllowlistArguments,
  bytes: number,
  facts: AllowlistFacts,
): Work => {
  const { collection, place, listed } = facts;
  const before = collection.allowlisted;
  const buckets = Math.max(1, Math.ceil(before / LOAD));
  const into = before === 0 ? [] : touched(buckets, accounts);
  const size = (part: number) => before * part * ENTRY;
  let host = begun("allowlist_remove", bytes, facts);
  host += sumOf(into, ({ part }) => readGas(BUCKET_KEY, size(part)));
  if (listed > 0) {
    host += sumOf(into, ({ part, come }) => {
      const gone = come * (listed / accounts.length);
      const isChanged = 1 - (1 - listed / accounts.length) ** come;
      return (
        isChanged *
        bucketGas(place, buckets, { value: Math.max(0, size(part) - gone * ENTRY), old: size(part) })
      );
    });
    host += booked(facts, LIST);
  }
  // An entry that is found is compared with half of the accounts of its bucket, on average.
  const met = before === 0 ? 0 : 1 - listed / before / 2;
  return {
    host,
    counts: {
      ...accountsWork(accounts, bytes),
      slots: onOpenPage(collection.minted),
      buckets: into.length,
      compared: sumOf(into, ({ part, come }) => come * before * part) * met,
      entries: sumOf(into, ({ part }) => before * part),
    },
  };
};

/** What clearing a list does. */
export const clearWork = (bytes: number, facts: Target): Work => {
  const isListed = facts.collection.allowlisted > 0;
  const host = begun("allowlist_clear", bytes, facts) + (isListed ? booked(facts, LIST + STALE) : 0);
  return { host, counts: { cleared: isListed ? 1 : 0, slots: onOpenPage(facts.collection.minted) } };
};

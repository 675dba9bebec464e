import { blake2s } from "@noble/hashes/blake2.js";
import type { ContractCollection } from "../contract/views.ts";
import { callGas, readGas, writeGas } from "./protocol.ts";
import {
  COLLECTION_KEY,
  headerBytes,
  onOpenPage,
  ROOT,
  ROOT_KEY,
  storedAccount,
  storedName,
} from "./records.ts";
import type { Work } from "./work.ts";

/** Arguments of the allowlist's calls. */
export interface AllowlistArguments {
  readonly collection_id: number;
  readonly account_ids?: readonly string[];
}

/** What the gas of a change of an allowlist depends on. */
export interface AllowlistFacts {
  readonly collection: ContractCollection;
  /** How many of the accounts are on the list. */
  readonly listed: number;
}

const BUCKET_KEY = 13;
const ENTRY = 12;
/** Accounts of a bucket on average. */
const LOAD = 256;
/** The list's own record. */
const LIST = 12;
const SLOT = 20;

const begun = (method: string, bytes: number, collection: ContractCollection): number =>
  callGas(method, bytes) +
  readGas(ROOT_KEY, ROOT) +
  readGas(COLLECTION_KEY, headerBytes(collection) + onOpenPage(collection.minted) * SLOT) +
  readGas(COLLECTION_KEY, collection.allowlisted === 0 ? null : LIST);

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
  { collection, listed }: AllowlistFacts,
): Work => {
  const before = collection.allowlisted;
  const added = accounts.length - listed;
  const buckets = Math.ceil(before / LOAD);
  const wanted = Math.max(buckets, Math.ceil((before + accounts.length) / LOAD));
  const into = touched(wanted, accounts);
  let host = begun("allowlist_add", bytes, collection);
  const size = (part: number) => before * part * ENTRY;
  if (before === 0) {
    host += sumOf(into, ({ come }) => writeGas(BUCKET_KEY, come * ENTRY, null));
  } else {
    for (let at = buckets; at < wanted; at++) {
      const parent = (before / at) * ENTRY;
      host += readGas(BUCKET_KEY, parent);
      host += writeGas(BUCKET_KEY, parent / 2, parent) + writeGas(BUCKET_KEY, parent / 2, null);
    }
    host += sumOf(into, ({ part }) => readGas(BUCKET_KEY, size(part)));
    host += sumOf(into, ({ part, come }) => {
      const fresh = come * (added / accounts.length);
      const isChanged = 1 - (listed / accounts.length) ** come;
      return isChanged * writeGas(BUCKET_KEY, size(part) + fresh * ENTRY, size(part));
    });
  }
  host += writeGas(COLLECTION_KEY, LIST, before === 0 ? null : LIST);
  if (added > 0) host += writeGas(ROOT_KEY, ROOT, ROOT);
  return {
    host,
    counts: {
      ...accountsWork(accounts, bytes),
      compared: sumOf(into, ({ part, come }) => come * before * part),
      moved: wanted > buckets && before > 0 ? (before / buckets) * (wanted - buckets) : 0,
      entries: sumOf(into, ({ part }) => before * part),
    },
  };
};

/** What removing accounts does. */
export const removeWork = (
  { account_ids: accounts = [] }: AllowlistArguments,
  bytes: number,
  { collection, listed }: AllowlistFacts,
): Work => {
  const before = collection.allowlisted;
  const buckets = Math.max(1, Math.ceil(before / LOAD));
  const into = before === 0 ? [] : touched(buckets, accounts);
  const size = (part: number) => before * part * ENTRY;
  let host = begun("allowlist_remove", bytes, collection);
  host += sumOf(into, ({ part }) => readGas(BUCKET_KEY, size(part)));
  if (listed > 0) {
    host += sumOf(into, ({ part, come }) => {
      const gone = come * (listed / accounts.length);
      const isChanged = 1 - (1 - listed / accounts.length) ** come;
      return isChanged * writeGas(BUCKET_KEY, Math.max(0, size(part) - gone * ENTRY), size(part));
    });
    host += writeGas(COLLECTION_KEY, LIST, LIST) + writeGas(ROOT_KEY, ROOT, ROOT);
  }
  // An entry that is found is compared with half of the accounts of its bucket, on average.
  const met = before === 0 ? 0 : 1 - listed / before / 2;
  return {
    host,
    counts: {
      ...accountsWork(accounts, bytes),
      compared: sumOf(into, ({ part, come }) => come * before * part) * met,
      entries: sumOf(into, ({ part }) => before * part),
      listed,
    },
  };
};

/** What clearing a list does. */
export const clearWork = (bytes: number, collection: ContractCollection): Work => {
  let host = begun("allowlist_clear", bytes, collection);
  if (collection.allowlisted > 0) {
    host += writeGas(COLLECTION_KEY, LIST + 8, LIST) + writeGas(ROOT_KEY, ROOT, ROOT);
  }
  return { host, counts: { cleared: collection.allowlisted > 0 ? 1 : 0 } };
};

import { BYTE_PRICE, promisedBytes, RECORD_BYTES } from "../../domain/promised-bytes.ts";
import type { ContractCollection, ContractDrop, ContractToken } from "../contract/views.ts";
import { callGas, readGas, removeGas, writeGas } from "./protocol.ts";
import {
  COLLECTION_KEY,
  headerBytes,
  onOpenPage,
  pageBytes,
  ROOT,
  ROOT_KEY,
  rootGas,
  slotOf,
} from "./records.ts";
import { type Place, wayTo } from "./trie.ts";
import { lackOf, type Work } from "./work.ts";

/** Arguments of `drop_extend`, as far as what it takes depends on them. */
export interface DropArguments {
  readonly links?: number;
  /** yoctoNEAR. */
  readonly reserve?: string;
}

/** As `DropArguments`, of `drop_create`. */
export interface NewDropArguments extends DropArguments {
  readonly links: number;
  readonly quantity: number;
}

/** What the gas of a call for a drop depends on. */
export interface DropFacts {
  readonly collection: ContractCollection;
  readonly place: Place;
  readonly mostCopies: number;
  /** The tokens of the page that is being filled. */
  readonly open: readonly ContractToken[];
  /** The drop as it is; null: it is to be made. */
  readonly drop: ContractDrop | null;
}

/** A drop's record without a bit for each link. */
const DROP = 61;

const dropBytes = (links: number): number => DROP + Math.ceil(links / 8);

/** What all of them read: the root, the collection, and the drop. */
const begun = (method: string, bytes: number, { collection, mostCopies, open, drop }: DropFacts): number => {
  const page = onOpenPage(collection.minted) === 0 ? [] : open;
  const header = headerBytes(collection.assets, mostCopies) + pageBytes(page.map(slotOf), collection.assets);
  const known = drop === null ? 0 : readGas(COLLECTION_KEY, dropBytes(drop.links));
  return callGas(method, bytes) + readGas(ROOT_KEY, ROOT) + readGas(COLLECTION_KEY, header) + known;
};

const countsOf = (bytes: number, facts: DropFacts, links: number) => ({
  argument: bytes,
  links,
  slots: onOpenPage(facts.collection.minted),
});

/** What making a drop does. */
export const dropCreateWork = (args: NewDropArguments, bytes: number, facts: DropFacts): Work => {
  const { links } = args;
  const value = dropBytes(links);
  const nodes = wayTo(facts.place, [2], [[1]]);
  const host =
    begun("drop_create", bytes, facts) +
    writeGas({ key: COLLECTION_KEY, value, old: null, nodes }) +
    rootGas(facts.place);
  const record = RECORD_BYTES + COLLECTION_KEY + value;
  const reserved = reservedBytes({ ...args, links }, facts);
  return { host, counts: countsOf(bytes, facts, links), lack: lackOf(record + reserved) };
};

/** What adding to a drop does. */
export const dropExtendWork = (
  args: DropArguments,
  bytes: number,
  facts: DropFacts & { readonly drop: ContractDrop },
): Work => {
  const before = facts.drop.links;
  const links = args.links ?? before;
  const [old, value] = [dropBytes(before), dropBytes(links)];
  const nodes = wayToDrop(facts);
  const { claimed, quantity, reserve } = facts.drop;
  const reserved = reservedBytes({ reserve: "0", ...args, links: links - claimed, quantity }, facts, reserve);
  const isBooked = old !== value || reserved > 0;
  const host =
    begun("drop_extend", bytes, facts) +
    writeGas({ key: COLLECTION_KEY, value, old, nodes }) +
    (isBooked ? rootGas(facts.place) : 0);
  return { host, counts: countsOf(bytes, facts, links), lack: lackOf(value - old + reserved) };
};

/** Bytes that are promised to a drop's tokens: what the reserve pays for, up to what the links that are left can need. */
const reservedBytes = (
  { links, quantity, reserve }: NewDropArguments,
  { collection }: Pick<DropFacts, "collection">,
  before = "0",
): number => {
  const tokens = Math.min(links * quantity, collection.total - collection.minted);
  const missing = Math.max(tokens * promisedBytes(collection) - bytesFor(before), 0);
  return reserve === undefined ? missing : Math.min(bytesFor(reserve), missing);
};

/** Bytes that an amount of yoctoNEAR pays for. */
const bytesFor = (amount: string): number => Number(BigInt(amount) / BYTE_PRICE);

/** What closing a drop does. */
export const dropCloseWork = (bytes: number, facts: DropFacts & { readonly drop: ContractDrop }): Work => {
  const old = dropBytes(facts.drop.links);
  const nodes = wayToDrop(facts);
  const host =
    begun("drop_close", bytes, facts) + removeGas({ key: COLLECTION_KEY, old, nodes }) + rootGas(facts.place);
  return { host, counts: countsOf(bytes, facts, facts.drop.links) };
};

/** Nodes on the way to a drop's record, beside another one. */
const wayToDrop = ({
  place,
  drop: { drop_id: id },
}: {
  readonly place: Place;
  readonly drop: ContractDrop;
}): number => wayTo(place, [id], [[id], [id + 1]]);

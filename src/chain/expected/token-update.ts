import { RECORD_BYTES } from "../../domain/promised-bytes.ts";
import type { ContractAsset, ContractCollection, ContractToken } from "../contract/views.ts";
import { isChanged, ownOf } from "./own-metadata.ts";
import { callGas, logGas, readGas, removeGas, writeGas } from "./protocol.ts";
import {
  COLLECTION_KEY,
  digestsIn,
  fieldBytes,
  headerBytes,
  NUMBERED_KEY,
  numberOf,
  onOpenPage,
  PAGE_TOKENS,
  pageBytes,
  ROOT,
  ROOT_KEY,
  rootGas,
  slotOf,
} from "./records.ts";
import { type Place, wayToCollection, wayToOwn } from "./trie.ts";
import { lackOf, type Work } from "./work.ts";

/** Arguments of `nft_update`. */
export interface UpdateArguments {
  readonly token_id: string;
  readonly title?: string | null;
  readonly subtitle?: string | null;
  readonly description?: string | null;
  readonly extra?: string | null;
  readonly copies?: number | null;
  readonly media?: object | null;
  readonly reference?: object | null;
}

/** What the gas of a token's update depends on. */
export interface UpdateFacts {
  readonly collection: ContractCollection;
  readonly place: Place;
  readonly mostCopies: number;
  readonly assets: readonly ContractAsset[] | null;
  /** The tokens of its page. */
  readonly page: readonly ContractToken[];
}

const EVENT = 109;
const MARKS = 4;

/** What an update of a token does. */
export const tokenUpdateWork = (args: UpdateArguments, bytes: number, facts: UpdateFacts): Work => {
  const { collection, place, page, mostCopies } = facts;
  const { minted } = collection;
  const token = page.find(({ token_id: id }) => id === args.token_id);
  const number = Number(args.token_id.split(":")[1]);
  const isOpen = number > minted - onOpenPage(minted);
  const onPage = pageBytes(page.map(slotOf), collection.assets) + MARKS;
  const open = isOpen ? onPage : 6 + onOpenPage(minted) * (5 + onPage / PAGE_TOKENS);
  const header = headerBytes(collection.assets, mostCopies) + (onOpenPage(minted) === 0 ? 0 : open);
  const { token_id: _, ...changes } = args;
  const { old, next } = ownBytes(changes, token, facts);
  const marked = page.filter((other) => ownOf(other, facts) !== null).map((other) => [numberOf(other)]);
  const key = NUMBERED_KEY;
  const nodes = wayToOwn(place, [number], marked);
  const isMarked = old > 0 !== next > 0;
  const full = Array.from({ length: Math.floor(minted / PAGE_TOKENS) }, (_each, index) => [index]);
  const pageNodes = wayToOwn(place, [Math.floor((number - 1) / PAGE_TOKENS)], full);
  const before = old > 0 ? old : null;
  const host =
    callGas("nft_update", bytes) +
    readGas(ROOT_KEY, ROOT) +
    readGas(COLLECTION_KEY, header) +
    (isOpen ? 0 : readGas(key, onPage)) +
    (old > 0 ? readGas(key, old) : 0) +
    (next > 0 ? writeGas({ key, value: next, old: before, nodes }) : 0) +
    (next === 0 && old > 0 ? removeGas({ key, old, nodes }) : 0) +
    (isMarked && isOpen
      ? writeGas({ key: COLLECTION_KEY, value: header, old: header, nodes: wayToCollection(place) })
      : 0) +
    (isMarked && !isOpen ? writeGas({ key, value: onPage, old: onPage, nodes: pageNodes }) : 0) +
    (old === next ? 0 : rootGas(place)) +
    logGas(EVENT + args.token_id.length);
  return {
    host,
    counts: {
      argument: bytes,
      digests: digestsIn(changes),
      slots: isOpen ? 0 : page.length,
      header,
      marked: isMarked ? 1 : 0,
    },
    lack: lackOf(storedBytes(next) - storedBytes(old)),
  };
};

/** Bytes of storage that a token's own metadata take. */
const storedBytes = (record: number): number => (record === 0 ? 0 : RECORD_BYTES + NUMBERED_KEY + record);

/** Marks of the fields. */
const FIELDS = 7;
/** Whether it is locked, and when it was changed. */
const CHANGED = 5;

/** Bytes of a record of a token's own metadata, of such texts, files and copies. */
const recordBytes = (fields: Readonly<Record<string, unknown>>, isChanged: boolean): number =>
  FIELDS +
  (isChanged ? CHANGED : 0) +
  Object.values(fields).reduce((sum: number, value) => sum + fieldBytes(value), 0);

/** Bytes of a token's own metadata before and after an update; 0: it has none. */
const ownBytes = (
  changes: Omit<UpdateArguments, "token_id">,
  token: ContractToken | undefined,
  facts: UpdateFacts,
): { readonly old: number; readonly next: number } => {
  const old = token ? ownOf(token, facts) : null;
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const after = { ...old, ...given };
  const isOwn = Object.values(after).some((value) => value !== null);
  return {
    old: old === null ? 0 : recordBytes(old, token !== undefined && isChanged(token, facts.page)),
    next: isOwn ? recordBytes(after, true) : 0,
  };
};

import type { ContractCollection, ContractToken } from "../contract/views.ts";
import { callGas, logGas, readGas, writeGas } from "./protocol.ts";
import {
  COLLECTION_KEY,
  headerBytes,
  NUMBERED_KEY,
  onOpenPage,
  PAGE_TOKENS,
  pageBytes,
  ROOT,
  ROOT_KEY,
  slotOf,
} from "./records.ts";
import type { Work } from "./work.ts";

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
  /** The tokens of its page. */
  readonly page: readonly ContractToken[];
}

const EVENT = 95;
const FILE = 34;

/** What an update of a token does. */
export const tokenUpdateWork = (args: UpdateArguments, bytes: number, facts: UpdateFacts): Work => {
  const { collection, page } = facts;
  const number = Number(args.token_id.split(":")[1]);
  const token = page.find(({ token_id: id }) => id === args.token_id);
  const isOpen = number > collection.minted - onOpenPage(collection.minted);
  const onPage = pageBytes(page.map(slotOf), collection.assets);
  const open = isOpen ? onPage : 6 + onOpenPage(collection.minted) * (5 + onPage / PAGE_TOKENS);
  const header = headerBytes(collection) + open;
  const { token_id: _, ...changes } = args;
  const { old, next } = ownBytes(changes, token, facts);
  let host = callGas("nft_update", bytes) + readGas(ROOT_KEY, ROOT) + readGas(COLLECTION_KEY, header);
  if (!isOpen) host += readGas(NUMBERED_KEY, onPage);
  if (old > 0) host += readGas(NUMBERED_KEY, old);
  if (next > 0) host += writeGas(NUMBERED_KEY, next, old > 0 ? old : null);
  if (next === 0 && old > 0) host += 60 + 5 * 2.28;
  const isMarked = old > 0 !== next > 0;
  if (isMarked) {
    host += isOpen ? writeGas(COLLECTION_KEY, header, header) : writeGas(NUMBERED_KEY, onPage + 4, onPage);
  }
  if (old !== next) host += writeGas(ROOT_KEY, ROOT, ROOT);
  host += logGas(EVENT + args.token_id.length);
  return {
    host,
    counts: {
      argument: bytes,
      slots: isOpen ? 0 : page.length,
      open: onOpenPage(collection.minted),
      override: next + old,
      marked: isMarked ? 1 : 0,
    },
  };
};

/** Names of a token's own texts, and what it shows of them; null: it shows its asset's and its collection's. */
const ownTexts = (
  token: ContractToken,
  { collection, page }: UpdateFacts,
): Readonly<Record<string, string | null>> | null => {
  const { title, description, extra, copies } = token.metadata;
  const oldest = Math.min(...page.map(({ metadata }) => Number(metadata.updated_at ?? 0)));
  const hasTitle = title !== null && !title.startsWith(collection.title);
  const own = {
    title: hasTitle ? title : null,
    description: description === collection.description ? null : description,
    extra,
  };
  const isUpdated = Number(token.metadata.updated_at ?? 0) > oldest;
  const isOwn = isUpdated || copies !== collection.total || Object.values(own).some((text) => text !== null);
  if (!isOwn) return null;
  const rest = hasTitle || title === null ? "" : title.slice(collection.title.length + 1);
  return { ...own, subtitle: isUpdated && rest !== "" ? rest : null };
};

/** Bytes of a record of a token's own metadata, of such texts and so many files. */
const recordBytes = (texts: Readonly<Record<string, string | null>>, files: number): number =>
  12 +
  files * FILE +
  Object.values(texts).reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text) + 1), 0);

/** Bytes of a token's own metadata before and after an update; 0: it has none. */
const ownBytes = (
  changes: Omit<UpdateArguments, "token_id">,
  token: ContractToken | undefined,
  facts: UpdateFacts,
): { readonly old: number; readonly next: number } => {
  const before = token ? ownTexts(token, facts) : null;
  const { media, reference, copies, ...texts } = changes;
  const files = [media, reference].filter((file) => file != null).length;
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
  const after = { ...before, ...given };
  const keepsCopies = copies === undefined && token?.metadata.copies !== facts.collection.total;
  const isOwn =
    files > 0 || copies != null || keepsCopies || Object.values(after).some((text) => text !== null);
  return {
    old: before === null ? 0 : recordBytes(before, 0),
    next: isOwn ? recordBytes(after, files) : 0,
  };
};

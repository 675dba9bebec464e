/** Bytes of the contract's records (docs/contract.md, "Records"), from what its views show. */
import { indexBytes, varintBytes } from "../../domain/promised-bytes.ts";
import type { ContractSettingsView } from "../contract/settings.ts";
import type { ContractToken } from "../contract/views.ts";
import { writeGas } from "./protocol.ts";
import { type Place, wayToRoot } from "./trie.ts";

/** An account as records name it: an implicit one by its key. */
export const storedName = (account: string): number => (isImplicit(account) ? 33 : account.length + 1);

/** An account as records have it: the tag of its form, and its bytes. */
export const storedAccount = (account: string): Uint8Array =>
  isImplicit(account)
    ? Buffer.concat([Buffer.of(IMPLICIT), Buffer.from(account, "hex")])
    : Buffer.concat([Buffer.of(account.length), Buffer.from(account)]);

const IMPLICIT = 0xa0;

const isImplicit = (account: string): boolean => /^[0-9a-f]{64}$/.test(account);

/** Accounts of which a key has the whole name; of others it has a digest. */
const PLAIN_NAME = 16;
const DIGEST_KEY = 18;

/** The key of the record of an account's list. */
export const listKey = (account: string): number =>
  account.length <= PLAIN_NAME ? account.length + 1 : DIGEST_KEY;

/** The key of a record of a collection, and of a numbered one. */
export const COLLECTION_KEY = 5;
export const NUMBERED_KEY = 9;

/** The contract's root record, of an owner and a platform with names of the usual length. */
export const ROOT = 120;
export const ROOT_KEY = 1;

/** Writing the root record. */
export const rootGas = (place: Pick<Place, "depth">): number =>
  writeGas({ key: ROOT_KEY, value: ROOT, old: ROOT, nodes: wayToRoot(place) });

const TOKENS_OF_PAGE = 32;

/** A token's place on a page. */
export interface Slot {
  readonly owner: string;
  /** When it was minted. */
  readonly at: string | null;
}

/** The place of a token on its page. */
export const slotOf = ({ owner_id: owner, metadata }: ContractToken): Slot => ({
  owner,
  at: metadata.issued_at,
});

/** A token's number in its collection. */
export const numberOf = ({ token_id: id }: ContractToken): number => Number(id.slice(id.indexOf(":") + 1));

/** A page of tokens by their owners and the seconds of their mints. */
export const pageBytes = (tokens: readonly Slot[], assets: number): number => {
  if (tokens.length === 0) return 0;
  const names = [...new Set(tokens.map(({ owner }) => owner))].reduce(
    (sum, name) => sum + storedName(name),
    0,
  );
  const times = tokens.filter(({ at }, place) => at !== tokens[place - 1]?.at).length;
  return 6 + names + times * 4 + tokens.length * (indexBytes(assets) + 3);
};

/** Where the remaining copies lie: in the header, or on pages. */
export interface CopiesLayout {
  readonly pages: number;
  /** Of a page; in the header where there are no pages. */
  readonly bytes: number;
}

const INLINE_COPIES = 1_536;
const COPIES_PAGE = 2_048;
const COPIES_PAGES = 16;

/** How the remaining copies of assets are laid out that began with so many copies at most. */
export const copiesLayout = (assets: number, mostCopies: number): CopiesLayout => {
  const width = [1, 2, 4, 8, 16].find((bits) => mostCopies < 2 ** bits) ?? 32;
  const all = Math.ceil(assets / (64 / width)) * 8;
  if (all <= INLINE_COPIES) return { pages: 0, bytes: all };
  const count = Math.min(Math.ceil(all / COPIES_PAGE), COPIES_PAGES);
  const bytes = Math.ceil(all / 8 / count) * 8;
  return { pages: Math.ceil(assets / ((bytes * 8) / width)), bytes };
};

/** A collection's header, without the page that is being filled. */
export const headerBytes = (assets: number, mostCopies: number): number => {
  const { pages, bytes } = copiesLayout(assets, mostCopies);
  return 36 + (pages === 0 ? bytes : pages * 4);
};

/** How many tokens lie on the page in the header. */
export const onOpenPage = (minted: number): number => minted % TOKENS_OF_PAGE;
export const PAGE_TOKENS = TOKENS_OF_PAGE;

const text = (value: string): number => {
  const bytes = Buffer.byteLength(value);
  return varintBytes(bytes) + bytes;
};
const texts = (list: readonly string[] | null): number =>
  list === null ? 0 : list.reduce((sum, each) => sum + text(each), varintBytes(list.length));
const shares = (royalties: Readonly<Record<string, number>> | null): number =>
  Object.keys(royalties ?? {}).reduce((sum, account) => sum + text(account) + 2, 1);
const config = (value: ContractSettingsView["public_mint_config"]): number =>
  value === null
    ? 1
    : 20 +
      (value.starts_at_ms === null ? 0 : 8) +
      (value.ends_at_ms === null ? 0 : 8) +
      (value.limit_per_account === null ? 0 : varintBytes(value.limit_per_account));

/** What a direct mint reads of a collection's settings. */
export const rulesBytes = (settings: ContractSettingsView): number =>
  config(settings.public_mint_config) +
  config(settings.private_mint_config) +
  texts(settings.bypass_mint_fee_accounts) +
  shares(settings.initial_royalties);

/** What views and approvals read of a collection's settings, before any change. */
export const detailsBytes = (settings: ContractSettingsView): number =>
  19 +
  text(settings.title) +
  (settings.description === null ? 0 : text(settings.description)) +
  shares(settings.ongoing_royalties);

/** A collection's lists of accounts for approvals and transfers; null: it has none, and no record of them. */
export const listsBytes = ({
  approvals_allowed_accounts: allowed,
  approvals_denied_accounts: denied,
  transfers_denied_accounts: transfers,
}: ContractSettingsView): number | null => {
  const lists = [allowed, denied, transfers];
  return lists.every((list) => list === null) ? null : lists.reduce((sum, list) => sum + 1 + texts(list), 0);
};

/** Bytes of a field of a token's own metadata, behind its mark: a text, a number, or a file. */
export const fieldBytes = (value: unknown): number => {
  if (value === null || value === undefined) return 0;
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return varintBytes(value);
  return (value as { readonly root?: string | null }).root ? 65 : 33;
};

/** Digests that metadata bring, of which the contract reads the base64. */
export const digestsIn = (metadata: object): number =>
  Object.values(metadata).reduce(
    (sum: number, value: unknown) =>
      sum + (typeof value === "object" && value !== null ? ("root" in value && value.root ? 2 : 1) : 0),
    0,
  );

/** Bytes of the ids of consecutive tokens as a JSON list. */
export const idsBytes = (collectionId: number, first: number, count: number): number => {
  let bytes = 1;
  for (let number = first; number < first + count; number++) bytes += `"${collectionId}:${number}",`.length;
  return bytes;
};

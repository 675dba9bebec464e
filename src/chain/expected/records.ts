/** Bytes of the contract's records (docs/contract.md, "Records"), from what its views show. */
import type { ContractSettingsView } from "../contract/settings.ts";
import type { ContractToken } from "../contract/views.ts";

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

/** Bytes of a number as LEB128. */
export const varint = (value: number): number =>
  value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4;

/** The key of a record of a collection, and of a numbered one. */
export const COLLECTION_KEY = 5;
export const NUMBERED_KEY = 9;

/** The contract's root record, of an owner and a platform with names of the usual length. */
export const ROOT = 120;
export const ROOT_KEY = 1;

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

/** A page of tokens by their owners and the seconds of their mints. */
export const pageBytes = (tokens: readonly Slot[], assets: number): number => {
  if (tokens.length === 0) return 0;
  const names = [...new Set(tokens.map(({ owner }) => owner))].reduce(
    (sum, name) => sum + storedName(name),
    0,
  );
  const times = tokens.filter(({ at }, place) => at !== tokens[place - 1]?.at).length;
  return 6 + names + times * 4 + tokens.length * (assetWidth(assets) + 3);
};

const assetWidth = (assets: number): number =>
  assets <= 1 ? 0 : assets <= 0x100 ? 1 : assets <= 0x1_0000 ? 2 : 4;

/** Where the remaining copies lie: in the header, or on pages. */
export interface CopiesLayout {
  readonly pages: number;
  /** Of a page; in the header where there are no pages. */
  readonly bytes: number;
}

const INLINE_COPIES = 1_536;
const COPIES_PAGE = 2_048;
const COPIES_PAGES = 16;

/** How remaining copies are laid out, as if all assets had alike many. */
export const copiesLayout = ({ assets, total }: { assets: number; total: number }): CopiesLayout => {
  const width = [1, 2, 4, 8, 16].find((bits) => Math.ceil(total / Math.max(assets, 1)) < 2 ** bits) ?? 32;
  const all = Math.ceil(assets / (64 / width)) * 8;
  if (all <= INLINE_COPIES) return { pages: 0, bytes: all };
  const count = Math.min(Math.ceil(all / COPIES_PAGE), COPIES_PAGES);
  const bytes = Math.ceil(all / 8 / count) * 8;
  return { pages: Math.ceil(all / bytes), bytes };
};

/** A collection's header, without the page that is being filled. */
export const headerBytes = (collection: { assets: number; total: number }): number => {
  const { pages, bytes } = copiesLayout(collection);
  return 36 + (pages === 0 ? bytes : pages * 4);
};

/** How many tokens lie on the page in the header. */
export const onOpenPage = (minted: number): number => minted % TOKENS_OF_PAGE;
export const PAGE_TOKENS = TOKENS_OF_PAGE;

const text = (value: string): number => {
  const bytes = Buffer.byteLength(value);
  return varint(bytes) + bytes;
};
const texts = (list: readonly string[] | null): number =>
  list === null ? 0 : list.reduce((sum, each) => sum + text(each), varint(list.length));
const shares = (royalties: Readonly<Record<string, number>> | null): number =>
  Object.keys(royalties ?? {}).reduce((sum, account) => sum + text(account) + 2, 1);
const config = (value: ContractSettingsView["public_mint_config"]): number =>
  value === null
    ? 1
    : 20 +
      (value.starts_at_ms === null ? 0 : 8) +
      (value.ends_at_ms === null ? 0 : 8) +
      (value.limit_per_account === null ? 0 : varint(value.limit_per_account));

/** What a direct mint reads of a collection's settings. */
export const rulesBytes = (settings: ContractSettingsView): number =>
  config(settings.public_mint_config) +
  config(settings.private_mint_config) +
  texts(settings.bypass_mint_fee_accounts) +
  shares(settings.initial_royalties);

/** What views, approvals and transfers read of a collection's settings. */
export const detailsBytes = (settings: ContractSettingsView): number =>
  22 +
  text(settings.title) +
  (settings.description === null ? 0 : text(settings.description)) +
  shares(settings.ongoing_royalties) +
  texts(settings.approvals_allowed_accounts) +
  texts(settings.approvals_denied_accounts) +
  texts(settings.transfers_denied_accounts);

/** Bytes of the ids of consecutive tokens as a JSON list. */
export const idsBytes = (collectionId: number, first: number, count: number): number => {
  let bytes = 1;
  for (let number = first; number < first + count; number++) bytes += `"${collectionId}:${number}",`.length;
  return bytes;
};

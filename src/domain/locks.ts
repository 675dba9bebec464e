import { ServiceError } from "./errors.ts";
import type { Issue } from "./issues.ts";
import { basisPoints } from "./royalties.ts";
import type { CollectionSettings, Royalties, SettingsChanges } from "./settings.ts";

/** One-way promises to holders, by the names that the contract gives them (docs/contract.md, "Locks"). */
export const LOCKS = ["metadata", "supply", "royalties", "transfers", "code"] as const;

export type Lock = (typeof LOCKS)[number];

/** Locks of a collection; `assets`: those of the metadata of some of its assets, one by one. */
export type LockRecord = Readonly<Partial<Record<Lock | "assets", true>>>;

/** Locks as a row has them. @param lockedAssets how many assets are locked one by one, as far as known */
export const lockRecord = (locks: readonly Lock[], lockedAssets = 0): LockRecord => ({
  ...Object.fromEntries(locks.map((lock) => [lock, true])),
  ...(lockedAssets > 0 && { assets: true }),
});

/** What locks forbid, in the contract's words. */
export const FORBIDDEN = {
  supply: "supply is locked: nothing is minted in this collection any more.",
  texts:
    "metadata is locked, of this collection or of some of its assets: title and description stay as they are.",
  royalties: "royalties are locked: ongoing_royalties keep their accounts and their shares.",
  transfers:
    "transfers are locked: transfers and approvals of this collection may only be allowed to more accounts.",
  metadata: "metadata is locked: tokens of this collection show what they show for good.",
  token: "metadata is locked: this token, or an asset that it may have, shows what it shows for good.",
} as const;

/** The refusal of what a lock forbids, before anything is sent. @param issues the fields that it is about; none: all of it */
export const lockedError = (message: string, issues: readonly Issue[] = []): ServiceError =>
  new ServiceError("conflict", `E_LOCKED: ${message}`, {
    ...(issues.length > 0 && { issues }),
    outcome: "not_submitted",
  });

/** Settings that a lock keeps, or lets change in one direction. */
const KEPT: Readonly<Record<"texts" | "royalties" | "transfers", readonly (keyof SettingsChanges)[]>> = {
  texts: ["title", "description"],
  royalties: ["ongoing_royalties"],
  transfers: [
    "allow_transfers",
    "allow_approvals",
    "transfers_denied_accounts",
    "approvals_denied_accounts",
    "approvals_allowed_accounts",
  ],
};

/** The locks that may forbid a change of settings, whatever the settings are. */
export const locksAgainst = (changes: SettingsChanges): (keyof LockRecord)[] => {
  const touches = (names: readonly (keyof SettingsChanges)[]) =>
    names.some((name) => changes[name] !== undefined);
  return [
    ...(touches(KEPT.texts) ? (["metadata", "assets"] as const) : []),
    ...(touches(KEPT.royalties) ? (["royalties"] as const) : []),
    ...(touches(KEPT.transfers) ? (["transfers"] as const) : []),
  ];
};

const pays = (royalties: Royalties): string =>
  JSON.stringify(
    Object.entries(royalties)
      .map(([account, percent]) => [account, basisPoints(percent)])
      .sort(),
  );

type Accounts = readonly string[] | null;

const namesMore = (list: Accounts, other: Accounts): boolean => {
  const known = new Set(other);
  return (list ?? []).some((account) => !known.has(account));
};

/** Whether transfers or approvals are possible to fewer accounts after a change of this field, as the contract sees it. */
const narrows = (
  name: keyof SettingsChanges,
  before: CollectionSettings,
  after: CollectionSettings,
): boolean => {
  switch (name) {
    case "allow_transfers":
    case "allow_approvals":
      return before[name] && !after[name];
    case "transfers_denied_accounts":
    case "approvals_denied_accounts":
      return namesMore(after[name], before[name]);
    case "approvals_allowed_accounts":
      return after[name] !== null && (before[name] === null || namesMore(before[name], after[name]));
    default:
      return false;
  }
};

/** The fields of a change that locks forbid, as the contract's `collection_update` would refuse them. */
export const lockedChanges = (
  locks: LockRecord,
  before: CollectionSettings,
  changes: SettingsChanges,
): Issue[] => {
  const after = { ...before, ...changes } as CollectionSettings;
  const forbidden = (names: readonly (keyof SettingsChanges)[], message: string) =>
    names.map((name) => ({ path: [name], message }));
  const texts = KEPT.texts.filter((name) => after[name as "title"] !== before[name as "title"]);
  const royalties = pays(after.ongoing_royalties) === pays(before.ongoing_royalties) ? [] : KEPT.royalties;
  const transfers = KEPT.transfers.filter((name) => narrows(name, before, after));
  return [
    ...(locks.metadata || locks.assets ? forbidden(texts, FORBIDDEN.texts) : []),
    ...(locks.royalties ? forbidden(royalties, FORBIDDEN.royalties) : []),
    ...(locks.transfers ? forbidden(transfers, FORBIDDEN.transfers) : []),
  ];
};

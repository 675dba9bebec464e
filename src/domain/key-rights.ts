import { ServiceError } from "./errors.ts";
import type { Uuid } from "./ids.ts";
import type { Issue } from "./issues.ts";

/**
 * What a key may do. `drafts`: drafts and their finalization; `mint`: who gets NFTs: mints, allowlist, claim links, transfers;
 * `update`: NFTs' metadata and burns, and the page; `settings`: royalties, prices, locks, reveals, transfer rules; `money`:
 * payouts.
 */
const SCOPES = ["drafts", "mint", "update", "settings", "money", "webhooks", "read"] as const;

/** Scopes of keys. `full` is all of them, and keys and the audit log as well. */
export const KEY_SCOPES = [...SCOPES, "full"] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/** The scope that a request needs; `any`: whatever the key's scopes are. */
export type NeededScope = KeyScope | "any";

/** A limit of the spending of a day (UTC), yoctoNEAR, of the key that it was set for. */
export interface Budget {
  readonly key: Uuid;
  readonly perDay: string;
}

/** The limits of a key; null: none. Amounts are yoctoNEAR. */
export interface KeyRights {
  readonly scopes: readonly KeyScope[];
  /** The collections that it may see and change. */
  readonly collections: readonly Uuid[] | null;
  readonly spendingPerDay: string | null;
  /** The cost of a write of an agent above which a person has to confirm it. */
  readonly confirmAbove: string | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null;
}

/** Whether scopes include the one that a request needs. */
export const hasScope = (scopes: readonly KeyScope[], needed: NeededScope): boolean =>
  needed === "any" || scopes.includes("full") || scopes.includes(needed);

/** Whether a key may see and change a collection. */
export const mayReach = ({ collections }: Pick<KeyRights, "collections">, id: string): boolean =>
  collections === null || (collections as readonly string[]).includes(id);

/** Whether a limit is wider than another; null: none. */
const isWider = (wanted: bigint | null, own: bigint | null): boolean =>
  own !== null && (wanted === null || wanted > own);

const amount = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

/** The fields in which a key's rights would exceed those of the key that makes, rotates or deletes it. */
export const rightsBeyond = (wanted: KeyRights, own: KeyRights): Issue[] => {
  const scopes = wanted.scopes.flatMap((scope, index) =>
    hasScope(own.scopes, scope) ? [] : [{ path: ["scopes", index], message: `Your key lacks ${scope}.` }],
  );
  const collections =
    wanted.collections === null
      ? own.collections === null
        ? []
        : [{ path: ["collections"], message: "Name some of your key's own collections." }]
      : wanted.collections.flatMap((id, index) =>
          mayReach(own, id)
            ? []
            : [{ path: ["collections", index], message: "Your key is limited to other collections." }],
        );
  const most = (path: string, isBeyond: boolean, what: string) =>
    isBeyond ? [{ path: [path], message: `Give at most ${what}, as your key has.` }] : [];
  const expiry = own.expiresAt === null ? "" : new Date(own.expiresAt).toISOString();
  return [
    ...scopes,
    ...collections,
    ...most(
      "spending_per_day",
      isWider(amount(wanted.spendingPerDay), amount(own.spendingPerDay)),
      `${own.spendingPerDay}`,
    ),
    ...most(
      "confirm_above",
      isWider(amount(wanted.confirmAbove), amount(own.confirmAbove)),
      `${own.confirmAbove}`,
    ),
    ...most(
      "expires_at",
      own.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > own.expiresAt),
      expiry,
    ),
  ];
};

/** All budgets that count a key's spending: its own, and those of the keys that it was made by. */
export const budgetsOf = (
  id: Uuid,
  {
    spendingPerDay,
    makerBudgets,
  }: Pick<KeyRights, "spendingPerDay"> & { readonly makerBudgets: readonly Budget[] },
): readonly Budget[] =>
  spendingPerDay === null ? makerBudgets : [{ key: id, perDay: spendingPerDay }, ...makerBudgets];

/** Refuses a key without a scope. @throws ServiceError scope_missing */
export const requireScope = ({ scopes }: Pick<KeyRights, "scopes">, needed: NeededScope): void => {
  if (hasScope(scopes, needed)) return;
  throw new ServiceError(
    "scope_missing",
    `Use a key with the scope \`${needed}\`, which this one lacks. A key with the scope \`full\` makes one by POST /key, and so can the operator.`,
  );
};

const WHO_CAN =
  "A key with the scope `full` that isn't limited to collections makes one by POST /key, and so can the operator.";

/** Refuses a key that is limited to other collections. @throws ServiceError collection_not_allowed */
export const requireReach = (rights: Pick<KeyRights, "collections">, id: string): void => {
  if (mayReach(rights, id)) return;
  throw new ServiceError(
    "collection_not_allowed",
    `Use a key for this collection: this one is limited to others. ${WHO_CAN}`,
  );
};

/** Refuses a key that is limited to collections. @throws ServiceError collection_not_allowed */
export const requireUnlimited = ({ collections }: Pick<KeyRights, "collections">): void => {
  if (collections === null) return;
  throw new ServiceError(
    "collection_not_allowed",
    `Use a key that isn't limited to collections: the request concerns the whole integration. ${WHO_CAN}`,
  );
};

/** The endpoint of a request, as far as a key's rights concern it. */
export interface EndpointNeeds {
  readonly scope: NeededScope;
  /** Its handler itself keeps a limited key from other collections. */
  readonly limitsCollections: boolean;
  /** The collection in the path. */
  readonly collectionUuid: string | undefined;
}

/** Refuses a key that lacks an endpoint's scope or may not see its collection. @throws ServiceError scope_missing, collection_not_allowed */
export const requireRights = (
  rights: Pick<KeyRights, "scopes" | "collections">,
  { scope, limitsCollections, collectionUuid }: EndpointNeeds,
): void => {
  requireScope(rights, scope);
  if (collectionUuid !== undefined) requireReach(rights, collectionUuid.toLowerCase());
  else if (!limitsCollections) requireUnlimited(rights);
};

/** Short for a key's scopes. */
export const roleOf = (scopes: readonly KeyScope[]): "full" | "read" | "limited" => {
  if (scopes.includes("full")) return "full";
  return scopes.every((scope) => scope === "read") ? "read" : "limited";
};

import { ServiceError } from "./errors.ts";

/** Seconds in which a key may make as many requests as its limit says. */
export const REQUEST_PERIOD_S = 10;

/** What an integration may use where the operator has set nothing else. */
export const DEFAULT_LIMITS = {
  /** Requests of one key in `REQUEST_PERIOD_S`. */
  requests: 1_000,
  /** Drafts that are not finalized. */
  drafts: 1_000,
  /** Bytes of files that its assets and collections refer to: 50 GiB. */
  stored_bytes: 53_687_091_200,
  /** Bytes of its drafts, assets, kept answers, quotes and failed operations: 1 GiB, of a database that has 10 GB for all. */
  database_bytes: 1_073_741_824,
  /** Keys that are neither revoked nor expired. */
  keys: 100,
  /** Operations that are accepted and not yet over. */
  operations_waiting: 2_000,
} as const;

/** Name of a limit, as the API shows it. */
export type LimitName = keyof typeof DEFAULT_LIMITS;

/** The limits of an integration, all of them. */
export type Limits = Readonly<Record<LimitName, number>>;

/** What is counted by rows; requests are counted by the key's own object. */
export type UsedName = Exclude<LimitName, "requests">;

/** What an integration uses of its limits. */
export type Usage = Readonly<Record<UsedName, number>>;

/** Names of what is counted by rows. */
export const USED_NAMES = [
  "drafts",
  "stored_bytes",
  "database_bytes",
  "keys",
  "operations_waiting",
] as const satisfies readonly UsedName[];

/** The limits that hold, with those that the operator has set. */
export const limitsWith = (set: Partial<Limits> | null): Limits => ({ ...DEFAULT_LIMITS, ...set });

/** Seconds after which a waiting operation is likely to be over. */
const RETRY_AFTER = 5;

const EXCEEDED: Readonly<Record<UsedName, (used: string, limit: string) => string>> = {
  drafts: (used, limit) =>
    `This integration has ${used} drafts that are not finalized; its limit is ${limit}. Delete or finalize some`,
  stored_bytes: (used, limit) =>
    `This integration stores ${used} bytes of files; its limit is ${limit}, which this request would exceed. Delete drafts or assets`,
  database_bytes: (used, limit) =>
    `This integration's drafts, assets and kept answers take ${used} bytes; its limit is ${limit}. Delete drafts or assets, or wait until answers expire after a day`,
  keys: (used, limit) =>
    `This integration has ${used} keys that are neither revoked nor expired; its limit is ${limit}. Revoke some`,
  operations_waiting: (used, limit) =>
    `${used} operations of this integration are waiting; its limit is ${limit}. Wait until some are over`,
};

/** What a request is refused with that would exceed a limit: it says which, how much is used, and whom to ask. */
export const quotaExceeded = (limit: UsedName, used: number, max: number): ServiceError => {
  const numbers = [used, max].map((number) => number.toLocaleString("en")) as [string, string];
  const message = `${EXCEEDED[limit](...numbers)}, or ask the operator to raise the limit ${limit}.`;
  const details = { quota: { limit, used, max } };
  return limit === "operations_waiting"
    ? new ServiceError("too_many_operations", message, {
        ...details,
        outcome: "not_submitted",
        retryable: true,
        retryAfter: RETRY_AFTER,
      })
    : new ServiceError("quota_exceeded", message, details);
};

import { ServiceError } from "./errors.ts";

/** Limits of uploads and media. 1 MB is 1,048,576 bytes and 100 MB is 104,857,600, here and in every message. */

const MB = 1_048_576;

/** Bytes of an uploaded file, and of a JSON file at a URL. It is one IPFS block as well. */
export const MAX_FILE_BYTES = MB;

/** Most fields and list entries of a body, all levels together. The largest valid one has 1,000 updates of nine fields each. */
export const MAX_JSON_VALUES = 10_100;

/** Bytes of an asset-bulk body with all its boundaries and headers. */
export const MAX_UPLOAD_BYTES = 100 * MB;

export const MAX_UPLOAD_FILES = 20_000;

/** Asset details in one asset-bulk: as many as files, though several may share a file. */
export const MAX_ASSET_DETAILS = MAX_UPLOAD_FILES;

export const MAX_DETAIL_BYTES = 8 * MB;

export const MAX_MEDIA_URL_BYTES = 100 * MB;

/** Bytes of a file's name in UTF-8, as file systems and UnixFS tools take it. */
export const MAX_FILENAME_BYTES = 255;

/** Copies of one asset, and of all assets of a draft: the contract counts tokens in 32 bits. */
export const MAX_COPIES = 4_294_967_295;

/** Unicode code points of a subtitle. */
export const MAX_SUBTITLE_LENGTH = 256;

/** Period of the limit `requests`, seconds. */
export const REQUEST_PERIOD_S = 10;

/** Limits of an integration for which the operator has set no others. */
export const DEFAULT_LIMITS = {
  requests: 1_000,
  drafts: 1_000,
  /** Bytes of files that its assets and collections refer to: 50 GiB. */
  stored_bytes: 53_687_091_200,
  /** Bytes of its drafts, assets and stored responses: 1 GiB, of a database that has 10 GB for all. */
  database_bytes: 1_073_741_824,
  /** Keys that are neither revoked nor expired. */
  keys: 100,
  operations_waiting: 2_000,
  /** Entries of its audit log, of 700 bytes as a rule, kept for 400 days. They are no part of database_bytes. */
  audit_entries: 100_000,
} as const;

/** Name of a limit, as the API shows it. */
export type LimitName = keyof typeof DEFAULT_LIMITS;

export type Limits = Readonly<Record<LimitName, number>>;

/** Limits whose use the database has; requests are counted by the key's object. */
export type UsedName = Exclude<LimitName, "requests">;

export const USED_NAMES = [
  "drafts",
  "stored_bytes",
  "database_bytes",
  "keys",
  "operations_waiting",
  "audit_entries",
] as const satisfies readonly UsedName[];

/** All limits: those that the operator has set, and defaults. */
export const limitsWith = (set: Partial<Limits> | null): Limits => ({ ...DEFAULT_LIMITS, ...set });

/** Seconds after which a pending operation has probably ended. */
const RETRY_AFTER = 5;

const EXCEEDED: Readonly<Record<UsedName, (used: string, limit: string) => string>> = {
  drafts: (used, limit) =>
    `This integration has ${used} drafts that are not finalized; its limit is ${limit}. Delete or finalize some`,
  stored_bytes: (used, limit) =>
    `This integration stores ${used} bytes of files; its limit is ${limit}, which this request would exceed. Delete drafts or assets`,
  database_bytes: (used, limit) =>
    `This integration's drafts, assets and stored responses take ${used} bytes; its limit is ${limit}. Delete drafts or assets, or wait until stored responses expire after a day`,
  keys: (used, limit) =>
    `This integration has ${used} keys that are neither revoked nor expired; its limit is ${limit}. Revoke some`,
  operations_waiting: (used, limit) =>
    `${used} operations of this integration are pending; its limit is ${limit}. Wait until some have ended`,
  audit_entries: (used, limit) =>
    `This integration's audit log has ${used} entries; its limit is ${limit}, so changes that are recorded are refused, except deletions and rotations. Wait until entries are deleted after 400 days`,
};

/** The error for a request that would exceed a limit. */
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

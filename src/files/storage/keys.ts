import type { Uuid } from "../../domain/ids.ts";

/** Where things are in R2. docs/storage.md lists all keys. */

/** Prefix of files that are one block, and of directory blocks. */
export const BLOB_PREFIX = "blob/";

/** Prefix of files above one block. */
export const MEDIA_PREFIX = "media/";

/** Key of a file or block by its SHA-256 in lower-case hexadecimal: the same bytes are stored once, for all. */
export const blobKey = (sha256: string): string => `${BLOB_PREFIX}${sha256}`;

/** Key of a file whose digest is not known before it is stored: R2 can't rename. */
export const mediaKey = (uuid: Uuid): string => `${MEDIA_PREFIX}${uuid}`;

/** Key of a thumbnail of a file, by the file's SHA-256 and the thumbnail's width in pixels. */
export const thumbnailKey = (sha256: string, form: number | `${number}.avif`): string =>
  `thumbnail/${sha256}-${form}`;

/** Key of the card of a page: of one NFT by its number, or of the collection. */
export const cardKey = (slug: string, number: number | null): string =>
  `card/${slug}/${number ?? "collection"}`;

/** Key of the ranks of a collection's tokens, by their numbers. */
export const ranksKey = (collectionUuid: Uuid): string => `ranks/${collectionUuid}`;

/** Key of a collection's traits with how many copies have each value. */
export const traitsKey = (collectionUuid: Uuid): string => `traits/${collectionUuid}`;

/** Key of the number of a run of clean-up that D1 had noted: a D1 with a lower one was set back. */
export const RUN_KEY = "clean-up";

/** Prefix of files of operations that ended long ago. */
export const ARCHIVE_PREFIX = "archive/";

/** What keys of an integration's files begin with. */
export const archivePrefix = (integration: Uuid): string => `${ARCHIVE_PREFIX}${integration}/`;

/** Key of a file of an integration's operations that were accepted on one day (UTC). */
export const archiveKey = (integration: Uuid, day: Date, file: Uuid): string =>
  `${archivePrefix(integration)}${day.toISOString().slice(0, 10)}/${file}`;

/** Key of the list of a collection's assets as they were when its finalization began. */
export const manifestKey = (collectionUuid: Uuid): string => `manifest/${collectionUuid}`;

/** Prefix of long responses of Idempotency-Keys, followed by the integration. */
export const RESPONSE_PREFIX = "response/";

/** Prefix of copies of operations that have ended, which a ledger that loses its storage gets back. */
export const RECORD_PREFIX = "record/";

/** What keys of an integration's records begin with. */
export const recordPrefix = (integration: Uuid): string => `${RECORD_PREFIX}${integration}/`;

/** Key of such a file. */
export const recordKey = (integration: Uuid, day: Date, file: Uuid): string =>
  `${recordPrefix(integration)}${day.toISOString().slice(0, 10)}/${file}`;

/** What keys of sealed orders begin with. */
export const ORDERS = "reveal/";

/** Key of the sealed order of a collection that hides its assets. */
export const orderKey = (collectionUuid: Uuid): string => ORDERS + collectionUuid;

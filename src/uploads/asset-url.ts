// uploads/: files of drafts and of metadata: received, checked, confirmed, committed.

import type { ServiceContext } from "../context.ts";
import type { BlobRow } from "../db/queries/blobs.ts";
import { ServiceError } from "../domain/errors.ts";
import { newUuid, type Uuid } from "../domain/ids.ts";
import type { Issue } from "../domain/issues.ts";
import { MAX_FILE_BYTES, MAX_MEDIA_URL_BYTES } from "../domain/limits.ts";
import { isMediaType, MEDIA_NAMES, mediaFault, mediaType, SNIFFED_BYTES } from "../domain/media-sniffing.ts";
import { JSON_TYPE, referenceFault } from "../domain/media-types.ts";
import { resolvePath } from "../gateway/contents.ts";
import { BLOCK_SIZE } from "../ipfs/file.ts";
import { FileHasher } from "../ipfs/file-hasher.ts";
import { mediaKey } from "../storage/keys.ts";
import { MultipartUpload } from "../storage/multipart-upload.ts";
import { type UrlField, withFetchMemory } from "./fetch-memory.ts";
import { DownloadFailure, download } from "./media-download.ts";
import { storeLarge, storeSmall } from "./media-storage.ts";

/** A file that was fetched and is in R2. */
export interface StoredMedia {
  readonly sha256: Uint8Array;
  /** SHA-256 of the dag-pb root of a file above 1 MiB; null: one raw block. */
  readonly rootSha256: Uint8Array | null;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
}

interface FetchOptions {
  /** Whose request it is: one integration's files don't take all the memory that there is for them. */
  readonly integrationId: Uuid;
  /** The service's own address: files of its gateway are read from R2. */
  readonly baseUrl: string;
  /** Where the field stands in the request; default: at the top. */
  readonly path?: Issue["path"];
}

/**
 * Fetches a file by its address, of at most 100 MB (1 MB of JSON for a reference file), and stores it. The same bytes
 * are stored once. Memory: two parts of 5 MiB, of what an isolate has for all such files together. The batch
 * that accepts an operation keeps the files that it needs. Otherwise clean-up deletes them, an hour later at the
 * earliest.
 * @throws ServiceError asset_url_failed that says why; rate_limited
 */
export async function fetchMediaUrl(
  context: ServiceContext,
  url: string,
  field: UrlField,
  { integrationId, baseUrl, path = [field] }: FetchOptions,
): Promise<StoredMedia> {
  try {
    const own = ownPath(url, [baseUrl, context.settings.PUBLIC_URL ?? baseUrl]);
    if (own !== null) return await storedAlready(context, own, field);
    const body = await download(url, field === "asset_file_url" ? MAX_MEDIA_URL_BYTES : MAX_FILE_BYTES);
    try {
      const take = (moved: () => void) => receive(context, body.chunks(moved), field);
      return await withFetchMemory(context, { integrationId, field }, take);
    } finally {
      await body.close();
    }
  } catch (error) {
    if (!(error instanceof DownloadFailure)) throw error;
    throw new ServiceError("asset_url_failed", `${field} can't be used. ${error.message} Nothing was sent.`, {
      issues: [{ path, message: error.message }],
      cause: error.cause,
    });
  }
}

/** The segments behind `/ipfs/` where an address is one of this service's own gateway. */
function ownPath(text: string, bases: readonly string[]): string[] | null {
  const url = URL.parse(text);
  const own = url && bases.some((base) => URL.parse(base)?.origin === url.origin);
  if (!own || !url.pathname.startsWith("/ipfs/")) return null;
  try {
    return url.pathname.split("/").slice(2).filter(Boolean).map(decodeURIComponent);
  } catch {
    // A percent sign that encodes nothing: no file of ours has such an address.
    return [];
  }
}

async function storedAlready(
  context: ServiceContext,
  [cid = "", ...names]: readonly string[],
  field: UrlField,
): Promise<StoredMedia> {
  const { stored } = await resolvePath(context, cid, names).catch((error: unknown) => {
    if (error instanceof ServiceError)
      throw new DownloadFailure("This service's gateway doesn't have the file.");
    throw error;
  });
  if (stored.kind !== "bytes" && stored.kind !== "file")
    throw new DownloadFailure("The URL names a part of a file.");
  const { sha256, rootSha256, size, mediaType: type } = stored.blob satisfies BlobRow;
  if (field === "reference_file_url" && type !== JSON_TYPE)
    throw new DownloadFailure("It is not a JSON object.");
  if (field === "asset_file_url" && !isMediaType(type)) {
    throw new DownloadFailure(`Its type is ${type}. An asset is one of ${MEDIA_NAMES}.`);
  }
  return { sha256, rootSha256, size, mediaType: type };
}

/** Takes the bytes in: what fits one block is stored by its digest, what doesn't goes on in parts. */
async function receive(
  context: ServiceContext,
  chunks: AsyncIterable<Uint8Array>,
  field: UrlField,
): Promise<StoredMedia> {
  const hasher = new FileHasher();
  const head = new Uint8Array(BLOCK_SIZE);
  let type: string | null = null;
  let upload: { parts: MultipartUpload; key: string; mediaType: string } | null = null;
  try {
    for await (const chunk of chunks) {
      const before = hasher.size;
      hasher.update(chunk);
      if (upload === null) {
        head.set(chunk.subarray(0, Math.max(0, head.length - before)), before);
        if (hasher.size >= SNIFFED_BYTES) type ??= requireType(head.subarray(0, hasher.size), field);
        if (type === null || hasher.size <= head.length) continue;
        const key = mediaKey(newUuid());
        upload = { parts: await MultipartUpload.begin(context.env.BUCKET, key, type), key, mediaType: type };
        await upload.parts.write(head.subarray(0, before));
      }
      await upload.parts.write(chunk);
    }
    const digests = hasher.finish();
    if (upload !== null)
      return await storeLarge(context, { ...digests, mediaType: upload.mediaType }, upload);
    const bytes = head.subarray(0, digests.size);
    type = field === "asset_file_url" ? requireType(bytes, field) : requireReference(bytes);
    return await storeSmall(context, { ...digests, mediaType: type }, bytes);
  } catch (error) {
    // The reason that counts is the first; parts that can't be dropped now R2 drops by itself after seven days.
    await upload?.parts.abort().catch(() => undefined);
    throw error;
  }
}

function requireType(start: Uint8Array, field: UrlField): string {
  if (field === "reference_file_url") return JSON_TYPE;
  const type = mediaType(start);
  if (type === null) throw new DownloadFailure(mediaFault(start));
  return type;
}

function requireReference(bytes: Uint8Array): string {
  const fault = referenceFault(bytes);
  if (fault !== null) throw new DownloadFailure(`The file ${fault}; a reference file is a JSON object.`);
  return JSON_TYPE;
}

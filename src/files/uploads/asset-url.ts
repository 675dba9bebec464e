import { mediaReference, type Override } from "../../chain/contract/calls.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { adoptBlobs, adoptLarge, selectBlob, storeLargeRow } from "../../db/queries/blobs.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid, toHex } from "../../domain/ids.ts";
import type { Issue } from "../../domain/issues.ts";
import {
  isMediaType,
  MEDIA_NAMES,
  mediaFault,
  mediaType,
  SNIFFED_BYTES,
} from "../../domain/media-sniffing.ts";
import { JSON_TYPE, referenceFault } from "../../domain/media-types.ts";
import { PictureStructure } from "../../domain/picture-structure.ts";
import { MAX_FILE_BYTES, MAX_MEDIA_URL_BYTES } from "../../domain/quota.ts";
import type { TokenMetadata } from "../../domain/requests.ts";
import { resolvePath } from "../gateway/contents.ts";
import { BLOCK_SIZE } from "../ipfs/file.ts";
import { type FileDigests, FileHasher } from "../ipfs/file-hasher.ts";
import { memoryShare } from "../isolate-memory.ts";
import { mediaKey } from "../storage/keys.ts";
import { MultipartUpload, PART_SIZE } from "../storage/multipart-upload.ts";
import { ParallelWork } from "../storage/parallel-work.ts";
import { putBlob } from "../storage/put-blob.ts";
import { commitWithBlobs } from "./commit-blobs.ts";
import { DownloadFailure, download, downloadDeadline, unusableUrl } from "./media-download.ts";

export type UrlField = "asset_file_url" | "reference_file_url";

/** Whose memory a file takes, and the service's own base URL: files of its gateway are read from R2. */
type Owner = Pick<Caller, "integrationId" | "baseUrl">;

/** Bytes in memory while a file is read: its first block and, for an asset, the two parts of a multipart upload. */
const HELD: Readonly<Record<UrlField, number>> = {
  asset_file_url: BLOCK_SIZE + 2 * PART_SIZE,
  reference_file_url: BLOCK_SIZE,
};

interface ReadFile extends FileDigests {
  readonly mediaType: string;
}

async function storeSmall(context: ServiceContext, file: ReadFile, bytes: Uint8Array): Promise<ReadFile> {
  const startedAt = context.now();
  const blob = { sha256: toHex(file.sha256), size: file.size, mediaType: file.mediaType };
  await putBlob(context.env.BUCKET, blob.sha256, bytes, file.mediaType);
  await commitWithBlobs(context, [blob], async () => {
    for (const statement of adoptBlobs(context.db, [blob], startedAt, context.now())) await statement;
  });
  return file;
}

/** Stores a file above one block: completes its upload, or aborts it if the same bytes are stored already. */
async function storeLarge(
  context: ServiceContext,
  file: ReadFile,
  upload: { readonly parts: MultipartUpload; readonly key: string },
): Promise<ReadFile> {
  const { db } = context;
  const read = selectBlob(db, file.sha256);
  const [, [known]] = await db.batch([adoptLarge(db, file.sha256, context.now()), read]);
  if (known) {
    await upload.parts.abort();
    return file;
  }
  await upload.parts.complete();
  const stored = [...storeLargeRow(db, file, upload.key, context.now()), read] as const;
  // Another request may have stored the same bytes concurrently; one of the two objects is enough.
  const [row] = (await runBatch(db, stored)).at(-1) as Awaited<typeof read>;
  if (row && row.objectKey !== upload.key) await context.env.BUCKET.delete(upload.key);
  return file;
}

type StoredMedia = Omit<ReadFile, "leaves">;

/**
 * Fetches a file of at most 100 MB (1 MB of JSON for a reference file) and stores it. The batch that accepts an
 * operation keeps it; clean-up deletes others after an hour at the earliest. @throws ServiceError asset_url_failed;
 * rate_limited
 */
export async function fetchMediaUrl(
  context: ServiceContext,
  url: string,
  field: UrlField,
  {
    integrationId,
    baseUrl,
    path = [field],
    signal,
  }: Owner & { readonly path?: Issue["path"]; readonly signal?: AbortSignal },
): Promise<StoredMedia> {
  try {
    const own = ownPath(url, [baseUrl, context.settings.PUBLIC_URL ?? baseUrl]);
    if (own !== null) return await storedAlready(context, own, field);
    const most = field === "asset_file_url" ? MAX_MEDIA_URL_BYTES : MAX_FILE_BYTES;
    const body = await download(url, most, signal);
    try {
      const wanted = { bytes: HELD[field], owner: integrationId, what: "files at URLs" };
      const { moved, ended } = await memoryShare(context, wanted);
      return await receive(context, body.chunks(moved), field).finally(ended);
    } finally {
      await body.close();
    }
  } catch (error) {
    throw unusableUrl(error, field, path);
  }
}

/** The path segments after `/ipfs/` of a URL of this service's own gateway; null for other URLs. */
function ownPath(text: string, bases: readonly string[]): string[] | null {
  const url = URL.parse(text);
  const own = url && bases.some((base) => URL.parse(base)?.origin === url.origin);
  if (!own || !url.pathname.startsWith("/ipfs/")) return null;
  try {
    return url.pathname.split("/").slice(2).filter(Boolean).map(decodeURIComponent);
  } catch {
    // An invalid percent-encoding: no file has such a URL.
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
  const { sha256, rootSha256, size, mediaType: type } = stored.blob;
  if (field === "reference_file_url" && type !== JSON_TYPE)
    throw new DownloadFailure("It is not a JSON object.");
  if (field === "asset_file_url" && !isMediaType(type)) {
    throw new DownloadFailure(`Its type is ${type}. An asset is one of ${MEDIA_NAMES}.`);
  }
  return { sha256, rootSha256, size, mediaType: type };
}

/** Reads and stores a file: by its digest if it fits one block, else by a multipart upload. */
async function receive(
  context: ServiceContext,
  chunks: AsyncIterable<Uint8Array>,
  field: UrlField,
): Promise<StoredMedia> {
  const hasher = new FileHasher();
  const structure = new PictureStructure();
  const head = new Uint8Array(BLOCK_SIZE);
  let type: string | null = null;
  let upload: { parts: MultipartUpload; key: string; mediaType: string } | null = null;
  try {
    for await (const chunk of chunks) {
      const before = hasher.size;
      hasher.update(chunk);
      structure.push(chunk);
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
    const broken = field === "asset_file_url" ? structure.end() : null;
    if (broken !== null) throw new DownloadFailure(broken);
    if (upload !== null)
      return await storeLarge(context, { ...digests, mediaType: upload.mediaType }, upload);
    const bytes = head.subarray(0, digests.size);
    type = field === "asset_file_url" ? requireType(bytes, field) : requireReference(bytes);
    return await storeSmall(context, { ...digests, mediaType: type }, bytes);
  } catch (error) {
    // The first error is the one to report. R2 deletes the parts of an incomplete upload after seven days.
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

/** Files of a request that are fetched at once: they leave its integration the memory for a file of another request. */
const FILES_AT_ONCE = 3;

const URL_FIELDS = ["asset_file_url", "reference_file_url"] as const;

/** Metadata of a request, and its path there. */
type Named = readonly [metadata: TokenMetadata, within: Issue["path"]];

/** The files that metadata of a request name, by field and URL, each fetched once. The first failure ends all. */
const fetchNamed = async (
  context: ServiceContext,
  { integrationId, baseUrl }: Owner,
  all: readonly Named[],
): Promise<ReadonlyMap<string, StoredMedia>> => {
  const named = new Map(
    all.flatMap(([metadata, within]) =>
      URL_FIELDS.flatMap((field) => {
        const url = metadata[field];
        return url == null ? [] : [[field + url, { url, field, path: [...within, field] }] as const];
      }),
    ),
  );
  const fetched = new Map<string, StoredMedia>();
  if (named.size === 0) return fetched;
  const failed = new AbortController();
  const signal = AbortSignal.any([downloadDeadline(), failed.signal]);
  const work = new ParallelWork(FILES_AT_ONCE);
  try {
    for (const [name, { url, field, path }] of named) {
      await work.start(async () => {
        fetched.set(name, await fetchMediaUrl(context, url, field, { integrationId, baseUrl, path, signal }));
      });
    }
    await work.finish();
  } catch (error) {
    // The platform ends what still runs behind the answer, and its memory would count until it lapses.
    failed.abort();
    await work.idle();
    throw error;
  }
  return fetched;
};

/** Metadata as the contract takes it, and the SHA-256 of its files in hexadecimal. */
interface Resolved {
  readonly override: Override;
  readonly files: readonly string[];
}

/** Fetches the files that metadata of a request name by URL. @throws ServiceError asset_url_failed; nothing was sent then */
export const resolveEach = async (
  context: ServiceContext,
  owner: Owner,
  all: readonly Named[],
): Promise<Resolved[]> => {
  const fetched = await fetchNamed(context, owner, all);
  return all.map(([{ asset_file_url: assetUrl, reference_file_url: referenceUrl, ...texts }]) => {
    const fileOf = (field: UrlField, url: string | null | undefined) =>
      url == null ? url : fetched.get(field + url)!;
    const asset = fileOf("asset_file_url", assetUrl);
    const reference = fileOf("reference_file_url", referenceUrl);
    const present = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
    return {
      override: {
        ...present,
        ...(asset !== undefined && { media: asset && mediaReference(asset) }),
        ...(reference !== undefined && { reference: reference && mediaReference(reference) }),
      },
      files: [asset, reference].flatMap((file) => (file ? [toHex(file.sha256)] : [])),
    };
  });
};

/** The same of one. @param within its path in the request */
export const resolveMetadata = async (
  context: ServiceContext,
  owner: Owner,
  metadata: TokenMetadata,
  within: Issue["path"],
): Promise<Resolved> => {
  const [resolved] = await resolveEach(context, owner, [[metadata, within]]);
  return resolved!;
};

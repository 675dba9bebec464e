import type { IpfsResult } from "../api/resources/collection.ts";
import type { ServiceContext } from "../context.ts";
import type { DraftAssets } from "../db/draft-assets.ts";
import { adoptBlobs, keepBlobs, type StoredBlob } from "../db/queries/blobs.ts";
import type { Statement } from "../db/statements.ts";
import { directoryNames } from "../domain/filenames.ts";
import { toHex, type Uuid } from "../domain/ids.ts";
import { DAG_PB_TYPE, JSON_TYPE } from "../domain/media-types.ts";
import { dagPbCid, fileCid, gatewayUrl } from "../files/ipfs/cid.ts";
import { buildDirectory, type DirectoryEntry } from "../files/ipfs/directory.ts";
import { fileLink } from "../files/ipfs/file.ts";
import { CONNECTIONS } from "../files/storage/blob-writer.ts";
import { ParallelWork } from "../files/storage/parallel-work.ts";
import { putBlob } from "../files/storage/put-blob.ts";

interface CollectionFile {
  readonly name: string;
  /** Lower-case hexadecimal of the SHA-256. */
  readonly digest: string;
  readonly sha256: Uint8Array;
  readonly rootSha256: Uint8Array | null;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
}

/** The UnixFS directory of a collection's files. */
export interface CollectionDirectory {
  readonly rootSha256: Uint8Array;
  readonly rootCid: string;
  /** Bytes of all blocks, those of the files included. */
  readonly totalSize: number;
  /** The directory's own blocks, children before parents. */
  readonly blocks: readonly StoredBlob[];
  readonly files: ReadonlyMap<string, CollectionFile>;
}

/**
 * Builds the directory of a draft's media and reference files and puts its blocks to R2; it isn't served before
 * `keepDirectory`. It is the same each time, so that a finalization can be resumed at any point.
 */
export async function buildCollectionDirectory(
  context: ServiceContext,
  assets: DraftAssets,
): Promise<CollectionDirectory> {
  const files = await draftFiles(assets);
  const blocks: StoredBlob[] = [];
  const puts = new ParallelWork(CONNECTIONS);
  const root = await buildDirectory(Array.from(files, entryOf), async ({ sha256, bytes }) => {
    const digest = toHex(sha256);
    blocks.push({ sha256: digest, size: bytes.length, mediaType: DAG_PB_TYPE });
    await puts.start(() => putBlob(context.env.BUCKET, digest, bytes, DAG_PB_TYPE));
  }).finally(() => puts.idle());
  await puts.finish();
  return {
    rootSha256: root.sha256,
    rootCid: dagPbCid(root.sha256),
    totalSize: root.totalSize,
    blocks,
    files,
  };
}

/**
 * Statements for `commitWithBlobs`, before the collection is inserted: from then on the blocks are served and kept. @param startedAt when building began
 */
export const keepDirectory = (
  { db, now }: ServiceContext,
  { id, integrationId }: { readonly id: Uuid; readonly integrationId: Uuid },
  { blocks }: CollectionDirectory,
  startedAt: Date,
): Statement[] => [
  ...adoptBlobs(db, blocks, startedAt, now()),
  ...keepBlobs(
    db,
    id,
    blocks.map(({ sha256 }) => sha256),
    integrationId,
  ),
];

/** The files of a draft, reference files included, by their names in its directory. */
async function draftFiles(assets: DraftAssets): Promise<Map<string, CollectionFile>> {
  const files: CollectionFile[] = [];
  for await (const asset of assets.behind()) {
    const { filename: name, sha256, size, mediaType, rootSha256 } = asset;
    files.push({ name, digest: toHex(sha256), sha256, size, mediaType, rootSha256 });
    const { referenceFilename, referenceSha256, referenceSize } = asset;
    if (referenceFilename === null || referenceSha256 === null || referenceSize === null) continue;
    files.push({
      name: referenceFilename,
      digest: toHex(referenceSha256),
      sha256: referenceSha256,
      size: referenceSize,
      mediaType: JSON_TYPE,
      rootSha256: null,
    });
  }
  return directoryNames(files);
}

const entryOf = ([name, file]: readonly [string, CollectionFile]): DirectoryEntry => ({
  name,
  ...fileLink(file),
});

/** The IPFS part of finalize's response. @param base the service's own URL, without a trailing slash */
export const ipfsResult = ({ rootCid, totalSize, files }: CollectionDirectory, base: string): IpfsResult => ({
  root_cid: rootCid,
  root_url: gatewayUrl(base, rootCid),
  total_size: totalSize,
  files: Array.from(files, ([name, file]) => ({
    name,
    cid: fileCid(file.sha256, file.rootSha256),
    size: file.size,
    media_type: file.mediaType,
    url: gatewayUrl(base, rootCid, name),
  })),
});

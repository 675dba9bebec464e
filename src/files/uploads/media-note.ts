import type { ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { adoptBlobs, findBlob, keepBlobs, storeLargeRow } from "../../db/queries/blobs.ts";
import { findCollection } from "../../db/queries/collections.ts";
import { toHex, type Uuid } from "../../domain/ids.ts";
import { JSON_TYPE, UNKNOWN_TYPE } from "../../domain/media-types.ts";
import type { FileDigests } from "../ipfs/file-hasher.ts";
import { blobKey, mediaNoteKey } from "../storage/keys.ts";
import { putSame } from "../storage/put-blob.ts";
import { commitWithBlobs } from "./commit-blobs.ts";

/** The row of a file above one block. Digests are lower-case hexadecimal. */
interface MediaNote {
  readonly key: string;
  readonly size: number;
  readonly mediaType: string;
  readonly root: string | null;
  readonly leaves: readonly string[];
}

/** Stores a note on a file above one block, from which its row can be restored. */
export const keepMediaNote = async (
  { env }: ServiceContext,
  file: FileDigests & { readonly mediaType: string },
  key: string,
): Promise<void> => {
  const { sha256, rootSha256, leaves, size, mediaType } = file;
  const root = rootSha256 && toHex(rootSha256);
  const note: MediaNote = { key, size, mediaType, root, leaves: leaves.map(toHex) };
  await putSame(env.BUCKET, mediaNoteKey(toHex(sha256)), JSON.stringify(note), {
    contentType: JSON_TYPE,
  });
};

/**
 * Restores lost rows of files (SHA-256 in hexadecimal) that were added to a collection, and its references to them.
 * @returns those that R2 no longer has
 */
export const putFilesBack = async (
  context: ServiceContext,
  collection: { readonly integrationId: Uuid; readonly id: Uuid },
  files: readonly string[],
): Promise<string[]> => {
  const { db } = context;
  if (!(await findCollection(db, collection.integrationId, collection.id))) return [];
  const gone: string[] = [];
  for (const sha256 of files) {
    const isThere = (await putFileBack(context, sha256)) || (await putLargeFileBack(context, sha256));
    if (!isThere) {
      gone.push(sha256);
      continue;
    }
    await runBatch(db, keepBlobs(db, collection.id, [sha256]));
  }
  return gone;
};

/** Restores the row of a file of one block. False if R2 doesn't have it. */
const putFileBack = async (context: ServiceContext, sha256: string): Promise<boolean> => {
  const { db, env, now } = context;
  if (await findBlob(db, Buffer.from(sha256, "hex"))) return true;
  const object = await env.BUCKET.head(blobKey(sha256));
  if (object === null) return false;
  const mediaType = object.httpMetadata?.contentType ?? UNKNOWN_TYPE;
  const blob = { sha256, size: object.size, mediaType };
  await commitWithBlobs(context, [blob], () => runBatch(db, adoptBlobs(db, [blob], new Date(0), now())));
  return true;
};

/** Restores the row of a file above one block. False if R2 doesn't have its note or its object. */
const putLargeFileBack = async ({ db, env, now }: ServiceContext, sha256: string): Promise<boolean> => {
  const kept = await env.BUCKET.get(mediaNoteKey(sha256));
  if (kept === null) return false;
  const { key, size, mediaType, root, leaves } = await kept.json<MediaNote>();
  if ((await env.BUCKET.head(key)) === null) return false;
  const bytes = (hex: string) => Buffer.from(hex, "hex");
  const file = {
    sha256: bytes(sha256),
    rootSha256: root === null ? null : bytes(root),
    leaves: leaves.map(bytes),
    size,
    mediaType,
  };
  await db.batch(storeLargeRow(db, file, key, now()));
  return true;
};

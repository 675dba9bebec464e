import type { ServiceContext } from "../context.ts";
import { adoptBlobs, adoptLarge, selectBlob, storeLargeRow } from "../db/queries/blobs.ts";
import type { Statement } from "../db/statements.ts";
import { toHex } from "../domain/ids.ts";
import type { FileDigests } from "../ipfs/file-hasher.ts";
import type { MultipartUpload } from "../storage/multipart-upload.ts";
import { putBlob } from "../storage/put-blob.ts";
import { commitWithBlobs } from "./commit-blobs.ts";
import { keepMediaNote } from "./media-note.ts";

/** A file whose bytes were seen. */
interface SeenFile extends FileDigests {
  readonly mediaType: string;
}

/** Stores a file of one block. */
export async function storeSmall(
  context: ServiceContext,
  file: SeenFile,
  bytes: Uint8Array,
): Promise<SeenFile> {
  const startedAt = context.now();
  const blob = { sha256: toHex(file.sha256), size: file.size, mediaType: file.mediaType };
  await putBlob(context.env.BUCKET, blob.sha256, bytes, file.mediaType);
  await commitWithBlobs(context, [blob], async () => {
    for (const statement of adoptBlobs(context.db, [blob], startedAt, context.now())) await statement;
  });
  return file;
}

/**
 * Stores a file above one block, all of whose parts were written: completes its upload, or drops it where the same
 * bytes are there already.
 */
export async function storeLarge(
  context: ServiceContext,
  file: SeenFile,
  upload: { readonly parts: MultipartUpload; readonly key: string },
): Promise<SeenFile> {
  const { db } = context;
  const read = selectBlob(db, file.sha256);
  const [, [known]] = await db.batch([adoptLarge(db, file.sha256, context.now()), read]);
  if (known) {
    await upload.parts.abort();
    return file;
  }
  await upload.parts.complete();
  // Otherwise only D1 would know which file the object is, and D1 may be rolled back.
  await keepMediaNote(context, file, upload.key);
  const stored = [...storeLargeRow(db, file, upload.key, context.now()), read] as const;
  // Somebody else may have stored the same bytes at the same time: one of the two objects is enough.
  const [, , [row]] = await db.batch(stored as unknown as [Statement, Statement, typeof read]);
  if (row && row.objectKey !== upload.key) await context.env.BUCKET.delete(upload.key);
  return file;
}

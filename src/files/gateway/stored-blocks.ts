import type { ServiceContext } from "../../context.ts";
import { type BlobRow, findBlob, findBlobByRoot, findLeaf, leavesOf } from "../../db/queries/blobs.ts";
import { toHex } from "../../domain/ids.ts";
import { DAG_PB_TYPE, UNKNOWN_TYPE } from "../../domain/media-types.ts";
import { type BlockId, DAG_PB } from "../ipfs/cid.ts";
import { BLOCK_SIZE, encodeFileRoot, leafSizes } from "../ipfs/file.ts";
import type { BlockReader } from "../ipfs/unixfs.ts";
import { blobKey } from "../storage/keys.ts";

/** A range of an object in R2, bytes. */
export interface StoredBytes {
  readonly key: string;
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
}

export type Stored =
  /** A file of one block, or one above it, by its root. */
  | {
      readonly kind: "bytes" | "file";
      readonly bytes: StoredBytes;
      readonly mediaType: string;
      readonly blob: BlobRow;
    }
  /** A leaf of a file above one block. */
  | { readonly kind: "leaf"; readonly bytes: StoredBytes; readonly mediaType: string }
  | { readonly kind: "directory"; readonly bytes: StoredBytes };

const whole = (blob: BlobRow): StoredBytes => ({
  key: blob.objectKey ?? blobKey(toHex(blob.sha256)),
  offset: 0,
  size: blob.size,
});

/** The content of a CID whose digest is a whole object's; null if the object isn't such a block. */
function ownBlock({ codec }: BlockId, blob: BlobRow): Stored | null {
  if (codec === DAG_PB) {
    return blob.mediaType === DAG_PB_TYPE ? { kind: "directory", bytes: whole(blob) } : null;
  }
  // A raw CID is one block: of a larger file there are the leaves only.
  return blob.rootSha256 === null
    ? { kind: "bytes", bytes: whole(blob), mediaType: blob.mediaType, blob }
    : null;
}

/** Finds the visible content of a CID; null if there is none. */
export async function findStored(
  context: ServiceContext,
  { codec, sha256 }: BlockId,
): Promise<Stored | null> {
  const { db } = context;
  const blob = await findBlob(db, sha256);
  const own = blob && ownBlock({ codec, sha256 }, blob);
  if (own) return own;
  if (codec === DAG_PB) {
    const file = await findBlobByRoot(db, sha256);
    return file ? { kind: "file", bytes: whole(file), mediaType: file.mediaType, blob: file } : null;
  }
  const leaf = await findLeaf(db, sha256);
  if (!leaf) return null;
  const size = leafSizes(leaf.blob.size)[leaf.position] ?? 0;
  const bytes = { ...whole(leaf.blob), offset: leaf.position * BLOCK_SIZE, size };
  return { kind: "leaf", bytes, mediaType: UNKNOWN_TYPE };
}

/** Opens bytes in R2 as a stream. @throws Error if R2 doesn't have what D1 says it has */
export async function openBytes(
  context: ServiceContext,
  { key, offset, size }: StoredBytes,
): Promise<ReadableStream<Uint8Array>> {
  const object = await context.env.BUCKET.get(key, { range: { offset, length: size } });
  if (object === null) throw new Error(`${key} is not in R2 although a row refers to it`);
  return object.body;
}

/** The bytes of one block: at most 1 MiB. */
export async function blockBytes(context: ServiceContext, stored: Stored): Promise<Uint8Array> {
  if (stored.kind === "file") {
    return encodeFileRoot(await leavesOf(context.db, stored.blob.sha256), stored.blob.size);
  }
  return new Uint8Array(await new Response(await openBytes(context, stored.bytes)).arrayBuffer());
}

export const storedBlocks = (context: ServiceContext): BlockReader => ({
  async read(block) {
    const stored = await findStored(context, block);
    return stored && blockBytes(context, stored);
  },
});

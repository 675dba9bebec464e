import { type BlockId, cidBytes, DAG_PB, RAW } from "./cid.ts";
import { encodeNode } from "./dag-pb.ts";
import { fileData } from "./unixfs.ts";

/** Bytes of a block of a file in the profile unixfs-v1-2025 (IPIP-499): 1 MiB. A file up to this is one raw block. */
export const BLOCK_SIZE = 1_048_576;

/** Most links of a node of a file in that profile. One node therefore holds any file up to 1 GiB. */
const MOST_LINKS = 1024;
const NO_NAME = new Uint8Array(0);

export function leafSizes(fileSize: number): number[] {
  const leaves = Math.ceil(fileSize / BLOCK_SIZE);
  return Array.from({ length: leaves }, (_, index) => Math.min(BLOCK_SIZE, fileSize - index * BLOCK_SIZE));
}

/** The dag-pb root of a file above one block: one node over the SHA-256 of 2 to 1024 leaves, in order. */
export function encodeFileRoot(leaves: readonly Uint8Array[], fileSize: number): Uint8Array {
  const sizes = leafSizes(fileSize);
  if (sizes.length !== leaves.length || leaves.length < 2 || leaves.length > MOST_LINKS) {
    throw new RangeError(`a file of ${fileSize} bytes can't have ${leaves.length} leaves under one root`);
  }
  return encodeNode({
    links: leaves.map((sha256, index) => ({
      cid: cidBytes({ codec: RAW, sha256 }),
      name: NO_NAME,
      totalSize: sizes[index]!,
    })),
    data: fileData(sizes),
  });
}

/** A directory's link to a stored file: its root block, and the bytes of all its blocks, the `Tsize` of the link. */
export function fileLink(file: { sha256: Uint8Array; size: number; rootSha256: Uint8Array | null }): {
  readonly block: BlockId;
  readonly totalSize: number;
} {
  if (file.rootSha256 === null) return { block: { codec: RAW, sha256: file.sha256 }, totalSize: file.size };
  return {
    block: { codec: DAG_PB, sha256: file.rootSha256 },
    totalSize: file.size + fileRootLength(file.size),
  };
}

/** Bytes of the root block of a file above one block; its leaves' digests don't change it. */
export function fileRootLength(fileSize: number): number {
  const digest = new Uint8Array(32);
  return encodeFileRoot(
    leafSizes(fileSize).map(() => digest),
    fileSize,
  ).length;
}

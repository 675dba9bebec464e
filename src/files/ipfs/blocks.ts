import { type BlockId, cidText } from "./cid.ts";
import { decodeNode, type Link } from "./dag-pb.ts";
import { decodeUnixFs, type UnixFs } from "./unixfs.ts";

/** A store of blocks. */
export interface BlockReader {
  /** The block's bytes; null if it isn't stored. */
  read(block: BlockId): Promise<Uint8Array | null>;
}

/** A decoded dag-pb block. */
export interface UnixFsNode {
  readonly links: readonly Link[];
  readonly unixfs: UnixFs;
}

/** Decodes a dag-pb block. @throws RangeError if it isn't UnixFS as Mintage writes it */
export function decodeUnixFsNode(bytes: Uint8Array): UnixFsNode {
  const { links, data } = decodeNode(bytes);
  return { links, unixfs: decodeUnixFs(data) };
}

/** Reads a block that stored content consists of. @throws Error if it is missing */
export async function mustRead(reader: BlockReader, block: BlockId): Promise<Uint8Array> {
  const bytes = await reader.read(block);
  if (bytes === null) throw new Error(`the block ${cidText(block)} is missing`);
  return bytes;
}

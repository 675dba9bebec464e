import type { BlockId } from "./cid.ts";
import { decodeNode, type Link } from "./dag-pb.ts";
import { decodeUnixFs, type UnixFs } from "./unixfs.ts";

/** Where blocks are read from. */
export interface BlockReader {
  /** The block's bytes, or null if it is not here. */
  read(block: BlockId): Promise<Uint8Array | null>;
}

/** A dag-pb block, taken apart. */
export interface UnixFsNode {
  readonly links: readonly Link[];
  readonly unixfs: UnixFs;
}

/** Takes a dag-pb block apart. @throws RangeError if it isn't UnixFS as Mintage writes it */
export function decodeUnixFsNode(bytes: Uint8Array): UnixFsNode {
  const { links, data } = decodeNode(bytes);
  return { links, unixfs: decodeUnixFs(data) };
}

/** A block that belongs to content and isn't here: the content can't be read on. */
class MissingBlock extends Error {
  readonly block: BlockId;

  constructor(block: BlockId) {
    super("a block that the content consists of is missing");
    this.name = "MissingBlock";
    this.block = block;
  }
}

/** Reads a block that has to be here. @throws MissingBlock */
export async function mustRead(reader: BlockReader, block: BlockId): Promise<Uint8Array> {
  const bytes = await reader.read(block);
  if (bytes === null) throw new MissingBlock(block);
  return bytes;
}

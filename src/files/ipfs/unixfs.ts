import { varint } from "multiformats";
import { type BlockId, cidText, writeVarint } from "./cid.ts";
import { decodeNode, fieldsOf, type Link } from "./dag-pb.ts";

/**
 * What the metadata in the data field of a dag-pb node is of (https://specs.ipfs.tech/unixfs/). Only what the profile
 * unixfs-v1-2025 produces: no modes, no times, raw leaves.
 */
type UnixFsKind = "file" | "directory" | "shard";

/** A store of blocks. */
export interface BlockReader {
  /** The block's bytes; null if it isn't stored. */
  read(block: BlockId): Promise<Uint8Array | null>;
}

export interface UnixFsNode {
  readonly links: readonly Link[];
  readonly kind: UnixFsKind;
}

/** Decodes a dag-pb block. @throws RangeError if it isn't UnixFS as Mintage writes it */
export function decodeUnixFsNode(bytes: Uint8Array): UnixFsNode {
  const { links, data } = decodeNode(bytes);
  return { links, kind: kindOf(data) };
}

/** Reads a block that stored content consists of. @throws Error if it is missing */
export async function mustRead(reader: BlockReader, block: BlockId): Promise<Uint8Array> {
  const bytes = await reader.read(block);
  if (bytes === null) throw new Error(`the block ${cidText(block)} is missing`);
  return bytes;
}

/** Reads and decodes a node. @throws Error if it is missing */
export const readNode = async (reader: BlockReader, block: BlockId): Promise<UnixFsNode> =>
  decodeUnixFsNode(await mustRead(reader, block));

/** Slots of a shard: the profile's fanout. */
const FANOUT = 256;
const MURMUR3 = 0x22;
const TYPE = { directory: 1, file: 2, shard: 5 } as const;
const TAG = {
  type: 0x08,
  data: 0x12,
  fileSize: 0x18,
  blockSize: 0x20,
  hashType: 0x28,
  fanout: 0x30,
} as const;
const TAGS: ReadonlySet<number> = new Set(Object.values(TAG));

/** Metadata of a plain directory. */
export const DIRECTORY_DATA = Uint8Array.of(TAG.type, TYPE.directory);

/** Metadata of a node of a file: how many bytes of the file are below it, and below each of its links. */
export function fileData(blockSizes: readonly number[]): Uint8Array {
  const fileSize = blockSizes.reduce((sum, size) => sum + size, 0);
  const length = blockSizes.reduce(
    (sum, size) => sum + 1 + varint.encodingLength(size),
    3 + varint.encodingLength(fileSize),
  );
  const data = new Uint8Array(length);
  data.set([TAG.type, TYPE.file, TAG.fileSize]);
  let at = writeVarint(data, 3, fileSize);
  for (const size of blockSizes) {
    data[at++] = TAG.blockSize;
    at = writeVarint(data, at, size);
  }
  return data;
}

/** Metadata of a shard of a directory. The bit field is written as one big-endian number without leading zeros. */
export function shardData(slots: Iterable<number>): Uint8Array {
  const field = new Uint8Array(FANOUT / 8);
  for (const slot of slots) field[field.length - 1 - (slot >> 3)]! |= 1 << (slot & 7);
  const first = field.findIndex((byte) => byte !== 0);
  const bits = first < 0 ? new Uint8Array(0) : field.subarray(first);
  const fanout = [TAG.fanout, (FANOUT % 128) | 128, FANOUT / 128];
  const head = [TAG.type, TYPE.shard, TAG.data, bits.length];
  return Uint8Array.of(...head, ...bits, TAG.hashType, MURMUR3, ...fanout);
}

/** Reads a node's metadata. @throws RangeError if it is of a kind, fanout or hash that Mintage does not write */
function kindOf(source: Uint8Array): UnixFsKind {
  const known = new Map<number, number>();
  for (const { tag, value } of fieldsOf(source)) {
    if (!TAGS.has(tag)) throw new RangeError("UnixFS metadata has an unknown field");
    known.set(tag, value);
  }
  const type = known.get(TAG.type);
  if (type === TYPE.file) return "file";
  if (type === TYPE.directory) return "directory";
  const isOurs = known.get(TAG.hashType) === MURMUR3 && known.get(TAG.fanout) === FANOUT;
  if (type === TYPE.shard && isOurs) return "shard";
  throw new RangeError("UnixFS metadata is of an unknown kind");
}

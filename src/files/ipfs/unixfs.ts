import { varint } from "multiformats";
import { writeVarint } from "./cid.ts";
import { fieldsOf } from "./dag-pb.ts";

/**
 * The metadata that UnixFS keeps in the data field of a dag-pb node (https://specs.ipfs.tech/unixfs/). Only what the
 * profile unixfs-v1-2025 produces: no modes, no times, raw leaves.
 */
export type UnixFs =
  | { readonly kind: "file"; readonly blockSizes: readonly number[] }
  | { readonly kind: "directory" }
  /** `bits` marks which of the 256 slots are taken, slot 0 first. */
  | { readonly kind: "shard"; readonly bits: Uint8Array };

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
  return Uint8Array.of(
    TAG.type,
    TYPE.shard,
    TAG.data,
    bits.length,
    ...bits,
    TAG.hashType,
    MURMUR3,
    ...fanout,
  );
}

/**
 * Reads a node's metadata.
 * @throws RangeError if it is of a kind, fanout or hash that Mintage does not write
 */
export function decodeUnixFs(source: Uint8Array): UnixFs {
  let type = 0;
  let hashType = 0;
  let fanout = 0;
  let bits = new Uint8Array(0);
  const blockSizes: number[] = [];
  for (const { tag, value, bytes } of fieldsOf(source)) {
    if (tag === TAG.type) type = value;
    else if (tag === TAG.blockSize) blockSizes.push(value);
    else if (tag === TAG.hashType) hashType = value;
    else if (tag === TAG.fanout) fanout = value;
    else if (tag === TAG.data) bits = new Uint8Array(bytes).reverse();
    else if (tag !== TAG.fileSize) throw new RangeError("UnixFS metadata has an unknown field");
  }
  if (type === TYPE.file) return { kind: "file", blockSizes };
  if (type === TYPE.directory) return { kind: "directory" };
  if (type === TYPE.shard && hashType === MURMUR3 && fanout === FANOUT) return { kind: "shard", bits };
  throw new RangeError("UnixFS metadata is of an unknown kind");
}

import { murmur364 } from "@multiformats/murmur3";
import { type BlockReader, decodeUnixFsNode, mustRead, type UnixFsNode } from "./blocks.ts";
import { type BlockId, blockIdOf, cidBytes, DAG_PB } from "./cid.ts";
import { dataLength, encodeNode, type Link, linkLength } from "./dag-pb.ts";
import { DIRECTORY_DATA, shardData } from "./unixfs.ts";

/** A name in a directory and what it names. */
export interface DirectoryEntry {
  /** One path segment; names of a directory differ from each other. */
  readonly name: string;
  readonly block: BlockId;
  /** Bytes of all blocks below. */
  readonly totalSize: number;
}

/** A block of a directory, with the SHA-256 that is its address. */
export interface Block {
  readonly sha256: Uint8Array;
  readonly bytes: Uint8Array;
}

/** What remains of a directory once its blocks are written. */
export interface DirectoryRoot {
  readonly sha256: Uint8Array;
  /** Bytes of all blocks, those of the files included. */
  readonly totalSize: number;
}

/**
 * A directory becomes a HAMT when its one block would be larger than this: 256 KiB of exact block bytes, compared by
 * `>` (profile unixfs-v1-2025, IPIP-499).
 */
export const SHARD_ABOVE = 262_144;

/** Hexadecimal digits, upper case, of the slot that a shard's link stands in; its name begins with them. */
const SLOT_DIGITS = 2;

const encoder = new TextEncoder();

/** An entry made ready: the bytes of its name, and their hash, a byte a level of the HAMT. */
interface Leaf {
  readonly entry: DirectoryEntry;
  readonly name: Uint8Array;
  readonly hash: Uint8Array;
}

/**
 * Builds a UnixFS directory bit for bit as IPFS tools do under the profile unixfs-v1-2025: one block, or a HAMT of
 * shards where that block would be too large. The entries' order doesn't matter. Memory: the entries, and one path of
 * shards from the root down.
 * @param write takes each block, children before parents
 */
export async function buildDirectory(
  entries: readonly DirectoryEntry[],
  write: (block: Block) => void | Promise<void>,
): Promise<DirectoryRoot> {
  return isFlat(entries) ? writeFlat(entries, write) : writeSharded(entries, write);
}

function isFlat(entries: readonly DirectoryEntry[]): boolean {
  let size = dataLength(DIRECTORY_DATA);
  for (const { name, totalSize } of entries) {
    size += linkLength(Buffer.byteLength(name), totalSize);
    if (size > SHARD_ABOVE) return false;
  }
  return true;
}

type Write = (block: Block) => void | Promise<void>;

async function writeFlat(entries: readonly DirectoryEntry[], write: Write): Promise<DirectoryRoot> {
  const links = entries
    .map(({ name, block, totalSize }) => ({ cid: cidBytes(block), name: encoder.encode(name), totalSize }))
    .sort((left, right) => Buffer.compare(left.name, right.name));
  return writeNode(links, DIRECTORY_DATA, write);
}

async function writeSharded(entries: readonly DirectoryEntry[], write: Write): Promise<DirectoryRoot> {
  const leaves = await Promise.all(
    entries.map(async (entry): Promise<Leaf> => {
      const name = encoder.encode(entry.name);
      return { entry, name, hash: await murmur364.encode(name) };
    }),
  );
  leaves.sort((left, right) => Buffer.compare(left.hash, right.hash));
  return writeShard(leaves, 0, write);
}

/** Writes the shard of leaves, sorted by hash, that share the first `depth` bytes of their hashes. */
async function writeShard(leaves: readonly Leaf[], depth: number, write: Write): Promise<DirectoryRoot> {
  const links: Link[] = [];
  const slots: number[] = [];
  for (let from = 0; from < leaves.length; ) {
    const slot = leaves[from]!.hash[depth];
    if (slot === undefined) throw new Error("two names of a directory have the same 64-bit hash");
    let to = from + 1;
    while (leaves[to]?.hash[depth] === slot) to++;
    slots.push(slot);
    links.push(
      to - from === 1
        ? leafLink(leaves[from]!, slot)
        : shardLink(await writeShard(leaves.slice(from, to), depth + 1, write), slot),
    );
    from = to;
  }
  return writeNode(links, shardData(slots), write);
}

const slotPrefix = (slot: number): Uint8Array =>
  encoder.encode(slot.toString(16).toUpperCase().padStart(SLOT_DIGITS, "0"));

function leafLink({ entry, name }: Leaf, slot: number): Link {
  const label = new Uint8Array(SLOT_DIGITS + name.length);
  label.set(slotPrefix(slot));
  label.set(name, SLOT_DIGITS);
  return { cid: cidBytes(entry.block), name: label, totalSize: entry.totalSize };
}

const shardLink = (shard: DirectoryRoot, slot: number): Link => ({
  cid: cidBytes({ codec: DAG_PB, sha256: shard.sha256 }),
  name: slotPrefix(slot),
  totalSize: shard.totalSize,
});

async function writeNode(links: readonly Link[], data: Uint8Array, write: Write): Promise<DirectoryRoot> {
  const bytes = encodeNode({ links, data });
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource));
  await write({ sha256, bytes });
  return { sha256, totalSize: links.reduce((sum, link) => sum + link.totalSize, bytes.length) };
}

/**
 * Finds a name in a directory, sharded or not, reading only the blocks on its path.
 * @returns null if there is no such name, or the block is no directory
 * @throws MissingBlock if a shard on the path isn't here
 */
export async function findName(
  reader: BlockReader,
  directory: BlockId,
  name: string,
): Promise<BlockId | null> {
  const bytes = new TextEncoder().encode(name);
  const hash = await murmur364.encode(bytes);
  let block = directory;
  for (let depth = 0; depth <= hash.length; depth++) {
    if (block.codec !== DAG_PB) return null;
    const { links, unixfs } = decodeUnixFsNode(await mustRead(reader, block));
    if (unixfs.kind === "file") return null;
    const wanted = unixfs.kind === "directory" ? bytes : withSlot(hash[depth] ?? 0, bytes);
    const shard = unixfs.kind === "shard" ? wanted.subarray(0, SLOT_DIGITS) : null;
    const link = links.find(
      (each) => Buffer.compare(each.name, wanted) === 0 || (shard && Buffer.compare(each.name, shard) === 0),
    );
    const target = link && blockIdOf(link.cid);
    if (!link || !target) return null;
    if (shard === null || link.name.length > SLOT_DIGITS) return target;
    block = target;
  }
  return null;
}

function withSlot(slot: number, name: Uint8Array): Uint8Array {
  const digits = slot.toString(16).toUpperCase().padStart(SLOT_DIGITS, "0");
  return Buffer.concat([Buffer.from(digits), name]);
}

/** An entry of a directory. */
export interface ListedEntry {
  readonly name: string;
  readonly block: BlockId;
  readonly totalSize: number;
}

/**
 * Lists a directory, a shard at a time; of a sharded one in the order of its hashes.
 * @param node the directory's own block
 */
export async function* listDirectory(
  reader: BlockReader,
  { links, unixfs }: UnixFsNode,
): AsyncGenerator<ListedEntry, void, void> {
  const prefix = unixfs.kind === "shard" ? SLOT_DIGITS : 0;
  for (const link of links) {
    const block = blockIdOf(link.cid);
    if (block === null) continue;
    if (prefix > 0 && link.name.length === prefix) {
      yield* listDirectory(reader, decodeUnixFsNode(await mustRead(reader, block)));
      continue;
    }
    const name = new TextDecoder().decode(link.name.subarray(prefix));
    yield { name, block, totalSize: link.totalSize };
  }
}

import { murmur364 } from "@multiformats/murmur3";
import { type BlockId, blockIdOf, cidBytes, DAG_PB } from "./cid.ts";
import { dataLength, encodeNode, type Link, linkLength } from "./dag-pb.ts";
import { type BlockReader, DIRECTORY_DATA, readNode, shardData, type UnixFsNode } from "./unixfs.ts";

export interface DirectoryEntry {
  /** One path segment; names of a directory differ from each other. */
  readonly name: string;
  readonly block: BlockId;
  /** Bytes of all blocks below. */
  readonly totalSize: number;
}

export interface Block {
  readonly sha256: Uint8Array;
  readonly bytes: Uint8Array;
}

/** The root of a directory whose blocks are written. */
export interface DirectoryRoot {
  readonly sha256: Uint8Array;
  /** Bytes of all blocks, those of the files included. */
  readonly totalSize: number;
}

/** Bytes of a block above which a directory becomes a HAMT (profile unixfs-v1-2025, IPIP-499). */
export const SHARD_ABOVE = 262_144;

/** Upper-case hexadecimal digits of a shard link's slot, with which the link's name begins. */
const SLOT_DIGITS = 2;
const encoder = new TextEncoder();

type Write = (block: Block) => void | Promise<void>;

/** An entry with the bytes of its name and their hash, of which each level of the HAMT takes a byte. */
interface Leaf {
  readonly entry: DirectoryEntry;
  readonly name: Uint8Array;
  readonly hash: Uint8Array;
}

/**
 * Builds a UnixFS directory bit for bit as IPFS tools do: one block, or a HAMT where it would be too large. Memory: the
 * entries, and one path of shards. @param write takes each block, children before parents
 */
export async function buildDirectory(
  entries: readonly DirectoryEntry[],
  write: Write,
): Promise<DirectoryRoot> {
  if (!isFlat(entries)) return writeSharded(entries, write);
  const links = entries
    .map(({ name, block, totalSize }) => ({ cid: cidBytes(block), name: encoder.encode(name), totalSize }))
    .sort((left, right) => Buffer.compare(left.name, right.name));
  return writeNode(links, DIRECTORY_DATA, write);
}

function isFlat(entries: readonly DirectoryEntry[]): boolean {
  let size = dataLength(DIRECTORY_DATA);
  for (const { name, totalSize } of entries) {
    size += linkLength(Buffer.byteLength(name), totalSize);
    if (size > SHARD_ABOVE) return false;
  }
  return true;
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

/** The name of a shard's link: its slot, and the name of the entry where it leads to one. */
const slotName = (slot: number, name: Uint8Array = new Uint8Array()): Uint8Array =>
  Buffer.concat([Buffer.from(slot.toString(16).toUpperCase().padStart(SLOT_DIGITS, "0")), name]);

const leafLink = ({ entry, name }: Leaf, slot: number): Link => ({
  cid: cidBytes(entry.block),
  name: slotName(slot, name),
  totalSize: entry.totalSize,
});

const shardLink = (shard: DirectoryRoot, slot: number): Link => ({
  cid: cidBytes({ codec: DAG_PB, sha256: shard.sha256 }),
  name: slotName(slot),
  totalSize: shard.totalSize,
});

async function writeNode(links: readonly Link[], data: Uint8Array, write: Write): Promise<DirectoryRoot> {
  const bytes = encodeNode({ links, data });
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource));
  await write({ sha256, bytes });
  return { sha256, totalSize: links.reduce((sum, link) => sum + link.totalSize, bytes.length) };
}

/** Finds a name in a directory by the blocks on its path; null if there is none. @throws Error if a shard is missing */
export async function findName(
  reader: BlockReader,
  directory: BlockId,
  name: string,
): Promise<BlockId | null> {
  const bytes = encoder.encode(name);
  const hash = await murmur364.encode(bytes);
  let block = directory;
  for (let depth = 0; depth <= hash.length; depth++) {
    if (block.codec !== DAG_PB) return null;
    const { links, kind } = await readNode(reader, block);
    if (kind === "file") return null;
    const wanted = kind === "directory" ? bytes : slotName(hash[depth] ?? 0, bytes);
    const shard = kind === "shard" ? wanted.subarray(0, SLOT_DIGITS) : null;
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

/** Lists a directory by its own block, a shard at a time; a sharded one in the order of its hashes. */
export async function* listDirectory(
  reader: BlockReader,
  { links, kind }: UnixFsNode,
): AsyncGenerator<DirectoryEntry, void, void> {
  const prefix = kind === "shard" ? SLOT_DIGITS : 0;
  for (const link of links) {
    const block = blockIdOf(link.cid);
    if (block === null) continue;
    if (prefix > 0 && link.name.length === prefix) {
      yield* listDirectory(reader, await readNode(reader, block));
      continue;
    }
    const name = new TextDecoder().decode(link.name.subarray(prefix));
    yield { name, block, totalSize: link.totalSize };
  }
}

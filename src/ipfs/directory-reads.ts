import { type BlockReader, decodeUnixFsNode, mustRead, type UnixFsNode } from "./blocks.ts";
import { type BlockId, blockIdOf, DAG_PB } from "./cid.ts";
import { SLOT_DIGITS } from "./directory.ts";
import { murmur3x64 } from "./murmur3.ts";

/** What a name led to. */
export interface Found {
  readonly block: BlockId;
  /** Blocks that were read on the way, the directory's own first: they prove the answer. */
  readonly proof: readonly BlockId[];
}

/**
 * Finds a name in a directory, sharded or not, reading only the blocks on its path.
 * @returns null if there is no such name, or the block is no directory
 * @throws MissingBlock if a shard on the path isn't here
 */
export async function findName(reader: BlockReader, directory: BlockId, name: string): Promise<Found | null> {
  const bytes = new TextEncoder().encode(name);
  const hash = murmur3x64(bytes);
  const proof: BlockId[] = [];
  let block = directory;
  for (let depth = 0; depth <= hash.length; depth++) {
    if (block.codec !== DAG_PB) return null;
    proof.push(block);
    const { links, unixfs } = decodeUnixFsNode(await mustRead(reader, block));
    if (unixfs.kind === "file") return null;
    const wanted = unixfs.kind === "directory" ? bytes : withSlot(hash[depth] ?? 0, bytes);
    const shard = unixfs.kind === "shard" ? wanted.subarray(0, SLOT_DIGITS) : null;
    const link = links.find(
      (each) => Buffer.compare(each.name, wanted) === 0 || (shard && Buffer.compare(each.name, shard) === 0),
    );
    const target = link && blockIdOf(link.cid);
    if (!link || !target) return null;
    if (shard === null || link.name.length > SLOT_DIGITS) return { block: target, proof };
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

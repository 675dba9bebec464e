import { varint } from "multiformats";
import { type BlockReader, decodeUnixFsNode, mustRead, type UnixFsNode } from "./blocks.ts";
import { type BlockId, blockIdOf, CID_LENGTH, cidBytes, cidText, DAG_PB, writeVarint } from "./cid.ts";
import { SLOT_DIGITS } from "./directory.ts";
import { BLOCK_SIZE } from "./file.ts";

/**
 * The header of a CAR of version 1 with one root: its length, then `{"roots": [root], "version": 1}` in DAG-CBOR
 * (https://ipld.io/specs/transport/car/carv1/).
 */
export function carHeader(root: BlockId): Uint8Array {
  const text = (name: string): number[] => [0x60 + name.length, ...Buffer.from(name)];
  // A link is tag 42 over the binary CID behind a zero byte.
  const link = [0xd8, 0x2a, 0x58, CID_LENGTH + 1, 0, ...cidBytes(root)];
  const body = [0xa2, ...text("roots"), 0x81, ...link, ...text("version"), 1];
  return Uint8Array.of(body.length, ...body);
}

/** Bytes of a block's section in a CAR. */
export const carSectionLength = (blockLength: number): number =>
  varint.encodingLength(CID_LENGTH + blockLength) + CID_LENGTH + blockLength;

/** What stands before a block's bytes in a CAR: the section's length and the CID. */
export function carSectionHead(block: BlockId, blockLength: number): Uint8Array {
  const head = new Uint8Array(carSectionLength(blockLength) - blockLength);
  head.set(cidBytes(block), writeVarint(head, 0, CID_LENGTH + blockLength));
  return head;
}

/** How much of the DAG below a block is wanted (trustless gateway specification, `dag-scope`). */
export type DagScope = "block" | "entity" | "all";

/** Bytes of a file that are wanted (`entity-bytes`); negative numbers count from its end, null is the end. */
export interface EntityBytes {
  readonly from: number;
  readonly to: number | null;
}

/** What a CAR is to contain. */
export interface CarRequest {
  readonly root: BlockId;
  /** Blocks that prove the path which led to `root`; they stand before the content. */
  readonly proof: readonly BlockId[];
  readonly scope: DagScope;
  readonly range: EntityBytes | null;
}

/** A CAR's bytes: header, proof, then the DAG depth first, each block once. Some blocks are read ahead. */
export async function* carOf(
  reader: BlockReader,
  request: CarRequest,
): AsyncGenerator<Uint8Array, void, void> {
  yield carHeader(request.root);
  for await (const { block, bytes } of blocksOf(reader, request)) {
    yield carSectionHead(block, bytes.length);
    yield bytes;
  }
}

/**
 * Whether a CAR would have more than so many blocks. Reads those alone that have others below them, and no more of them
 * than so many. @throws MissingBlock
 */
export async function hasMoreBlocks(
  reader: BlockReader,
  request: CarRequest,
  most: number,
): Promise<boolean> {
  const leaf = new Uint8Array();
  const nodes: BlockReader = {
    read: async (block) => (block.codec === DAG_PB ? reader.read(block) : leaf),
    locate: async (blocks) => reader.locate?.(blocks.filter(({ codec }) => codec === DAG_PB)),
  };
  let count = 0;
  for await (const _ of blocksOf(nodes, request)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

/** The blocks of a CAR, in its order. */
async function* blocksOf(
  reader: BlockReader,
  { root, proof, scope, range }: CarRequest,
): AsyncGenerator<{ readonly block: BlockId; readonly bytes: Uint8Array }, void, void> {
  const walk = new Walk(reader);
  walk.add([
    ...proof.map((block) => ({ block, goesOn: false, range: null })),
    { block: root, goesOn: true, range },
  ]);
  for (let next = await walk.next(); next !== null; next = await walk.next()) {
    const { block, goesOn, bytes } = next;
    yield { block, bytes };
    if (!goesOn || block.codec !== DAG_PB || scope === "block") continue;
    const children = childrenOf(decodeUnixFsNode(bytes), scope, next.range);
    walk.add(children.map((child) => ({ block: child, goesOn: true, range: null })));
  }
}

/** A block that a CAR comes to. */
interface Stop {
  readonly block: BlockId;
  /** Whether the CAR goes on to its children. */
  readonly goesOn: boolean;
  readonly range: EntityBytes | null;
}

/** Blocks that are read at once: what a Worker has connections for beside the answer's own. */
const AHEAD = 5;
/** Blocks of at most 1 MiB each that may be read and not yet sent, on all levels of a DAG. */
const MOST_HELD = AHEAD;
/** Bytes that a CAR holds in memory at most: one block that is sent, and those behind it. */
export const CAR_MEMORY = (1 + MOST_HELD) * BLOCK_SIZE;
const LOCATED_AT_ONCE = 200;

/** The blocks of a DAG in the order of a CAR, some of them read before their turn. */
class Walk {
  readonly #reader: BlockReader;
  /** What is still to come, the next one last. */
  readonly #stops: Stop[] = [];
  readonly #seen = new Set<string>();
  readonly #located = new Set<string>();
  readonly #held = new Map<string, Promise<Uint8Array>>();
  #open = 0;

  constructor(reader: BlockReader) {
    this.#reader = reader;
  }

  /** Has these come next, in their order. */
  add(stops: readonly Stop[]): void {
    for (let index = stops.length - 1; index >= 0; index--) this.#stops.push(stops[index]!);
  }

  /** The next block that was not there before; null at the end. @throws MissingBlock */
  async next(): Promise<(Stop & { readonly bytes: Uint8Array }) | null> {
    for (let stop = this.#stops.at(-1); stop !== undefined; stop = this.#stops.at(-1)) {
      const cid = cidText(stop.block);
      if (this.#seen.has(cid)) {
        this.#stops.pop();
        continue;
      }
      await this.#readAhead();
      this.#stops.pop();
      this.#seen.add(cid);
      const bytes = await (this.#held.get(cid) ?? this.#read(stop.block));
      this.#held.delete(cid);
      return { ...stop, bytes };
    }
    return null;
  }

  async #readAhead(): Promise<void> {
    const coming = this.#coming(AHEAD);
    if (this.#reader.locate && coming.some(([cid]) => !this.#located.has(cid))) {
      const unknown = this.#coming(LOCATED_AT_ONCE).filter(([cid]) => !this.#located.has(cid));
      for (const [cid] of unknown) this.#located.add(cid);
      await this.#reader.locate(unknown.map(([, block]) => block));
    }
    for (const [cid, block] of coming) {
      if (this.#held.size >= MOST_HELD || this.#open >= AHEAD) return;
      if (!this.#held.has(cid)) this.#held.set(cid, this.#read(block));
    }
  }

  #read(block: BlockId): Promise<Uint8Array> {
    this.#open += 1;
    const closed = () => {
      this.#open -= 1;
    };
    const reading = mustRead(this.#reader, block);
    // A failure is met when its turn comes; until then it must not count as unhandled.
    reading.then(closed, closed);
    return reading;
  }

  /** The next blocks that were not there before. */
  #coming(count: number): [string, BlockId][] {
    const coming = new Map<string, BlockId>();
    for (let index = this.#stops.length - 1; index >= 0 && coming.size < count; index--) {
      const { block } = this.#stops[index]!;
      const cid = cidText(block);
      if (!this.#seen.has(cid)) coming.set(cid, block);
    }
    return [...coming];
  }
}

/** The children that a scope goes on to: of a file its leaves, of a directory its shards, and its files if all. */
function childrenOf({ links, unixfs }: UnixFsNode, scope: DagScope, range: EntityBytes | null): BlockId[] {
  const wanted =
    unixfs.kind === "file"
      ? links.filter((_, index) => inRange(unixfs.blockSizes, index, range))
      : links.filter(
          (link) => scope === "all" || (unixfs.kind === "shard" && link.name.length === SLOT_DIGITS),
        );
  return wanted.map((link) => blockIdOf(link.cid)).filter((block) => block !== null);
}

function inRange(blockSizes: readonly number[], index: number, range: EntityBytes | null): boolean {
  if (range === null) return true;
  const size = blockSizes.reduce((sum, each) => sum + each, 0);
  const start = blockSizes.slice(0, index).reduce((sum, each) => sum + each, 0);
  const end = start + (blockSizes[index] ?? 0) - 1;
  const from = range.from < 0 ? Math.max(0, size + range.from) : range.from;
  const to = range.to === null ? size - 1 : range.to < 0 ? size + range.to : range.to;
  return from <= to && start <= to && end >= from;
}

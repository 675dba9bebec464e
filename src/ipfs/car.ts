import { type BlockReader, decodeUnixFsNode, mustRead, type UnixFsNode } from "./blocks.ts";
import { type BlockId, blockIdOf, CID_LENGTH, cidBytes, cidText, DAG_PB } from "./cid.ts";
import { SLOT_DIGITS } from "./directory.ts";
import { varintLength, writeVarint } from "./varint.ts";

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
  varintLength(CID_LENGTH + blockLength) + CID_LENGTH + blockLength;

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

/** A CAR's bytes: header, proof, then the DAG depth first, each block once. */
export async function* carOf(
  reader: BlockReader,
  request: CarRequest,
): AsyncGenerator<Uint8Array, void, void> {
  const seen = new Set<string>();
  async function* section(block: BlockId): AsyncGenerator<Uint8Array, Uint8Array | null, void> {
    const cid = cidText(block);
    if (seen.has(cid)) return null;
    seen.add(cid);
    const bytes = await mustRead(reader, block);
    yield carSectionHead(block, bytes.length);
    yield bytes;
    return bytes;
  }
  async function* walk(
    block: BlockId,
    scope: DagScope,
    range: EntityBytes | null,
  ): AsyncGenerator<Uint8Array> {
    const bytes = yield* section(block);
    if (bytes === null || block.codec !== DAG_PB || scope === "block") return;
    for (const child of childrenOf(decodeUnixFsNode(bytes), scope, range)) yield* walk(child, scope, null);
  }
  yield carHeader(request.root);
  for (const block of request.proof) yield* section(block);
  yield* walk(request.root, request.scope, request.range);
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

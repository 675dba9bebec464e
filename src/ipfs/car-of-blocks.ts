import { carHeader, carSectionHead, carSectionLength } from "./car.ts";
import type { BlockId } from "./cid.ts";

/** A block that a CAR is to contain, and how many bytes it has. */
export interface SizedBlock {
  readonly block: BlockId;
  readonly size: number;
}

/** Blocks that are read ahead: with the CAR's own upload, what a Worker has connections for. */
const AHEAD = 5;

/** Bytes of a CAR of these blocks. */
export const carLength = (root: BlockId, blocks: readonly SizedBlock[]): number =>
  blocks.reduce((sum, { size }) => sum + carSectionLength(size), carHeader(root).length);

/** A CAR of exactly these blocks, in their order; some are read ahead. */
export async function* carOfBlocks(
  root: BlockId,
  blocks: readonly SizedBlock[],
  read: (block: BlockId) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  yield carHeader(root);
  const ahead: Promise<Uint8Array>[] = [];
  for (const [index, { block, size }] of blocks.entries()) {
    while (ahead.length < AHEAD && index + ahead.length < blocks.length) {
      const reading = read(blocks[index + ahead.length]!.block);
      // A failure is met when its turn comes; until then it must not count as unhandled.
      reading.catch(() => undefined);
      ahead.push(reading);
    }
    const bytes = await ahead.shift()!;
    if (bytes.length !== size) throw new Error("a block has another length than its row says");
    yield carSectionHead(block, size);
    yield bytes;
  }
}

import { createHash } from "node:crypto";
import { CarReader } from "@ipld/car";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BlockReader, decodeUnixFsNode, MissingBlock } from "../../src/files/ipfs/blocks.ts";
import { carOf, hasMoreBlocks } from "../../src/files/ipfs/car.ts";
import { type BlockId, blockIdOf, cidText, DAG_PB, RAW } from "../../src/files/ipfs/cid.ts";
import { buildDirectory, type DirectoryEntry } from "../../src/files/ipfs/directory.ts";

/** Blocks in memory, with a record of how they were requested. */
class Blocks implements BlockReader {
  readonly bytes = new Map<string, Uint8Array>();
  reads = 0;
  /** Most reads at the same time. */
  most = 0;
  /** The blocks that each call located. */
  calls: string[][] = [];
  #open = 0;

  put(codec: BlockId["codec"], bytes: Uint8Array): BlockId {
    const block = { codec, sha256: new Uint8Array(createHash("sha256").update(bytes).digest()) };
    this.bytes.set(cidText(block), bytes);
    return block;
  }

  async read(block: BlockId): Promise<Uint8Array | null> {
    this.reads += 1;
    this.#open += 1;
    this.most = Math.max(this.most, this.#open);
    // Answers come in another order than the requests.
    for (let turns = block.sha256[0]! % 7; turns >= 0; turns--) await Promise.resolve();
    this.#open -= 1;
    return this.bytes.get(cidText(block)) ?? null;
  }

  async locate(blocks: readonly BlockId[]): Promise<void> {
    this.calls.push(blocks.map(cidText));
  }
}

/** A tree of directories: a number is a file with that content, an array a directory. */
type Tree = number | readonly Tree[];

async function store(blocks: Blocks, tree: Tree): Promise<BlockId> {
  if (typeof tree === "number") return blocks.put(RAW, new TextEncoder().encode(`file ${tree}`));
  const entries: DirectoryEntry[] = [];
  for (const [index, child] of tree.entries()) {
    entries.push({ name: `${index}`, block: await store(blocks, child), totalSize: 1 });
  }
  let root: BlockId | undefined;
  await buildDirectory(entries, ({ bytes }) => {
    root = blocks.put(DAG_PB, bytes);
  });
  return root!;
}

/** The order of a CAR, by a plain recursion. */
function depthFirst(blocks: Blocks, block: BlockId, seen = new Set<string>()): string[] {
  const cid = cidText(block);
  if (seen.has(cid)) return [];
  seen.add(cid);
  if (block.codec === RAW) return [cid];
  const { links } = decodeUnixFsNode(blocks.bytes.get(cid)!);
  return [cid, ...links.flatMap((link) => depthFirst(blocks, blockIdOf(link.cid)!, seen))];
}

async function carBytes(blocks: Blocks, root: BlockId): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of carOf(blocks, { root, proof: [], scope: "all", range: null })) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, fc.nat(12), fc.array(tie("tree"), { maxLength: 9 })),
}));

describe("a CAR", () => {
  it("has every block once, depth first, whatever is read ahead", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { maxLength: 9 }), async (shape) => {
        const blocks = new Blocks();
        const root = await store(blocks, shape);
        const car = await CarReader.fromBytes(await carBytes(blocks, root));
        const order: string[] = [];
        for await (const { cid } of car.blocks()) order.push(cid.toString());
        expect(order).toEqual(depthFirst(blocks, root));
        expect(blocks.reads).toBe(order.length);
        expect(blocks.most).toBeLessThanOrEqual(6);
      }),
    );
  });

  it("of many files reads five at once, and locates them by the hundred", async () => {
    const blocks = new Blocks();
    const root = await store(
      blocks,
      Array.from({ length: 5_000 }, (_, index) => index),
    );
    await carBytes(blocks, root);
    expect(blocks.most).toBe(5);
    expect(blocks.reads).toBe(5_001);
    expect(blocks.calls.length).toBeLessThanOrEqual(1 + Math.ceil(5_000 / 196));
    expect(blocks.calls.flat()).toHaveLength(new Set(blocks.calls.flat()).size);
  });

  it("breaks off where a block is missing, when its turn comes", async () => {
    const blocks = new Blocks();
    const root = await store(blocks, [1, 2, 3]);
    const missing = await store(new Blocks(), 2);
    blocks.bytes.delete(cidText(missing));
    const sent: Uint8Array[] = [];
    const all = async () => {
      for await (const piece of carOf(blocks, { root, proof: [], scope: "all", range: null }))
        sent.push(piece);
    };
    await expect(all()).rejects.toThrow(MissingBlock);
    expect(Buffer.concat(sent).includes("file 1")).toBe(true);
    expect(Buffer.concat(sent).includes("file 3")).toBe(false);
  });

  it("is known to have more blocks than so many before any file is read", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { maxLength: 9 }), fc.nat(12), async (shape, most) => {
        const blocks = new Blocks();
        const root = await store(blocks, shape);
        const order = depthFirst(blocks, root);
        const files = order.filter((cid) => cid.startsWith("bafkrei"));
        for (const cid of files) blocks.bytes.delete(cid);
        const request = { root, proof: [], scope: "all", range: null } as const;
        expect(await hasMoreBlocks(blocks, request, most)).toBe(order.length > most);
        expect(await hasMoreBlocks(blocks, { ...request, scope: "block" }, 1)).toBe(false);
      }),
    );
  });

  it("that has too many blocks is found out by few reads", async () => {
    const blocks = new Blocks();
    const root = await store(
      blocks,
      Array.from({ length: 20_000 }, (_, index) => index),
    );
    const reads = blocks.reads;
    expect(await hasMoreBlocks(blocks, { root, proof: [], scope: "all", range: null }, 1_000)).toBe(true);
    expect(blocks.reads - reads).toBeLessThan(200);
  });
});

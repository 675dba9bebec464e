import fc from "fast-check";
import { expect, it } from "vitest";
import { type KeyHistory, proveByBlock } from "../../src/wallet/proof.ts";

/** One block of a made-up chain: `uses` are the transactions of the key in it, by nonce. */
interface Block {
  readonly height: number;
  readonly uses: readonly { readonly hash: string; readonly nonce: number }[];
  /** The key's nonce after the block. */
  readonly nonce: number;
}

const BASE = 100;
const START_NONCE = 10;

/** A chain above the base block: heights may be skipped, and a block may use the key several times. */
const chains = fc
  .array(
    fc.record({ skipped: fc.nat(3), steps: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }) }),
    {
      minLength: 1,
      maxLength: 40,
    },
  )
  .map((shape) => {
    let height = BASE;
    let nonce = START_NONCE;
    return shape.map(({ skipped, steps }): Block => {
      height += 1 + skipped;
      const uses = steps.map((step) => {
        nonce += step;
        return { nonce, hash: `tx${nonce}` };
      });
      return { height, uses, nonce };
    });
  });

/** The chain as an endpoint tells it that has forgotten everything below a height. */
const historyOf = (blocks: readonly Block[], forgottenBelow = 0): KeyHistory => {
  const base: Block = { height: BASE, uses: [], nonce: START_NONCE };
  const known = [base, ...blocks].filter(({ height }) => height >= forgottenBelow);
  const at = (block: number | string) => known.find(({ height }) => `${height}` === `${block}`);
  return {
    nonceAt: async (block) => at(block)?.nonce,
    previousOf: async (height) => {
      if (!at(height)) return undefined;
      const previous = [base, ...blocks].findLast((block) => block.height < height);
      return previous && `${previous.height}`;
    },
    usesIn: async (height) => at(height)?.uses,
  };
};

const cases = chains.filter((blocks) => blocks.at(-1)!.nonce > START_NONCE);

it("names the truth about every nonce that was reached, while no block is missing", async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.nat(), async (blocks, pick) => {
      const last = blocks.at(-1)!;
      const nonce = START_NONCE + 1 + (pick % (last.nonce - START_NONCE));
      const landed = blocks.some(({ uses }) => uses.some((use) => use.nonce === nonce));
      const row = { nonce, hash: `tx${nonce}`, baseHeight: BASE };
      expect(await proveByBlock(historyOf(blocks), row, last.height)).toBe(landed ? "landed" : "dead");
    }),
  );
});

it("declares a transaction dead that lost to another one of its nonce", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (blocks) => {
      const used = blocks.flatMap(({ uses }) => uses)[0]!;
      const row = { nonce: used.nonce, hash: "ours", baseHeight: BASE };
      expect(await proveByBlock(historyOf(blocks), row, blocks.at(-1)!.height)).toBe("dead");
    }),
  );
});

it("never says a wrong thing when blocks are forgotten", async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.nat(), fc.nat(200), async (blocks, pick, forgotten) => {
      const last = blocks.at(-1)!;
      const nonce = START_NONCE + 1 + (pick % (last.nonce - START_NONCE));
      const landed = blocks.some(({ uses }) => uses.some((use) => use.nonce === nonce));
      const row = { nonce, hash: `tx${nonce}`, baseHeight: BASE };
      const proof = await proveByBlock(historyOf(blocks, BASE + forgotten), row, last.height);
      expect([landed ? "landed" : "dead", "unproven"]).toContain(proof);
    }),
  );
});

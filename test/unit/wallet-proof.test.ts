import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TOLERATED_BLOCKS } from "../../src/chain/endpoints.ts";
import { ChainUnavailableError, RpcError } from "../../src/chain/errors.ts";
import { type CallOptions, ChainRpc } from "../../src/chain/rpc.ts";
import {
  type KeyHistory,
  keyHistory,
  proveByBlock,
  proveGone,
  statusEverywhere,
} from "../../src/wallet/observing/look.ts";

/** One block of a generated chain. `uses` are the key's transactions in it, by nonce. */
interface Block {
  readonly height: number;
  readonly uses: readonly { readonly hash: string; readonly nonce: number }[];
  /** The key was deleted in this block, after its uses. */
  readonly isDeleted: boolean;
  /** The key's nonce after the block; null: it isn't there. */
  readonly nonce: number | null;
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
      return { height, uses, nonce, isDeleted: false };
    });
  });

const base: Block = { height: BASE, uses: [], nonce: START_NONCE, isDeleted: false };

/** The chain by an endpoint that has dropped some blocks. */
const historyOf = (blocks: readonly Block[], isForgotten: (height: number) => boolean): KeyHistory => {
  const all = [base, ...blocks];
  const known = all.filter(({ height }) => !isForgotten(height));
  const at = (block: number | string) => known.find(({ height }) => `${height}` === `${block}`);
  return {
    nonceAt: async (block) => at(block)?.nonce,
    previousOf: async (height) => {
      if (!at(height)) return undefined;
      const previous = all.findLast((block) => block.height < height);
      return previous && `${previous.height}`;
    },
    changesIn: async (height) => at(height),
  };
};
const nothing = () => false;

const lastNonce = (blocks: readonly Block[]) => blocks.at(-1)!.nonce ?? 0;
const cases = chains.filter((blocks) => lastNonce(blocks) > START_NONCE);

/** A row whose nonce the key has reached, and whether that row used it. */
const rowOf = (blocks: readonly Block[], pick: number) => {
  const nonces = blocks.flatMap(({ uses }) => uses.map((use) => use.nonce));
  const most = Math.max(...nonces);
  const nonce = START_NONCE + 1 + (pick % (most - START_NONCE));
  const isOurs = pick % 3 > 0;
  const row = { nonce, hash: isOurs ? `tx${nonce}` : "ours", baseHeight: BASE };
  return { row, landed: isOurs && nonces.includes(nonce) };
};

describe("the block that reached a nonce", () => {
  test("proves the truth about every reached nonce if no block is missing", async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(), async (blocks, pick) => {
        const { row, landed } = rowOf(blocks, pick);
        const proof = await proveByBlock(historyOf(blocks, nothing), row, blocks.at(-1)!.height);
        expect(proof).toBe(landed ? "landed" : "dead");
      }),
    );
  });

  test("never proves anything wrong when any blocks are missing", async () => {
    let proven = 0;
    let unproven = 0;
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(), fc.nat(2 ** 30), async (blocks, pick, holes) => {
        const { row, landed } = rowOf(blocks, pick);
        // Either all below a height, as with one node, or any, as with several nodes behind one address.
        const until = BASE + (holes % (blocks.at(-1)!.height - BASE + 1));
        const isForgotten = (height: number) =>
          holes % 2 === 0 ? height < until : ((holes >> (height % 30)) & 1) === 1;
        const proof = await proveByBlock(historyOf(blocks, isForgotten), row, blocks.at(-1)!.height);
        if (proof === "unproven") unproven += 1;
        else proven += 1;
        expect([landed ? "landed" : "dead", "unproven"]).toContain(proof);
      }),
      { numRuns: 1_000 },
    );
    // Both cases have to occur, or the property would test nothing.
    expect(proven).toBeGreaterThan(50);
    expect(unproven).toBeGreaterThan(50);
  });

  test("proves nothing if the previous block had already reached the nonce", async () => {
    // The row landed at 105, and that block was dropped. The next block used a higher nonce.
    const blocks: Block[] = [
      { height: 105, uses: [{ hash: "ours", nonce: 11 }], nonce: 11, isDeleted: false },
      { height: 130, uses: [{ hash: "other", nonce: 12 }], nonce: 12, isDeleted: false },
    ];
    const history: KeyHistory = {
      ...historyOf(blocks, (height) => height < 130),
      // The state before is still known by the block's hash.
      nonceAt: async (block) => (block === "105" ? 11 : block === 130 ? 12 : undefined),
    };
    const row = { nonce: 11, hash: "ours", baseHeight: BASE };
    expect(await proveByBlock(history, row, 130)).toBe("unproven");
  });
});

/** A chain in which the key is deleted, and perhaps added again later with the nonces of a new key. */
const goneChains = fc
  .tuple(cases, fc.nat(), fc.option(fc.integer({ min: 1, max: 9 })))
  .map(([blocks, pick, backAfter]): Block[] => {
    const deletedIn = pick % blocks.length;
    return blocks.map((block, index) => {
      if (index < deletedIn) return block;
      if (index === deletedIn) return { ...block, isDeleted: true, nonce: null };
      const isBack = backAfter !== null && index === deletedIn + backAfter && index < blocks.length - 1;
      return { ...block, uses: [], isDeleted: false, nonce: isBack ? (block.height - 1) * 1_000_000 : null };
    });
  });

describe("the block that deleted a key", () => {
  const used = goneChains.filter((blocks) => blocks.some(({ uses }) => uses.length > 0));
  const prove = (
    blocks: readonly Block[],
    pick: number,
    isForgotten: (height: number) => boolean,
    seen = BASE,
  ) => {
    // Some rows have a nonce that the key never reached.
    const { row, landed } = rowOf(blocks, pick);
    const late = pick % 5 === 0 ? { ...row, nonce: row.nonce + 100, hash: "late" } : row;
    const history = historyOf(blocks, isForgotten);
    return {
      proof: proveGone(history, late, seen, blocks.at(-1)!.height),
      truth: landed && late === row ? "landed" : "dead",
    };
  };

  test("proves the truth about every row, whichever block the key was last seen in", async () => {
    await fc.assert(
      fc.asyncProperty(used, fc.nat(), fc.nat(), async (blocks, pick, seen) => {
        const there = [base, ...blocks].filter(({ nonce }) => nonce !== null && nonce < 1_000_000);
        const { proof, truth } = prove(blocks, pick, nothing, there[seen % there.length]!.height);
        expect(await proof).toBe(truth);
      }),
    );
  });

  test("never proves anything wrong when blocks are missing", async () => {
    await fc.assert(
      fc.asyncProperty(used, fc.nat(), fc.nat(2 ** 30), async (blocks, pick, holes) => {
        const isForgotten = (height: number) => ((holes >> (height % 30)) & 1) === 1;
        const { proof, truth } = prove(blocks, pick, isForgotten);
        expect([truth, "unproven"]).toContain(await proof);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is dead if the key was already deleted at its base block", async () => {
    const history = historyOf([{ height: 110, uses: [], nonce: null, isDeleted: false }], nothing);
    const row = { nonce: 11, hash: "ours", baseHeight: 110 };
    expect(await proveGone(history, row, 110, 110)).toBe("dead");
  });

  test("proves nothing for a nonce that the key could get again", async () => {
    const blocks = [{ height: 110, uses: [], nonce: null, isDeleted: true }];
    const row = { nonce: BASE * 1_000_000 + 1, hash: "ours", baseHeight: BASE };
    expect(await proveGone(historyOf(blocks, nothing), row, BASE, 110)).toBe("unproven");
    expect(await proveGone(historyOf(blocks, nothing), { ...row, nonce: BASE * 1_000_000 }, BASE, 110)).toBe(
      "dead",
    );
  });

  test("proves nothing without a visible deletion", async () => {
    const blocks = [{ height: 110, uses: [], nonce: null, isDeleted: false }];
    const row = { nonce: 11, hash: "ours", baseHeight: BASE };
    expect(await proveGone(historyOf(blocks, nothing), row, BASE, 110)).toBe("unproven");
  });
});

describe("a block of the last heights, where a lagging node may still have a dropped one", () => {
  const nobody = new ChainRpc([]);
  const history = keyHistory(nobody, "wallet.near", "ed25519:key", { finalHeight: 100 + TOLERATED_BLOCKS });

  test("isn't read for changes", async () => {
    expect(await history.changesIn(101)).toBe("early");
  });

  test("proves nothing yet, and doesn't count as missing", async () => {
    const young = { ...history, previousOf: async () => "before" };
    const used = { ...young, nonceAt: async (block: number | string) => (block === "before" ? 10 : 11) };
    const row = { nonce: 11, hash: "ours", baseHeight: 100 };
    expect(await proveByBlock(used, row, 101)).toBe("early");
    const gone = { ...young, nonceAt: async (block: number | string) => (block === 101 ? null : 10) };
    expect(await proveGone(gone, row, 100, 101)).toBe("early");
  });

  test("is read for changes once it is deep enough", async () => {
    await expect(history.changesIn(100)).rejects.toThrow(ChainUnavailableError);
  });
});

describe("a transaction's status, which several endpoints are asked for,", () => {
  const outcome = { block_hash: "b", outcome: { gas_burnt: 1, tokens_burnt: "1", logs: [] } };
  const answers = {
    final: { final_execution_status: "FINAL", status: { SuccessValue: "" }, transaction_outcome: outcome },
    included: { final_execution_status: "INCLUDED" },
    unknown: new RpcError("UNKNOWN_TRANSACTION", {}, null),
    silent: new ChainUnavailableError(null),
  };
  type Said = keyof typeof answers;

  /** Endpoints that each say one thing. */
  const endpointsThatSay = (...said: readonly Said[]): ChainRpc => {
    const rpc = new ChainRpc(said.map((_, index) => String(index)));
    rpc.call = async <T>(_method: string, _params: unknown, { endpoint }: CallOptions = {}) => {
      const answer = answers[said[Number(endpoint)]!];
      if (answer instanceof Error) throw answer;
      return answer as T;
    };
    return rpc;
  };
  const statusOf = async (...said: readonly Said[]) =>
    (await statusEverywhere(endpointsThatSay(...said), "hash", "signer.near")).kind;

  test.each<[string, readonly Said[]]>([
    ["final", ["included", "silent", "final"]],
    ["final", ["final", "unknown"]],
    ["pending", ["included", "unknown"]],
    ["pending", ["unknown", "included"]],
    ["pending", ["unknown", "included", "silent", "unknown"]],
    ["unknown", ["silent", "unknown", "silent"]],
  ])(
    "is %s if they answer %j: an endpoint that doesn't know the transaction is ignored",
    async (status, said) => {
      expect(await statusOf(...said)).toBe(status);
    },
  );

  test("is unavailable only if none responds", async () => {
    await expect(statusOf("silent", "silent")).rejects.toThrow(ChainUnavailableError);
  });
});

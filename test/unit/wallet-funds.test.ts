import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { NO_COST } from "../../src/chain/cost.ts";
import { ChainRpc } from "../../src/chain/rpc.ts";
import { coverOf, Funds } from "../../src/wallet/chain-state/funds.ts";
import { closeNodes, EPOCH, type ScriptedNode, scriptedNode } from "../support/scripted-node.ts";

afterEach(closeNodes);

const amount = fc.bigInt({ min: 0n, max: 1_000n });
const cost = fc.record({ certain: amount, gas: amount, ahead: amount });
const reserved = fc
  .record({ certain: amount, gas: amount, open: amount })
  .map(({ certain, gas, open }) => ({ certain, queued: certain + gas, open }));

describe("the check whether a wallet can pay a cost", () => {
  test("succeeds only if all reservations can also be paid", () => {
    fc.assert(
      fc.property(amount, amount, reserved, cost, (available, spent, promised, one) => {
        const all = promised.queued + promised.open + one.certain + one.gas + one.ahead;
        expect(coverOf(available, spent, promised, one) === "enough").toBe(available - spent >= all);
      }),
    );
  });

  test("doesn't fail for refundable reservations or amounts that may already be deducted", () => {
    fc.assert(
      fc.property(amount, amount, reserved, cost, (available, spent, { queued, certain, open }, one) => {
        const alone = coverOf(available, 0n, { queued: certain, certain, open: 0n }, one);
        const cover = coverOf(available, spent, { queued, certain, open }, one);
        expect(cover === "short").toBe(alone === "short");
      }),
    );
  });

  test("succeeds after exactly the missing amount was paid in", () => {
    fc.assert(
      fc.property(amount, cost, (available, one) => {
        const nothing = { queued: 0n, certain: 0n, open: 0n };
        const missing = one.certain + one.gas + one.ahead - available;
        fc.pre(missing > 0n);
        expect(coverOf(available, 0n, nothing, one)).toBe("short");
        expect(coverOf(available + missing - 1n, 0n, nothing, one)).toBe("short");
        expect(coverOf(available + missing, 0n, nothing, one)).toBe("enough");
      }),
    );
  });
});

test("a balance of an older block doesn't replace the known one", async () => {
  const [ahead, behind] = [await scriptedNode(1_000, "1"), await scriptedNode(999, "10")];
  const clock = { now: EPOCH + 1_500 };
  const funds = new Funds(new ChainRpc([ahead.url, behind.url], [], () => clock.now), () => clock.now);
  await funds.read("wallet.near");
  expect(funds.available).toBe(1n);
  funds.spend(1n);
  // The first is asked no more, and the second doesn't have the block yet in which the balance sank.
  ahead.isUp = false;
  await funds.read("wallet.near");
  expect(behind.asked).toContain("query");
  const nothing = { queued: 0n, certain: 0n, open: 0n };
  expect([funds.available, funds.forSigning(nothing)]).toEqual([1n, 0n]);
});

describe("a balance that is too low", () => {
  const NOTHING = { queued: 0n, certain: 0n, open: 0n };
  const TEN = { ...NO_COST, certain: 10n };
  const ask = (funds: Funds) => funds.ask("wallet.near", () => NOTHING, TEN);
  const scene = async (...amounts: string[]) => {
    const nodes: ScriptedNode[] = [];
    for (const each of amounts) nodes.push(await scriptedNode(1_000, each));
    const urls = nodes.map(({ url }) => url);
    return { nodes, funds: new Funds(new ChainRpc(urls, [], () => EPOCH + 1_500), () => EPOCH + 1_500) };
  };
  /** The next block of a node comes with this balance. */
  const next = (node: ScriptedNode | undefined, balance: string) =>
    setTimeout(() => Object.assign(node!, { final: node!.final + 1, amount: balance }), 100);

  test("is read again from another endpoint and a later block, which may have a payment", async () => {
    const { nodes, funds } = await scene("1", "1");
    next(nodes[1], "10");
    expect(await ask(funds)).toBe("enough");
  });

  test("is read again from the only endpoint once it has another block", async () => {
    const { nodes, funds } = await scene("1");
    next(nodes[0], "10");
    expect(await ask(funds)).toBe("enough");
  });

  test("is rejected if a later block confirms it", async () => {
    const { nodes, funds } = await scene("1", "1");
    next(nodes[1], "9");
    expect(await ask(funds)).toBe("short");
    expect(funds.available).toBe(9n);
    expect(nodes[1]!.asked).toContain("query");
  });

  test("isn't rejected on nodes without a later block", async () => {
    const { funds } = await scene("1");
    await expect(ask(funds)).rejects.toMatchObject({ name: "NodesLagError" });
  });
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ChainRpc } from "../../src/chain/rpc.ts";
import { DisplayedBalance } from "../../src/wallet/chain-state/funds.ts";
import { closeNodes, EPOCH, type ScriptedNode, scriptedNode } from "../support/scripted-node.ts";

let node: ScriptedNode;
let now: number;
let shown: DisplayedBalance;

beforeEach(async () => {
  now = EPOCH;
  node = await scriptedNode(100, "10");
  shown = new DisplayedBalance(new ChainRpc([node.url], [], () => now), () => now);
});
afterEach(closeNodes);

const read = async (state: string, maxAgeMs = 5_000) =>
  (await shown.read({ accountId: "shop.near", state, maxAgeMs }))?.total;
const questions = () => node.asked.filter((method) => method === "query").length;

test("a shown balance is read once for many requests, and again after the wallet changed", async () => {
  expect(await Promise.all([read("1"), read("1"), read("1")])).toEqual([10n, 10n, 10n]);
  expect(questions()).toBe(1);
  node.amount = "7";
  now += 4_999;
  expect(await read("1")).toBe(10n);
  expect(await read("2")).toBe(7n);
  expect(questions()).toBe(2);
  node.amount = "9";
  now += 5_000;
  expect(await read("2")).toBe(9n);
  expect(await read("2", 0)).toBe(9n);
  expect(questions()).toBe(4);
});

test("a slow read of a balance is shared, and its age counts from its answer", async () => {
  let answered = Promise.withResolvers<never>();
  const rpc = { call: () => answered.promise } as unknown as ChainRpc;
  const asked = vi.spyOn(rpc, "call");
  const slow = new DisplayedBalance(rpc, () => now);
  const ask = (maxAgeMs = 5_000) => slow.read({ accountId: "shop.near", state: "1", maxAgeMs });
  const first = ask();
  now += 8_000;
  const second = ask();
  expect(asked).toHaveBeenCalledTimes(1);
  const third = ask(0);
  expect(asked).toHaveBeenCalledTimes(2);
  answered.resolve({ amount: "3", locked: "0", storage_usage: 100, block_height: 1 } as never);
  expect((await Promise.all([first, second, third])).map((balance) => balance?.total)).toEqual([3n, 3n, 3n]);
  answered = Promise.withResolvers();
  now += 4_999;
  expect((await ask())?.total).toBe(3n);
  expect(asked).toHaveBeenCalledTimes(2);
});

test("a balance is read again a second after a failure", async () => {
  node.isUp = false;
  expect(await read("1")).toBeUndefined();
  node.isUp = true;
  now += 999;
  node.time = now;
  expect(await read("1", 120_000)).toBeUndefined();
  now += 60_000;
  node.time = now;
  expect(await read("1", 120_000)).toBe(10n);
});

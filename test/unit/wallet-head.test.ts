import { afterEach, expect, test } from "vitest";
import { ChainRpc } from "../../src/chain/rpc.ts";
import { Head } from "../../src/wallet/chain-state/head.ts";
import { closeNodes, EPOCH, scriptedNode } from "../support/scripted-node.ts";

afterEach(closeNodes);

const scene = async () => {
  const node = await scriptedNode(1_000, "1");
  const clock = { now: EPOCH + 1_500 };
  const rpc = new ChainRpc([node.url], [], () => clock.now);
  return { node, clock, head: new Head(rpc, () => clock.now) };
};

test("a slightly lagging node never lowers the final block", async () => {
  const { node, head } = await scene();
  await head.refresh();
  node.final = 999;
  expect((await head.refresh()).height).toBe(1_000);
  expect(head.block?.hash).toBe("h1000");
  node.final = 1_001;
  expect((await head.refresh()).height).toBe(1_001);
});

test("a slightly lagging response doesn't refresh the known block", async () => {
  const { node, clock, head } = await scene();
  await head.refresh();
  expect(head.fresh).toBe(true);
  clock.now += 6_000;
  node.final = 999;
  await head.refresh();
  expect(head.fresh).toBe(false);
});

test("a chain without a new final block for a minute counts as halted until the next one", async () => {
  const { node, clock, head } = await scene();
  await head.refresh();
  await head.requireBlocks();
  clock.now += 61_000;
  await expect(head.requireBlocks()).rejects.toMatchObject({
    code: "chain_unavailable",
    details: { outcome: "not_submitted", retryAfter: 10 },
  });
  Object.assign(node, { final: 1_001, time: clock.now });
  await head.requireBlocks();
});

test("a height higher than an hour ago doesn't prove that blocks are produced", async () => {
  const { node, clock, head } = await scene();
  await head.refresh();
  clock.now += 3_600_000;
  Object.assign(node, { final: 4_000, time: clock.now - 120_000 });
  await head.refresh();
  await expect(head.requireBlocks()).rejects.toMatchObject({ code: "chain_unavailable" });
});

test.each([-86_400_000, 86_400_000])("a clock difference of %i ms isn't a halt", async (skew) => {
  const { node, head } = await scene();
  node.time += skew;
  await head.refresh();
  const required = head.requireBlocks();
  node.final += 1;
  node.time += 600;
  await required;
});

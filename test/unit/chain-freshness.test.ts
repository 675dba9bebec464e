import { afterEach, describe, expect, test } from "vitest";
import { readBlock } from "../../src/chain/blocks.ts";
import { TOLERATED_BLOCKS } from "../../src/chain/endpoints.ts";
import { ChainRpc } from "../../src/chain/rpc.ts";
import { transactionStatus } from "../../src/chain/send.ts";
import { accountBalance } from "../../src/chain/views.ts";
import { closeNodes, EPOCH, type ScriptedNode, scriptedNode } from "../support/scripted-node.ts";

afterEach(closeNodes);

/** Two nodes, a connection to both, and a clock. */
const scene = async () => {
  const [first, second] = [await scriptedNode(1_000, "1"), await scriptedNode(1_000, "2")];
  const clock = { now: EPOCH + 1_500 };
  const open = () => new ChainRpc([first.url, second.url], [], () => clock.now);
  const rpc = open();
  /** Time passes, blocks come, and these nodes see them. */
  const pass = (ms: number, ...nodes: ScriptedNode[]) => {
    clock.now += ms;
    for (const each of nodes) {
      each.final += Math.floor(ms / 600);
      each.time += ms;
    }
  };
  const total = async (at: "final" | "optimistic" = "final", atLeast = 0) => {
    const balance = await accountBalance(rpc, "alice.near", at, { atLeast });
    return Number(balance?.total);
  };
  return { first, second, clock, open, rpc, pass, total };
};

const LAGS = { name: "NodesLagError", code: "chain_unavailable" };

describe("an endpoint that keeps returning old blocks", () => {
  test.each(["final", "optimistic"] as const)(
    "is replaced by one with newer blocks: %s state",
    async (at) => {
      const { first, second, pass, total, rpc } = await scene();
      expect(await total(at)).toBe(1);
      pass(15_000, second);
      expect(await total(at)).toBe(2);
      expect(rpc.order()).toEqual([second.url, first.url]);
    },
  );

  test("is replaced by one with newer blocks for final blocks and for calls that name no block", async () => {
    const { first, second, pass, rpc } = await scene();
    await readBlock(rpc, "final");
    pass(15_000, second);
    expect((await readBlock(rpc, "final")).height).toBe(second.final);
    second.asked.length = 0;
    expect(await transactionStatus(rpc, "hash", "signer")).toEqual({ kind: "unknown" });
    expect(second.asked).toContain("tx");
    expect(rpc.order()[0]).toBe(second.url);
    expect(first.asked.filter((method) => method === "tx")).toEqual([]);
  });

  test("isn't used for a transaction's status, even if the call prefers it and is the first", async () => {
    const { first, second, pass, open } = await scene();
    pass(15_000, second);
    await transactionStatus(open(), "hash", "signer", { endpoint: first.url });
    expect(second.asked).toContain("tx");
  });

  test("is detected by its unchanged height, even if its clock is ahead", async () => {
    const { first, second, pass, rpc } = await scene();
    first.time += 3_600_000;
    second.time += 3_600_000;
    await readBlock(rpc, "final");
    pass(15_000, second);
    expect((await readBlock(rpc, "final")).height).toBe(second.final);
  });

  test("is used first again after it has caught up and its pause is over", async () => {
    const { first, second, pass, total, rpc } = await scene();
    await total();
    pass(15_000, second);
    await total();
    Object.assign(first, { final: second.final, time: second.time });
    pass(6_000, first, second);
    expect(await total()).toBe(1);
    expect(rpc.order()).toEqual([first.url, second.url]);
  });

  test("isn't paused longer for old blocks that it returns while the other endpoint is down", async () => {
    const { first, second, pass, total } = await scene();
    await total();
    pass(15_000, second);
    expect(await total()).toBe(2);
    second.isUp = false;
    for (let times = 0; times < 3; times++) await expect(total()).rejects.toMatchObject(LAGS);
    second.isUp = true;
    Object.assign(first, { final: second.final, time: second.time });
    pass(6_000, first, second);
    expect(await total()).toBe(1);
  });

  test("is known to all connections of the isolate", async () => {
    const { second, pass, total, open } = await scene();
    await total();
    pass(15_000, second);
    await total();
    expect(open().order()[0]).toBe(second.url);
  });
});

describe("a chain", () => {
  test("that produces no blocks on any node can still be read, and no endpoint is replaced", async () => {
    const { first, second, pass, total, rpc } = await scene();
    await total();
    pass(600_000);
    expect(await total()).toBe(1);
    expect((await readBlock(rpc, "final")).height).toBe(first.final);
    expect(rpc.order()).toEqual([first.url, second.url]);
    const looks = first.asked.length + second.asked.length;
    for (let again = 0; again < 20; again++) await total();
    expect(first.asked.length + second.asked.length).toBeLessThan(looks + 25);
  });

  test("never seems to go back: an answer from before the last final block is refused", async () => {
    const { first, second, pass, total } = await scene();
    await total();
    pass(60_000, second);
    expect(await total()).toBe(2);
    second.isUp = false;
    await expect(total()).rejects.toMatchObject(LAGS);
    await expect(total("optimistic")).rejects.toMatchObject(LAGS);
    first.final = second.final - TOLERATED_BLOCKS;
    expect(await total()).toBe(1);
    await expect(total("final", second.final)).rejects.toMatchObject(LAGS);
  });

  test("can be read again after one node reported a height that no other node reaches", async () => {
    const { first, second, clock, total } = await scene();
    second.final = 10 ** 12;
    first.isUp = false;
    expect(await total()).toBe(2);
    Object.assign(first, { isUp: true });
    second.isUp = false;
    await expect(total()).rejects.toMatchObject(LAGS);
    clock.now += 61_000;
    first.time = clock.now;
    expect(await total()).toBe(1);
  });
});

describe("a node that refuses requests for a time", () => {
  test.each([
    ["seconds", (_now: number) => "30"],
    ["a date", (now: number) => new Date(now + 30_500).toUTCString()],
  ])("isn't asked for as long as its Retry-After says in %s, by any connection", async (_name, header) => {
    const { first, second, clock, open, total } = await scene();
    clock.now = Date.now();
    Object.assign(first, { time: clock.now });
    Object.assign(second, { time: clock.now });
    first.refusal = { status: 429, headers: { "retry-after": header(Date.now()) } };
    expect(await total()).toBe(2);
    first.asked.length = 0;
    first.refusal = null;
    for (let wallet = 0; wallet < 5; wallet++) await accountBalance(open(), "alice.near");
    clock.now += 28_000;
    await accountBalance(open(), "alice.near");
    expect(first.asked).toEqual([]);
    clock.now += 3_000;
    Object.assign(first, { time: clock.now });
    expect(await total()).toBe(1);
  });

  test("isn't asked even if it is the only one, and callers get its Retry-After", async () => {
    const only = await scriptedNode(1_000, "1");
    only.refusal = { status: 429, headers: { "retry-after": "40" } };
    const open = () => new ChainRpc([only.url]);
    const refused = { code: "chain_unavailable", details: { retryAfter: 40, outcome: "not_submitted" } };
    await expect(open().call("status", [])).rejects.toMatchObject(refused);
    only.asked.length = 0;
    for (let wallet = 0; wallet < 5; wallet++) {
      await expect(open().call("status", [])).rejects.toMatchObject({ code: "chain_unavailable" });
    }
    expect(only.asked).toEqual([]);
  });

  test("without saying how long is paused longer each time, and a 503's Retry-After is followed too", async () => {
    const only = await scriptedNode(1_000, "1");
    const clock = { now: EPOCH };
    const rpc = new ChainRpc([only.url], [], () => clock.now);
    only.refusal = { status: 429, headers: {} };
    const waits: number[] = [];
    for (let again = 0; again < 4; again++) {
      const error = (await rpc.call("status", []).catch((caught: unknown) => caught)) as {
        details: { retryAfter: number };
      };
      waits.push(error.details.retryAfter);
      clock.now += error.details.retryAfter * 1_000;
    }
    expect(waits).toEqual([1, 2, 4, 8]);
    only.refusal = { status: 503, headers: { "retry-after": "9" } };
    await expect(rpc.call("status", [])).rejects.toMatchObject({ details: { retryAfter: 9 } });
  });
});

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

describe("an endpoint that goes on answering old blocks", () => {
  test.each(["final", "optimistic"] as const)("is left for one that doesn't: %s state", async (at) => {
    const { first, second, pass, total, rpc } = await scene();
    expect(await total(at)).toBe(1);
    pass(15_000, second);
    expect(await total(at)).toBe(2);
    expect(rpc.order()).toEqual([second.url, first.url]);
  });

  test("is left for one that doesn't, for the last final block and for what names no block at all", async () => {
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

  test("isn't believed about a transaction, even where it is preferred and nothing else was asked before", async () => {
    const { first, second, pass, open } = await scene();
    pass(15_000, second);
    await transactionStatus(open(), "hash", "signer", { endpoint: first.url });
    expect(second.asked).toContain("tx");
  });

  test("is noticed though its clock is ahead, because its height stays", async () => {
    const { first, second, pass, rpc } = await scene();
    first.time += 3_600_000;
    second.time += 3_600_000;
    await readBlock(rpc, "final");
    pass(15_000, second);
    expect((await readBlock(rpc, "final")).height).toBe(second.final);
  });

  test("is asked first again when it has caught up, after its rest", async () => {
    const { first, second, pass, total, rpc } = await scene();
    await total();
    pass(15_000, second);
    await total();
    Object.assign(first, { final: second.final, time: second.time });
    pass(6_000, first, second);
    expect(await total()).toBe(1);
    expect(rpc.order()).toEqual([first.url, second.url]);
  });

  test("rests no longer because it goes on answering meanwhile, while the other is down", async () => {
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
  test("that stands still on all nodes is read all the same, and nobody is to blame", async () => {
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

  test("never goes back: what is behind the last final block seen is no answer, be it the only one", async () => {
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

  test("isn't lost for good by a height that nobody else ever reaches", async () => {
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

describe("a node that wants no requests for a while", () => {
  test.each([
    ["seconds", (_now: number) => "30"],
    ["a date", (now: number) => new Date(now + 30_500).toUTCString()],
  ])("is left alone for as long as it says in %s, by all connections", async (_name, header) => {
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

  test("is not asked though it is the only one; callers are told when it is", async () => {
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

  test("and doesn't say for how long is left for longer each time, and taken at its word with 503 too", async () => {
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

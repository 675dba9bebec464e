import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import { acknowledgeSoon } from "../../src/operations/engine/acknowledgements.ts";

const LONG_MS = 10_000;

/** A wallet by a name of its own, that notes the operations of each call. */
const walletThat = (answers: () => Promise<void>) => {
  const calls: Uuid[][] = [];
  const missed: unknown[] = [];
  const work: Promise<unknown>[] = [];
  const name = newUuid();
  const wallet = {
    acknowledgeAll: (some: readonly { operationUuid: Uuid }[]) => {
      calls.push(some.map(({ operationUuid }) => operationUuid));
      return answers();
    },
  };
  const context = {
    log: (_: string, fields: Readonly<Record<string, unknown>> = {}) =>
      void missed.push(fields.operation_uuid),
    waitUntil: (all: Promise<unknown>) => void work.push(all),
  };
  const acknowledge = (operationUuid: Uuid) => acknowledgeSoon(context, wallet, name, { operationUuid });
  return { calls, missed, work, acknowledge };
};

const some = (count: number): Uuid[] => Array.from({ length: count }, () => newUuid());
const succeeds = () => Promise.resolve();

describe("acknowledgements", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("of one wallet at one time go in one call, which one request makes", async () => {
    const [first, second] = [walletThat(succeeds), walletThat(succeeds)];
    const [ofFirst, ofSecond] = [some(3), some(2)];
    for (const operation of ofFirst) first.acknowledge(operation);
    for (const operation of ofSecond) second.acknowledge(operation);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect([first.calls, second.calls]).toEqual([[ofFirst], [ofSecond]]);
    expect([first.work, second.work].map(({ length }) => length)).toEqual([1, 1]);
  });

  test("behind a call go in the next", async () => {
    const { calls, acknowledge } = walletThat(succeeds);
    const operations = some(2);
    for (const operation of operations) {
      acknowledge(operation);
      await vi.advanceTimersByTimeAsync(LONG_MS);
    }
    expect(calls).toEqual(operations.map((operation) => [operation]));
  });

  test("are at most a hundred a call", async () => {
    const { calls, acknowledge } = walletThat(succeeds);
    const operations = some(201);
    for (const operation of operations) acknowledge(operation);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(calls.map(({ length }) => length)).toEqual([100, 100, 1]);
    expect(calls.flat()).toEqual(operations);
  });

  test("that don't arrive are each told of, and hold up no others", async () => {
    let isFirst = true;
    const { calls, missed, work, acknowledge } = walletThat(() => {
      const fails = isFirst;
      isFirst = false;
      return fails ? Promise.reject(new Error("the object is gone")) : succeeds();
    });
    const operations = some(101);
    for (const operation of operations) acknowledge(operation);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    await Promise.all(work);
    expect(missed).toEqual(operations.slice(0, 100));
    expect(calls[1]).toEqual(operations.slice(100));
  });

  test("of a request that is cut off go with the next one's", async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["Date"] });
    const { calls, acknowledge } = walletThat(succeeds);
    const [cutOff, gathered, next] = some(3);
    vi.stubGlobal("setTimeout", () => 0);
    acknowledge(cutOff!);
    acknowledge(gathered!);
    vi.unstubAllGlobals();
    vi.setSystemTime(Date.now() + 1_001);
    acknowledge(next!);
    await vi.waitFor(() => expect(calls).toEqual([[cutOff, gathered, next]]));
  });

  test("of requests that are cut off are kept for the last thousand wallets", async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["Date"] });
    const [oldest, second] = [walletThat(succeeds), walletThat(succeeds)];
    const [lost, kept, ...later] = some(4);
    vi.stubGlobal("setTimeout", () => 0);
    oldest.acknowledge(lost!);
    second.acknowledge(kept!);
    for (let others = 0; others < 999; others++) walletThat(succeeds).acknowledge(newUuid());
    vi.unstubAllGlobals();
    vi.setSystemTime(Date.now() + 1_001);
    second.acknowledge(later[0]!);
    oldest.acknowledge(later[1]!);
    await vi.waitFor(() =>
      expect([...second.calls, ...oldest.calls]).toEqual([[kept, later[0]], [later[1]]]),
    );
  });
});

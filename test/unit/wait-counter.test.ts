import { expect, test } from "vitest";
import type { ServiceContext } from "../../src/context.ts";
import { paidByKey, WaitCounter } from "../../src/http/rate-limit.ts";
import type { Ask, Grant } from "../../src/http/request-counter.ts";

test("a request counts as waiting until it leaves", () => {
  const waiters = new WaitCounter(100);
  const [one] = [waiters.join(0), waiters.join(0)];
  expect(waiters.count(99)).toBe(2);
  waiters.leave(one);
  waiters.leave(one);
  expect(waiters.count(99)).toBe(1);
});

test("a request that ended without leaving doesn't count, and one that renews its wait does", () => {
  const waiters = new WaitCounter(100);
  const stays = waiters.join(0);
  waiters.join(0);
  waiters.renew(stays, 60);
  expect(waiters.count(99)).toBe(2);
  expect(waiters.count(100)).toBe(1);
  expect(waiters.count(160)).toBe(0);
  waiters.renew(stays, 160);
  expect(waiters.count(160)).toBe(1);
});

test("two calls of nodes are included in a request, and each further one counts as another request", async () => {
  let counted = 0;
  const take = async ({ wanted }: Ask): Promise<Grant> => {
    counted += wanted;
    return { id: counted, count: wanted, lastsMs: 60_000, remaining: 100 - counted, freeAfterMs: 0 };
  };
  const env = { REQUEST_COUNTER: { getByName: () => ({ take }) } };
  const context = { env, now: () => new Date(), waitUntil: () => undefined } as unknown as ServiceContext;
  const counts: number[] = [];
  const { admitCall } = paidByKey(context, { id: crypto.randomUUID(), requests: 100 });
  for (let call = 0; call < 4; call++) {
    await admitCall();
    counts.push(counted);
  }
  expect(counts).toEqual([0, 0, 1, 2]);
});

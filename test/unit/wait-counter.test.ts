import { expect, test } from "vitest";
import { WaitCounter } from "../../src/http/rate-limit.ts";

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

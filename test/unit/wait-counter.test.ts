import { expect, test } from "vitest";
import { WaitCounter } from "../../src/http/rate-limit.ts";

test("counts who waits until they leave", () => {
  const waiters = new WaitCounter(100);
  const [one] = [waiters.join(0), waiters.join(0)];
  expect(waiters.count(99)).toBe(2);
  waiters.leave(one);
  waiters.leave(one);
  expect(waiters.count(99)).toBe(1);
});

test("counts nobody who was ended without leaving, and everybody who says that they still wait", () => {
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

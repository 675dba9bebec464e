import { expect, test } from "vitest";
import { SharedReads } from "../../src/chain/shared-reads.ts";

/** A keeper of two answers, a clock, and how often it was asked. */
function scene(pendingMs = 20) {
  const kept = new SharedReads<string>({ ttlMs: 5_000, pendingMs, most: 2 });
  const clock = { now: 0 };
  const behind: unknown[] = [];
  const asked: string[] = [];
  const get = (
    name: string,
    answer: () => Promise<string> = async () => `${name} ${clock.now}`,
    settings = SHOP,
    admit?: () => Promise<void>,
  ) => {
    const ask = () => {
      asked.push(name);
      return answer();
    };
    const asker = {
      settings,
      now: () => new Date(clock.now),
      waitUntil: (work: unknown) => behind.push(work),
    };
    return kept.get(asker, name, ask, admit);
  };
  return { get, clock, asked, behind };
}

const SHOP = {};

test("a read's answer is reused for five seconds for equal questions with the same settings", async () => {
  const { get, clock, asked } = scene();
  expect(await Promise.all([get("a"), get("a"), get("b")])).toEqual(["a 0", "a 0", "b 0"]);
  clock.now = 4_999;
  expect(await get("a")).toBe("a 0");
  expect(await get("a", undefined, {})).toBe("a 4999");
  clock.now = 5_000;
  expect(await get("a")).toBe("a 5000");
  expect(asked).toEqual(["a", "b", "a", "a"]);
});

test("answers of reads are kept up to a maximum number", async () => {
  const { get, asked } = scene();
  for (const name of ["a", "b", "c", "b", "a"]) await get(name);
  expect(asked).toEqual(["a", "b", "c", "a"]);
});

test("the age of a read's answer counts from its arrival, and equal questions join it before", async () => {
  const { get, clock, asked, behind } = scene(30_000);
  const answer = Promise.withResolvers<string>();
  const both = [get("a", () => answer.promise)];
  clock.now = 8_000;
  both.push(get("a"));
  answer.resolve("late");
  expect(await Promise.all(both)).toEqual(["late", "late"]);
  await Promise.all(behind);
  clock.now = 12_999;
  expect(await get("a")).toBe("late");
  expect(asked).toEqual(["a"]);
  clock.now = 13_000;
  expect(await get("a")).toBe("a 13000");
});

test("a failed read is returned to all who ask within a second, and then repeated", async () => {
  const { get, asked, behind, clock } = scene();
  const fails = () => Promise.reject(new Error("no node answers"));
  const both = await Promise.allSettled([get("a", fails), get("a", fails)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await Promise.all(behind);
  clock.now = 999;
  await expect(get("a")).rejects.toThrow("no node answers");
  expect(asked).toEqual(["a"]);
  clock.now = 1_000;
  expect(await get("a")).toBe("a 1000");
});

test("a read whose request has ended is repeated once for all who still wait for it", async () => {
  const { get, asked } = scene();
  void get("a", () => new Promise(() => undefined));
  expect(await Promise.all([get("a"), get("a"), get("a")])).toEqual(["a 0", "a 0", "a 0"]);
  expect(asked).toEqual(["a", "a"]);
});

test("a question that waits for its budget, or is refused, delays no other and fails no other", async () => {
  const { get, asked } = scene();
  const gate = Promise.withResolvers<void>();
  const waits = get("a", undefined, SHOP, () => gate.promise);
  const refused = get("a", undefined, SHOP, () => Promise.reject(new Error("no calls left")));
  expect(await get("a", undefined, SHOP, async () => undefined)).toBe("a 0");
  await expect(refused).rejects.toThrow("no calls left");
  gate.resolve();
  // Told meanwhile what the other has asked.
  expect(await waits).toBe("a 0");
  expect(asked).toEqual(["a"]);
});

test("equal questions that are admitted at once cause one read, and its answer needs no budget", async () => {
  const { get, asked } = scene();
  let admitted = 0;
  const admit = async () => {
    admitted += 1;
  };
  await Promise.all([get("a", undefined, SHOP, admit), get("a", undefined, SHOP, admit)]);
  expect(await get("a", undefined, SHOP, () => Promise.reject(new Error("not needed")))).toBe("a 0");
  expect(asked).toEqual(["a"]);
  expect(admitted).toBe(2);
});

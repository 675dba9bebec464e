import { expect, test } from "vitest";
import { mayHaveMore } from "../../src/chain/contract/views.ts";

/** The longest that the contract shows of a collection: four lists of 1,000 names of 64 characters. */
const names = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(64, "x"));
const longest = { description: "d".repeat(1_024), a: names, b: names, c: names, d: names };
const usual = { a: names.map((name) => name.slice(45)), b: [], c: [], d: [] };

/** As many of an entry as the contract puts on a page of collections: it ends one below 600 kB. */
const pageOf = (entry: object): object[] => {
  const page = [entry];
  while (Buffer.byteLength(JSON.stringify([...page, entry])) < 600_000) page.push(entry);
  return page;
};

test("a list is read on after a page that is full by number or by length, and ends with a short page", () => {
  for (const entry of [longest, usual]) {
    const page = pageOf(entry);
    expect(page.length).toBeLessThan(50);
    expect(mayHaveMore(page, 50)).toBe(true);
  }
  expect(mayHaveMore(Array(50).fill({}), 50)).toBe(true);
  expect(mayHaveMore(Array(49).fill({}), 50)).toBe(false);
  expect(mayHaveMore([], 50)).toBe(false);
});

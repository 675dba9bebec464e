import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MUTANTS } from "../mutants/list/index.ts";
import { drawn, isContract, mutated, projectOf } from "../mutants/mutant.ts";
import { ROOT } from "../support/imports.ts";

/** Where a title takes a value: `%s`, `$name`, `${expression}`. */
const PLACE = /%[a-z]|\$\{[^}]*\}|\$[\w.]+/;

/** Letters that have to be the title's own where a text names a case of a title with a value. */
const LEAST = 8;

/** How many letters a text ends with that another one begins with. */
const overlap = (ending: string, beginning: string): number =>
  beginning.split("").findLastIndex((_, at) => ending.endsWith(beginning.slice(0, at + 1))) + 1;

/** Whether a test file has a title with this text, or one of whose cases has it. */
const names = (source: string, text: string): boolean => {
  const titles = Array.from(
    source.matchAll(/"([^"\n]*)"|`([^`\n]*)`/g),
    ([, quoted, made]) => quoted ?? made!,
  );
  const hasCase = (before: string, behind: string) => {
    const end = overlap(text, behind);
    return (end > 0 || behind === "") && overlap(before, text) + end >= LEAST;
  };
  return (
    source.includes(text) ||
    titles.some((title) => {
      const parts = title.split(PLACE);
      return parts.slice(1).some((behind, at) => hasCase(parts[at]!, behind));
    })
  );
};

describe("the list of mutants", () => {
  test("has at least 60 entries with unique names", () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  });

  test.each(MUTANTS)("$id changes the present code, and names existing tests", (mutant) => {
    const text = readFileSync(join(ROOT, mutant.file), "utf8");
    expect(mutated(mutant, text)).not.toBe(text);
    expect(mutant.tests).not.toEqual([]);
    const texts = mutant.tests.map((name) => {
      if (!isContract(mutant)) projectOf(name);
      const path = isContract(mutant) ? `contract/harness/tests/${name}.rs` : name;
      expect(existsSync(join(ROOT, path)), path).toBe(true);
      return readFileSync(join(ROOT, path), "utf8");
    });
    if (mutant.named !== undefined) expect(texts.some((source) => names(source, mutant.named!))).toBe(true);
  });

  test("the check finds a title that was changed, and takes one of several cases for its template", () => {
    const source = 'test("a key ends", end);\ntest.each(KEYS)("a key for %s can\'t be used twice", used);';
    expect(names(source, "key ends")).toBe(true);
    expect(names(source, "a key for mints can't be used")).toBe(true);
    expect(names(source, "a key for mints can be used")).toBe(false);
    expect(names(source, "a key begins")).toBe(false);
  });
});

describe("the daily choice of mutants", () => {
  test("is the same all day, and has each mutant at most once", () => {
    fc.assert(
      fc.property(fc.nat({ max: 80 }), fc.stringMatching(/^\d{4}-\d\d-\d\d$/), (count, day) => {
        const ids = drawn(MUTANTS, count, day).map(({ id }) => id);
        expect(drawn(MUTANTS.toReversed(), count, day).map(({ id }) => id)).toEqual(ids);
        expect(new Set(ids).size).toBe(Math.min(count, MUTANTS.length));
      }),
    );
  });

  test("includes every mutant within two years", () => {
    const days = Array.from({ length: 2 * 365 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)));
    const seen = days.flatMap((day) => drawn(MUTANTS, 10, day.toISOString().slice(0, 10)));
    expect(new Set(seen).size).toBe(MUTANTS.length);
  });
});

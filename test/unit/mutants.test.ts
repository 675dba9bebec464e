import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MUTANTS } from "../mutants/list/index.ts";
import { drawn, isContract, mutated, projectOf } from "../mutants/mutant.ts";
import { ROOT } from "../support/imports.ts";

describe("the list of mutants", () => {
  test("has at least 60 entries with unique names", () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  });

  test.each(MUTANTS)("$id changes the present code, and names existing tests", (mutant) => {
    const text = readFileSync(join(ROOT, mutant.file), "utf8");
    expect(mutated(mutant, text)).not.toBe(text);
    expect(mutant.tests).not.toEqual([]);
    for (const name of mutant.tests) {
      const path = isContract(mutant) ? `contract/harness/tests/${name}` : name;
      if (!isContract(mutant)) projectOf(name);
      expect([path, `${path}.rs`].some((file) => existsSync(join(ROOT, file)))).toBe(true);
    }
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

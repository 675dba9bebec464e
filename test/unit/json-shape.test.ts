import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../src/domain/errors.ts";
import { hasMoreValues, largestContainer, prototypeField } from "../../src/domain/json-shape.ts";

/** Values of all levels: a value and those in it. */
const valuesIn = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 1)
    : 1;

/** Every name in a value. */
const namesIn = (value: unknown): string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)])
    : [];

/** Counts entries of arrays that loops and spreads visit. Unlike time, the count is the same on every machine. */
function entriesVisited(work: () => void): number {
  const real = Array.prototype.values;
  let entries = 0;
  const set = (value: unknown) =>
    Object.defineProperty(Array.prototype, Symbol.iterator, { value, configurable: true, writable: true });
  set(function* (this: unknown[]) {
    for (let at = 0; at < this.length; at += 1, entries += 1) yield this[at];
  });
  try {
    work();
  } finally {
    set(real);
  }
  return entries;
}

const json = fc.json({ noUnicodeString: false } as never);

describe("the count of a JSON text's values", () => {
  test("is at least their number, and at most one more for each bracket", () => {
    fc.assert(
      fc.property(json, fc.boolean(), (text, indented) => {
        const value: unknown = JSON.parse(text);
        const written = indented ? JSON.stringify(value, null, 2) : text;
        const values = valuesIn(value);
        expect(hasMoreValues(written, values - 1)).toBe(true);
        const brackets = (
          JSON.stringify(value, (_, each) => (typeof each === "string" ? "" : each)).match(/[[{]/g) ?? []
        ).length;
        expect(hasMoreValues(written, values + brackets)).toBe(false);
      }),
    );
  });

  test("doesn't include characters in strings", () => {
    expect(hasMoreValues(JSON.stringify([',,,[[{"\\'.repeat(50)]), 3)).toBe(false);
    expect(hasMoreValues('["\\\\",0,0]', 3)).toBe(true);
  });

  test("ends whatever the text is", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', "\\", ",", "[", "a"), maxLength: 60 }), (text) => {
        hasMoreValues(text, 10);
      }),
    );
  });
});

describe("the largest list or object", () => {
  test.each([
    [
      { a: [1, 2], b: { c: 1 } },
      { path: [], entries: 2 },
    ],
    [{ a: [1, 2, 3] }, { path: ["a"], entries: 3 }],
    [[[1, 2, 3]], { path: [], entries: 1 }],
    ["text", { path: [], entries: 0 }],
    [null, { path: [], entries: 0 }],
  ])("of %j is found", (value, largest) => expect(largestContainer(value)).toEqual(largest));
});

describe("a field named __proto__", () => {
  test("is found wherever it is, and no other field", () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constant(0),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(fc.constantFrom("a", "__proto__", "constructor"), tie("value")), { maxLength: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (made) => {
        // Lists of pairs become JSON objects.
        const text = JSON.stringify(made).replaceAll(/\["(a|__proto__|constructor)",/g, '[{"$1":0},');
        const parsed: unknown = JSON.parse(text);
        const path = prototypeField(parsed);
        expect(path !== null).toBe(namesIn(parsed).includes("__proto__"));
        if (path !== null) expect(path.at(-1)).toBe("__proto__");
      }),
    );
  });

  test("is reported with its whole path", () => {
    expect(prototypeField(JSON.parse('[null,7,"__proto__",{"b":null}]'))).toBeNull();
    expect(prototypeField(JSON.parse('{"a":[1,{"b":{"__proto__":1}}]}'))).toEqual(["a", 1, "b", "__proto__"]);
  });

  test("is found in linear time, however deep the values are nested", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(4_000)}${"]".repeat(4_000)}`);
    expect(entriesVisited(() => prototypeField(deep))).toBeLessThan(10 * 4_000);
  });
});

describe("an error with many problems", () => {
  test("lists at most a hundred, and counts the others, including those that were never listed", () => {
    const issues = Array.from({ length: 130 }, (_, index) => ({ path: [index], message: "Correct it." }));
    const error = new ServiceError("invalid_request", "Correct the request.", { issues, moreIssues: 7 });
    expect(error.details.issues).toEqual(issues.slice(0, 100));
    expect(error.message).toBe("Correct the request. `issues` lists the first 100 problems, and 37 more.");
    expect(new ServiceError("invalid_request", "One.", { issues: issues.slice(0, 100) }).message).toBe(
      "One.",
    );
  });
});

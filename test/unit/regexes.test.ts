import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAst } from "vitest/node";
import { ROOT, sourceFiles } from "../support/imports.ts";
import { attacksOn, ENDLESS, type Expression, expressionOf, stepsOf } from "../support/regex-steps.ts";

/** Every regular expression over callers' input takes time proportional to the input. */

/** An expression of the code, and the first file with it. */
interface Found {
  readonly source: string;
  readonly flags: string;
  readonly file: string;
}

/** The regular expressions of a file, and how often it makes one from a text. */
function regexesIn(file: string): { readonly literals: Found[]; readonly made: number } {
  const literals: Found[] = [];
  let made = 0;
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { regex, type, callee } = node as {
      regex?: { pattern: string; flags: string };
      type?: string;
      callee?: { name?: string };
    };
    if (regex) literals.push({ source: regex.pattern, flags: regex.flags, file });
    if ((type === "NewExpression" || type === "CallExpression") && callee?.name === "RegExp") made += 1;
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(
    parseAst(readFileSync(join(ROOT, file), "utf8"), { lang: file.endsWith("x") ? "tsx" : "ts" } as never),
  );
  return { literals, made };
}

const FILES = ["src", "client/src"].flatMap(sourceFiles);
const found = FILES.flatMap((file) => regexesIn(file).literals);
const distinct = [...new Map(found.map((each) => [`/${each.source}/${each.flags}`, each])).entries()];

const FEW = 80;
const MANY = 320;
/** Four times the length may take four times the steps; constant parts make it less. */
const MOST_GROWTH = 6;
/** A number of steps that is harmless, however they grow. */
const SMALL = 1_000;

function expectLinear(expression: Expression, runs: number): void {
  fc.assert(
    fc.property(attacksOn(expression), ({ of }) => {
      const [few, many] = [stepsOf(expression, of(FEW)), stepsOf(expression, of(MANY))];
      // An exponential one reaches the bound at both lengths.
      expect(many, `${many} steps for ${JSON.stringify(of(3))} and so on`).toBeLessThan(ENDLESS);
      expect(many, `${few} steps, then ${many} for ${JSON.stringify(of(3))} and so on`).toBeLessThanOrEqual(
        few * MOST_GROWTH + SMALL,
      );
    }),
    // The attacks are the same at every run, so a failure comes from a changed expression, not by chance.
    { numRuns: runs, seed: 1 },
  );
}

describe("the check finds that an expression isn't linear", () => {
  test.each([
    ["(a+)+$", ""],
    ["^(?:aa|a)*!", ""],
    ["\\s+$", "g"],
    ["\\/+$", ""],
    ['<([^>]+)>\\s*;\\s*rel="?next"?', ""],
    ['([^\\s=;]+)\\s*=\\s*(?:"((?:\\\\["\\\\]|[^"])*)"|([^\\s;"]*))', "g"],
  ])("in /%s/%s", (source, flags) => {
    expect(() => expectLinear(expressionOf(source, flags), 1_000)).toThrow("Property failed");
  });
});

test("steps are counted for long texts too", () => {
  const steps = stepsOf(expressionOf("^(?:(?:a))*$"), "a".repeat(20_000));
  // Two assertions and a quantifier, and two groups and a character at each place that it tries.
  expect(steps).toBe(2 + 1 + 3 * 20_001);
});

describe("a regular expression of src/ takes a number of steps proportional to the text's length", () => {
  test.each(distinct)("in %s", (_, { source, flags }) => expectLinear(expressionOf(source, flags), 150));
});

test("regular expressions are literals, so that this test finds them", () => {
  expect(distinct.length).toBeGreaterThan(40);
  // The paths of the endpoints, and the patterns of their schemas, which are literals or zod's: the project's own.
  const making = FILES.filter((file) => regexesIn(file).made > 0);
  expect(making).toEqual(["src/api/chain-write.ts", "src/api/mcp/marking.ts"]);
});

import { expect, test } from "vitest";
import { z } from "zod";
import { fieldIssues, fieldName, firstOf, MOST_ISSUES, quotedText } from "../../src/domain/issues.ts";

test("a caller's own text is shortened in messages, and no character of it is halved", () => {
  expect(quotedText("x".repeat(100))).toBe("x".repeat(100));
  expect(quotedText("x".repeat(101))).toBe(`${"x".repeat(100)}…`);
  expect(quotedText(`${"x".repeat(99)}😀`).isWellFormed()).toBe(true);
  expect(fieldName(["phases", 1, "y".repeat(200)])).toBe(`phases.1.${"y".repeat(91)}…`);
  expect(fieldName([])).toBe("");
});

test("a hundred problems are listed and the others counted, with the names in their paths shortened", () => {
  const issues = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: [index], message: "No." }));
  expect(firstOf(issues(MOST_ISSUES))).toEqual({ issues: issues(100), more: 0 });
  expect(firstOf(issues(103))).toEqual({ issues: issues(100), more: 3 });
  const [listed] = firstOf([{ path: ["a".repeat(512), 7, "b".repeat(513)], message: "No." }]).issues;
  expect(listed).toEqual({ path: ["a".repeat(512), 7, `${"b".repeat(512)}…`], message: "No." });
});

test("a number beyond the field's limit is one problem, also where it is beyond what a number can hold", () => {
  const schema = z.object({ a: z.int().max(10), b: z.int() });
  const paths = (value: object) =>
    fieldIssues(schema.safeParse(value).error?.issues ?? []).map(({ path }) => path.join("."));
  expect(paths({ a: 11, b: 1 })).toEqual(["a"]);
  expect(paths({ a: 1e300, b: 1 })).toEqual(["a"]);
  // Without a limit of its own the field has no other problem.
  expect(paths({ a: 1, b: 1e300 })).toEqual(["b"]);
  expect(paths({ a: 1e300, b: 1e300 })).toEqual(["a", "b"]);
  expect(paths({ b: 1e300 })).toEqual(["a", "b"]);
});

import { describe, expect, test } from "vitest";
import { MOST_ISSUES } from "../../src/domain/issues.ts";
import { Problems } from "../../src/domain/problems.ts";

describe("problems of an upload", () => {
  test("are all counted and only the first hundred kept, so that they take little memory", () => {
    const problems = new Problems();
    for (let index = 0; index < 10 * MOST_ISSUES; index += 1)
      problems.invalid(["copies", index], "Give a number.");
    expect(problems.count).toBe(10 * MOST_ISSUES);
    expect(problems.kinds).toEqual(new Set(["invalid"]));
    problems.add({ kind: "size", path: ["1.png"], message: "It is too large." });
    expect(problems.kinds).toEqual(new Set(["invalid", "size"]));
    expect(problems.first.map(({ path }) => path[1])).toEqual(
      Array.from({ length: MOST_ISSUES }, (_, at) => at),
    );
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { describe, expect, test } from "vitest";
import { logLine } from "../../src/domain/log-line.ts";
import { ROOT, sourceFiles } from "../support/imports.ts";

const WHEN = new Date("2026-11-22T03:00:00Z");
const SECRET = "mk_live_secret";

const said = (fields: Record<string, unknown>) => JSON.parse(logLine(WHEN, "it.failed", fields));

describe("a log line", () => {
  test("of a failed query has its text and its cause, and none of its parameters", () => {
    const cause = new Error("D1_ERROR: no such table: keys", {
      cause: new DrizzleQueryError("SELECT 2", [SECRET]),
    });
    const error = new DrizzleQueryError("SELECT 1 FROM keys WHERE key = ?", [SECRET], cause);
    expect(error.message).toContain(SECRET);
    const line = said({ part: "keys", error });
    expect(line).toMatchObject({
      time: "2026-11-22T03:00:00.000Z",
      event: "it.failed",
      part: "keys",
      error: "Error",
      message: "Failed query: SELECT 1 FROM keys WHERE key = ?",
      cause: { message: "D1_ERROR: no such table: keys", cause: { message: "Failed query: SELECT 2" } },
    });
    expect(line.stack[0]).toMatch(/^at .*log-line\.test\.ts/);
    expect(JSON.stringify(line)).not.toContain(SECRET);
  });

  test("has at most eight places of the stack, and no cause where there is none", () => {
    const error = new Error("Lost");
    error.stack = `Error: Lost at once\n${"    at somewhere (a.ts:1:1)\n".repeat(20)}`;
    const line = said({ error });
    expect(line.stack).toEqual(Array(8).fill("at somewhere (a.ts:1:1)"));
    expect(line).not.toHaveProperty("cause");
    expect(said({ part: "keys" })).toEqual({
      time: "2026-11-22T03:00:00.000Z",
      event: "it.failed",
      part: "keys",
    });
  });

  test("of a thrown value that is no error contains nothing of it", () => {
    expect(said({ error: SECRET })).toMatchObject({ error: "thrown value", type: "string" });
    expect(said({ error: undefined })).toMatchObject({ error: "thrown value", type: "undefined" });
  });
});

/** The text of each logger call, up to its closing parenthesis. */
function logCalls(text: string): string[] {
  return [...text.matchAll(/\b(?:log|logLine)\(/g)].map((match) => {
    const from = match.index + match[0].length;
    let [depth, at] = [1, from];
    for (; depth > 0 && at < text.length; at += 1) depth += { "(": 1, ")": -1 }[text[at]!] ?? 0;
    return text.slice(from, at - 1);
  });
}

/** An exception as text: its message may contain query parameters, which are callers' data. */
const WORDED = /\bString\(|\.(?:message|stack)\b|\$\{\s*(?:error|reason|cause)\b/;

test("an exception is written to the log in one place only, which leaves out its parameters", () => {
  const calls = sourceFiles("src").flatMap((file) =>
    logCalls(readFileSync(join(ROOT, file), "utf8")).map((call) => `${file}: ${call}`),
  );
  expect(calls.length).toBeGreaterThan(40);
  expect(calls.filter((call) => WORDED.test(call))).toEqual([]);
});

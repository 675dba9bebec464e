import { expect, test } from "vitest";
import { shownLine } from "../../scripts/shown-line.ts";
import { logLine } from "../../src/domain/log-line.ts";

const requestFor = (path: string) =>
  logLine(new Date(0), "request", { method: "GET", path, status: 404, ms: 3 });

test("a request's log line is shortened, any other line is shown unchanged, and an empty one not at all", () => {
  expect(shownLine(requestFor("/ipfs/bafy/Reiher über Wasser.png"))).toBe(
    "GET /ipfs/bafy/Reiher über Wasser.png 404 (3 ms)",
  );
  expect(shownLine("The runtime ended.")).toBe("The runtime ended.");
  expect(shownLine('{"event":"request", cut off')).toBe('{"event":"request", cut off');
  expect(shownLine(" ")).toBeNull();
});

test("control characters in a request's path don't reach the terminal", () => {
  const path = decodeURI("/%1b]0;title%07%0aMintage%20is%20ready%7f%C2%9B2J");
  expect(shownLine(requestFor(path))).toBe(
    "GET /\\u001b]0;title\\u0007\\u000aMintage is ready\\u007f\\u009b2J 404 (3 ms)",
  );
  expect(shownLine(logLine(new Date(0), "list.cut", { name: "\u009b2J\u007f" }))).not.toMatch(/\p{Cc}/u);
});

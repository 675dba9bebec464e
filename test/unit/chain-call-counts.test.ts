import { afterEach, expect, test, vi } from "vitest";

// Other files of this worker count calls too.
vi.resetModules();
const { callCounts, countCall, shownEndpoint } = await import("../../src/chain/call-counts.ts");

afterEach(() => vi.restoreAllMocks());

test("calls are counted by endpoint and outcome, and logged once a minute without a provider's key", () => {
  const lines: { event: string; seconds: number; calls: Record<string, unknown> }[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  const first = "https://node.example/v1/some-secret?key=more";
  const second = "https://other.example:3030";
  const start = 1_750_000_000_000;
  countCall(first, "answered", start);
  countCall(first, "answered", start + 1_000);
  countCall(second, "refused", start + 59_999);
  expect(lines).toEqual([]);
  countCall(first, "failed", start + 60_000);
  expect(lines).toMatchObject([
    {
      event: "chain.calls",
      seconds: 60,
      calls: {
        "https://node.example": { answered: 2, failed: 1, refused: 0, behind: 0 },
        "https://other.example:3030": { answered: 0, failed: 0, refused: 1, behind: 0 },
      },
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret");
  countCall(second, "behind", start + 130_000);
  expect(lines[1]).toMatchObject({
    seconds: 70,
    calls: { "https://other.example:3030": { behind: 1, refused: 0 } },
  });
  expect(callCounts().get(shownEndpoint(first))).toEqual({ answered: 2, failed: 1, refused: 0, behind: 0 });
});

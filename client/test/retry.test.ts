import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { retryAfterSeconds } from "../src/errors.ts";
import { DEFAULT_RETRY, mayRetry, pauseBefore } from "../src/retry.ts";

describe("whether a request may be sent again", () => {
  test.each([
    ["no_answer", true],
    [{ status: 429, code: "rate_limited" }, true],
    [{ status: 503, code: "chain_unavailable" }, true],
    [{ status: 409, code: "idempotency_key_in_flight" }, true],
    [{ status: 502, code: null }, true],
    [{ status: 504, code: null }, true],
    [{ status: 409, code: "sold_out" }, false],
    [{ status: 502, code: "transaction_failed" }, false],
    [{ status: 502, code: "outcome_unknown" }, false],
    [{ status: 500, code: "internal_error" }, false],
    [{ status: 500, code: "internal_error", operationUuid: "o" }, true],
    [{ status: 502, code: "outcome_unknown", operationUuid: "o" }, false],
    [{ status: 400, code: "invalid_request" }, false],
    [{ status: 402, code: "insufficient_funds" }, false],
    [{ status: 422, code: "idempotency_key_reused" }, false],
  ] as const)("%j: %s", (attempt, expected) => {
    expect(mayRetry(attempt)).toBe(expected);
  });
});

describe("the pause before another try", () => {
  test("is at least Retry-After, at most its maximum, and the retries end", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.option(fc.integer({ min: 0, max: 1000 })),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tried, retryAfter, random) => {
          const pause = pauseBefore(DEFAULT_RETRY, tried, retryAfter, random);
          const asked = (retryAfter ?? 0) * 1000;
          if (tried > DEFAULT_RETRY.retries || asked > DEFAULT_RETRY.maxRetryAfterMs) return pause === null;
          return pause !== null && pause >= asked && pause <= asked + DEFAULT_RETRY.maxMs;
        },
      ),
    );
  });

  test("is made before the last try even for the longest Retry-After, and no further pause follows", () => {
    const { retries, maxRetryAfterMs, maxMs } = DEFAULT_RETRY;
    const longest = maxRetryAfterMs / 1_000;
    expect(pauseBefore(DEFAULT_RETRY, retries, null, 1)).toBe(16_000);
    expect(pauseBefore(DEFAULT_RETRY, retries + 1, null, 1)).toBeNull();
    expect(pauseBefore(DEFAULT_RETRY, 1, longest, 0)).toBe(maxRetryAfterMs);
    expect(pauseBefore(DEFAULT_RETRY, 1, longest + 1, 0)).toBeNull();
    // Random pauses come on top, so that those who were told the same time don't come back together.
    expect(pauseBefore({ ...DEFAULT_RETRY, retries: 9 }, 9, longest, 1)).toBe(maxRetryAfterMs + maxMs);
  });

  test("grows with the number of tries", () => {
    const longest = [1, 2, 3, 4].map((tried) => pauseBefore(DEFAULT_RETRY, tried, null, 1));
    expect(longest).toEqual([500, 1000, 2000, 4000]);
  });

  test("follows both forms of Retry-After", () => {
    const now = Date.parse("2026-11-21T12:00:00Z");
    const read = (value: string) => retryAfterSeconds(new Headers({ "retry-after": value }), now);
    expect(read("7")).toBe(7);
    expect(read("Sat, 21 Nov 2026 12:00:30 GMT")).toBe(30);
    expect(read("Sat, 21 Nov 2026 11:00:00 GMT")).toBe(0);
    expect(read("soon")).toBe(null);
  });
});

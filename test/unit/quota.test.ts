import { expect, test } from "vitest";
import {
  DEFAULT_LIMITS,
  limitsWith,
  MAX_DETAIL_BYTES,
  MAX_MEDIA_URL_BYTES,
  MAX_UPLOAD_BYTES,
  quotaExceeded,
  USED_NAMES,
} from "../../src/domain/quota.ts";

test("a megabyte is 2^20 bytes", () => {
  expect([MAX_UPLOAD_BYTES, MAX_MEDIA_URL_BYTES, MAX_DETAIL_BYTES]).toEqual([
    104_857_600, 104_857_600, 8_388_608,
  ]);
});

test("limits are those that the operator has set, and the defaults of all others", () => {
  expect(limitsWith(null)).toEqual(DEFAULT_LIMITS);
  expect(limitsWith({ keys: 3 })).toEqual({ ...DEFAULT_LIMITS, keys: 3 });
});

test("the database has the use of every limit but that of requests", () => {
  expect(["requests", ...USED_NAMES].toSorted()).toEqual(Object.keys(DEFAULT_LIMITS).toSorted());
});

test.each(USED_NAMES)(
  "a request above the limit %s is told what is used, what is allowed, and who can raise it",
  (limit) => {
    const error = quotaExceeded(limit, 12_345, 12_000);
    expect(error.message).toMatch(
      /^(This integration.* 12,345|12,345) .*12,000.*, or ask the operator to raise the limit/s,
    );
    expect(error.message).toContain(` ${limit}.`);
    expect(error.details.quota).toEqual({ limit, used: 12_345, max: 12_000 });
  },
);

test("a request above a limit can be repeated only where pending operations are the reason", () => {
  expect(quotaExceeded("operations_waiting", 2, 2)).toMatchObject({
    code: "too_many_operations",
    details: { outcome: "not_submitted", retryable: true, retryAfter: 5 },
  });
  const { code, details } = quotaExceeded("drafts", 2, 2);
  expect([code, Object.keys(details)]).toEqual(["quota_exceeded", ["quota"]]);
});

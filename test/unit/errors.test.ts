import { describe, expect, test } from "vitest";
import {
  databaseUnavailable,
  ERROR_CODES,
  ERRORS,
  type ErrorDefinition,
  errorBody,
  invalidField,
  keyInFlight,
  rateLimited,
  ServiceError,
} from "../../src/domain/errors.ts";

/** One or more whole sentences. */
const SENTENCES = /^[A-Za-z`].{10,}\.$/s;

describe("the table of errors", () => {
  test.each(ERROR_CODES)("says what causes %s and what to do, in whole sentences", (code) => {
    const { cause, remedy, status, limit }: ErrorDefinition = ERRORS[code];
    expect(cause).toMatch(SENTENCES);
    expect(remedy).toMatch(SENTENCES);
    expect(new ServiceError(code, "Wait.").status).toBe(status);
    // A client that is refused with 429 has to know which limit it is.
    if (status === 429) expect(limit).toBeDefined();
  });
});

describe("the body of an error", () => {
  test("has each detail that a caller may see, by the API's names, and nothing of the internal cause", () => {
    const details = {
      cost: { needed: "2", at_most: "1" },
      quota: { limit: "keys", used: 3, max: 3 },
      issues: [{ path: ["a"], message: "Give a number." }],
      outcome: "unknown",
      retryable: false,
      retryAfter: 7,
      operationUuid: "0190",
      cause: new Error("SELECT secret"),
    } as const;
    const error = new ServiceError("wallet_busy", "Wait.", details);
    expect([error.name, error.cause, error.details.retryAfter]).toEqual(["ServiceError", details.cause, 7]);
    expect(errorBody(error, "request-1")).toEqual({
      message: "Wait.",
      code: "wallet_busy",
      request_id: "request-1",
      limit: "rate",
      issues: details.issues,
      quota: details.quota,
      cost: details.cost,
      outcome: "unknown",
      retryable: false,
      operation_uuid: "0190",
    });
  });

  test("leaves out fields without a value", () => {
    expect(Object.keys(errorBody(new ServiceError("not_found", "No."), "request-1"))).toEqual([
      "message",
      "code",
      "request_id",
    ]);
  });
});

test("a wrong field is named in the message, and in the issue by its path", () => {
  const error = invalidField(["phases", 1, "supply"], "Give a number.");
  expect(error.code).toBe("invalid_request");
  expect(error.message).toBe("Correct phases.1.supply: Give a number.");
  expect(error.details.issues).toEqual([{ path: ["phases", 1, "supply"], message: "Give a number." }]);
  expect(invalidField([], "Give an object.").message).toBe("Correct the body: Give an object.");
});

test("a refusal that ends by itself says when to try again", () => {
  const limited = rateLimited("Too many requests.", 180);
  expect(limited.message).toMatch(/^Too many requests\. Wait 3 minutes, /);
  expect(limited).toMatchObject({ code: "rate_limited", details: { retryable: true, retryAfter: 180 } });
  expect(keyInFlight()).toMatchObject({
    code: "idempotency_key_in_flight",
    message: expect.stringMatching(SENTENCES),
    details: { retryable: true, retryAfter: 2 },
  });
});

test("a database that doesn't answer leaves a write's outcome open, and a read's not", () => {
  const cause = new Error("D1_ERROR");
  const write = databaseUnavailable(true, cause);
  expect(write.message).toMatch(/^The database doesn't answer, and may .+ Idempotency-Key/);
  expect(write.details).toEqual({ outcome: "unknown", retryable: true, retryAfter: 10, cause });
  const read = databaseUnavailable(false, cause, "The archive");
  expect(read.message).toMatch(/^The archive doesn't answer\. Send /);
  expect(read).toMatchObject({ code: "database_unavailable", cause });
  expect(read.details).toEqual({ retryable: true, retryAfter: 10, cause });
});

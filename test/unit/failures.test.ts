import { describe, expect, test } from "vitest";
import { ERRORS } from "../../src/domain/errors.ts";
import { failureBody, failureError, failureStatus, HAD_EFFECT } from "../../src/domain/failures.ts";
import { newUuid } from "../../src/domain/ids.ts";
import {
  chainFailure,
  type Refusal,
  refusalFailure,
  unknownFailure,
} from "../../src/operations/engine/failure.ts";
import type { TransactionRecord } from "../../src/wallet/interface.ts";
import said from "../support/refusals.json" with { type: "json" };

const record = (
  state: TransactionRecord["state"],
  contractCode: string | null,
  message: string | null,
): TransactionRecord => ({
  operationUuid: newUuid(),
  step: "mint",
  state,
  result: {
    transaction_hash: "abc",
    signer_id: "w.near",
    receiver_id: "c.near",
    nonce: "1",
    status: "failure",
    gas_burnt: null,
    tokens_burnt: null,
    block_hash: null,
    block_time: null,
    logs: [],
    failure_message: message,
    explorer_url: null,
  },
  value: null,
  contractCode,
  height: null,
  cost: null,
});

describe("a failure on the chain", () => {
  test.each([
    ["E_SOLD_OUT", "sold_out", 409],
    ["E_STORAGE_BALANCE", "contract_storage_unpaid", 402],
    ["E_TOKEN_NOT_FOUND", "not_found", 404],
    ["E_INVALID_ARGUMENT", "invalid_request", 400],
    ["E_UNAUTHORIZED", "transaction_failed", 502],
    ["E_SOMETHING_NEW", "transaction_failed", 502],
    [null, "transaction_failed", 502],
  ])(
    "with the contract's code %s is the error %s, with the contract's message",
    (contractCode, code, status) => {
      const failure = chainFailure(record("failed", contractCode, "A sentence of the contract."));
      expect(failure).toMatchObject({
        code,
        message: expect.stringMatching(/^A sentence of the contract\./),
        outcome: "failed_on_chain",
      });
      expect(failureStatus(failure)).toBe(status);
    },
  );

  test("with copies that draws of the same block may have taken can be retried as a new request", () => {
    const failure = chainFailure(record("failed", "E_DRAW_HIDDEN", "Try again in a later block."));
    expect(failure).toMatchObject({ code: "conflict", outcome: "failed_on_chain", retryable: true });
    expect(failure.message).toMatch(/^Try again in a later block\. .*as a new request/);
    expect(chainFailure(record("failed", "E_LOCKED", "A lock forbids it.")).retryable).toBe(false);
  });

  test("of a sold-out collection names the caller's next step", () => {
    const { message } = chainFailure(record("failed", "E_SOLD_OUT", said.E_SOLD_OUT));
    expect(message).toBe(`${said.E_SOLD_OUT} Mint fewer copies, or mint from another collection.`);
  });

  test("that more funds would fix is 402", () => {
    const refused = (reason: string) =>
      record("refused", null, `The chain rejects the transaction: ${reason}.`);
    const outcome = "not_submitted";
    expect(chainFailure(refused("NotEnoughBalance"))).toMatchObject({
      code: "insufficient_funds",
      outcome,
      retryable: true,
    });
    const invalid = refused("ActionsValidation");
    expect(chainFailure(invalid)).toMatchObject({ code: "transaction_failed", outcome, retryable: false });
    const before = record("failed", "E_STORAGE_BALANCE", said.E_STORAGE_BALANCE);
    expect(chainFailure(invalid, [before, invalid])).toMatchObject({ outcome: "failed_on_chain" });
  });

  test("whose outcome can't be proven is reported with its transaction", () => {
    const failure = unknownFailure(record("unknown", null, null));
    expect(failure).toMatchObject({ code: "outcome_unknown", outcome: "unknown", retryable: false });
    expect(failure.message).toContain("abc");
  });
});

describe("a refusal of the wallet", () => {
  const refusals: Refusal[] = [
    { status: "insufficient_funds", missing: "5", accountId: "w.near" },
    { status: "busy", retryAfter: 3 },
    { status: "busy", retryAfter: 3, inactive: true },
    { status: "chain_unavailable", retryAfter: 4 },
    { status: "withdrawn" },
  ];

  test.each(refusals)("with $status reports that nothing was sent, and what to do", (refusal) => {
    const failure = refusalFailure(refusal, undefined);
    expect(failure).toMatchObject({ outcome: "not_submitted", retryable: true });
    expect([402, 429, 503]).toContain(ERRORS[failure.code].status);
    const uuid = newUuid();
    const error = failureError(failure, uuid);
    expect(error.details).toMatchObject({ outcome: "not_submitted", operationUuid: uuid });
    if ("retryAfter" in refusal) expect(error.details.retryAfter).toBe(refusal.retryAfter);
  });

  test.each(refusals)(
    "with $status after a successful transaction doesn't report that nothing was sent",
    (refusal) => {
      const { outcome, message } = refusalFailure(refusal, undefined, true);
      expect(outcome).toBe("failed_on_chain");
      expect(message).toContain("What its earlier transactions did stays.");
      expect(message).not.toContain("Nothing was sent");
    },
  );

  test("to pay for a contract's storage is reported as such", () => {
    const last = record("failed", "E_STORAGE_BALANCE", said.E_STORAGE_BALANCE);
    const [unpaid] = refusals;
    expect(refusalFailure(unpaid!, last)).toMatchObject({
      code: "contract_storage_unpaid",
      outcome: "failed_on_chain",
    });
  });
});

test("a failure's body is that of its response, without the id of a request", () => {
  const failure = {
    code: "sold_out",
    message: "None is left.",
    outcome: "failed_on_chain",
    retryable: false,
  } as const;
  expect(failureBody(failure, "0190")).toEqual({ ...failure, operation_uuid: "0190" });
});

test("an operation that was settled as having taken effect says so, and isn't to be sent again", () => {
  expect(HAD_EFFECT).toMatchObject({
    retryable: false,
    message: expect.stringMatching(/took effect.*don't send/),
  });
  expect(failureStatus(HAD_EFFECT)).toBe(409);
});

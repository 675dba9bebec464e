import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePanic } from "../../src/chain/errors.ts";
import { type FinalOutcome, pendingResult, readOutcome } from "../../src/chain/outcome.ts";
import { keyFromSeed, signTransaction } from "../../src/chain/transaction.ts";

const identity = {
  hash: "HASH",
  signerId: "a.near",
  receiverId: "b.near",
  nonce: 7n,
  explorerUrl: "https://explorer.test/{hash}",
};
const part = (gas: number, tokens: string, logs: string[] = []) => ({
  block_hash: `block${gas}`,
  outcome: { gas_burnt: gas, tokens_burnt: tokens, logs },
});
const outcome = (status: FinalOutcome["status"]): FinalOutcome => ({
  status,
  transaction_outcome: part(1, "10", ["one"]),
  receipts_outcome: [part(2, "20", ["two"]), part(3, "30")],
});

describe("a final outcome", () => {
  test("has the sum of the gas that its receipts burnt, and their logs in order", () => {
    const { state, result, value } = readOutcome(
      identity,
      outcome({ SuccessValue: "IjE6NSI=" }),
      1_700_000_000_000,
    );
    expect(state).toBe("succeeded");
    expect(new TextDecoder().decode(value!)).toBe('"1:5"');
    expect(result).toEqual({
      transaction_hash: "HASH",
      signer_id: "a.near",
      receiver_id: "b.near",
      nonce: "7",
      status: "success",
      gas_burnt: "6",
      tokens_burnt: "60",
      block_hash: "block1",
      block_time: "2023-11-14T22:13:20.000Z",
      logs: ["one", "two"],
      failure_message: null,
      explorer_url: "https://explorer.test/HASH",
    });
  });

  test("of a contract's panic has its code and its message", () => {
    const text = "Smart contract panicked: E_SOLD_OUT: Only 3 copies are left.";
    const failure = { ActionError: { index: 0, kind: { FunctionCallError: { ExecutionError: text } } } };
    const settled = readOutcome(identity, outcome({ Failure: failure }), null);
    expect(settled).toMatchObject({
      state: "failed",
      contractCode: "E_SOLD_OUT",
      value: null,
      result: { status: "failure", failure_message: "Only 3 copies are left.", block_time: null },
    });
  });

  test("of any other failure names the protocol's error", () => {
    const failure = { ActionError: { index: 2, kind: { GlobalContractDoesNotExist: { identifier: {} } } } };
    const { contractCode, result } = readOutcome(identity, outcome({ Failure: failure }), null);
    expect(contractCode).toBeNull();
    expect(result.failure_message).toContain("GlobalContractDoesNotExist");
  });

  test("is pending until it is final", () => {
    expect(pendingResult(identity)).toMatchObject({ status: "pending", gas_burnt: null, logs: [] });
  });
});

describe("a panic", () => {
  test("is read with its error code, whatever the message is", () => {
    const code = fc.stringMatching(/^E_[A-Z0-9_]{1,20}$/);
    const sentence = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 :,.'-]{0,60}[A-Za-z.]$/);
    fc.assert(
      fc.property(code, sentence, (name, words) => {
        const parsed = parsePanic(`Smart contract panicked: ${name}: ${words}`);
        expect(parsed).toEqual({ code: name, message: words });
      }),
    );
  });

  test("without one of the contract's error codes has no code", () => {
    expect(parsePanic("Smart contract panicked: explicit guest panic")).toMatchObject({ code: null });
    expect(parsePanic("Exceeded the prepaid gas.")).toEqual({
      code: null,
      message: "Exceeded the prepaid gas.",
    });
  });
});

describe("a private key", () => {
  const seed = new Uint8Array(32).fill(3);

  test("signs the same transaction to the same bytes, and another nonce to another hash", () => {
    const sign = (nonce: bigint) =>
      signTransaction({
        signerId: "a.near",
        key: keyFromSeed(seed),
        receiverId: "b.near",
        nonce,
        blockHash: "11111111111111111111111111111111",
        actions: [{ kind: "transfer", deposit: "1" }],
      });
    expect(sign(1n)).toEqual(sign(1n));
    expect(sign(2n).hash).not.toBe(sign(1n).hash);
  });
});

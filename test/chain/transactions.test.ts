/** Sending transactions: what is refused and how, what a status means, what is kept. Runs against any network. */
import { createHash } from "node:crypto";
import { base58 } from "@scure/base";
import { type Action, KeyPair } from "near-api-js";
import { beforeAll, describe, expect, test } from "vitest";
import {
  actions,
  connect,
  finalBlock,
  isRemote,
  type Json,
  keyNonce,
  NEAR,
  type Network,
  newAccount,
  openNetwork,
  rpc,
  signed,
  TGAS,
  transact,
} from "./network.ts";
import { probeWasm } from "./probe.ts";

let network: Network;
let url: string;
beforeAll(async () => {
  network = await connect();
  url = network.url;
});

const ORDER = ["NONE", "INCLUDED", "EXECUTED_OPTIMISTIC", "INCLUDED_FINAL", "EXECUTED", "FINAL"];

const send = (base64: string, wait_until: string) =>
  rpc(url, "send_tx", { signed_tx_base64: base64, wait_until });
const status = (tx_hash: string, sender_account_id: string, wait_until = "NONE") =>
  rpc(url, "tx", { tx_hash, sender_account_id, wait_until });

/** A sender with a key of its own, and the makings of its next transaction. */
async function sender(balance = 2n * NEAR, more: Action[] = []) {
  const { account, pair } = await newAccount(network, balance, more);
  const nonce = await keyNonce(url, account.accountId, pair);
  const { hash, height } = await finalBlock(url);
  const sign = (next: bigint, batch: Action[], receiver = network.funder.accountId, base = hash, by = pair) =>
    signed(by, account.accountId, receiver, next, base, batch);
  return { account, pair, nonce, block: hash, height, sign };
}

const transfer = actions.transfer(1n);

function refusal({ error }: { error?: Json }): unknown {
  expect(error).toMatchObject({ name: "HANDLER_ERROR", cause: { name: "INVALID_TRANSACTION" } });
  return error.data.TxExecutionError.InvalidTxError;
}

describe("a transaction is refused", () => {
  test("for a nonce that its key has passed, unless it is the same transaction that landed", async () => {
    const { sign, nonce } = await sender();
    const first = await sign(nonce + 5n, [transfer]);
    expect((await send(first.base64, "FINAL")).body.result.final_execution_status).toBe("FINAL");
    const late = await sign(nonce + 4n, [transfer]);
    expect(refusal((await send(late.base64, "FINAL")).body)).toEqual({
      InvalidNonce: { tx_nonce: Number(nonce) + 4, ak_nonce: Number(nonce) + 5 },
    });
    expect((await send(first.base64, "FINAL")).body.result.final_execution_status).toBe("FINAL");
  });

  test("for a nonce beyond the range of the next block", async () => {
    const { sign } = await sender();
    const tooLarge = await sign(10n ** 18n, [transfer]);
    expect(refusal((await send(tooLarge.base64, "FINAL")).body)).toHaveProperty("NonceTooLarge");
  });

  test("for an unknown base block", async () => {
    const { sign, nonce } = await sender();
    const unknown = createHash("sha256").update("no block").digest();
    const tx = await sign(nonce + 1n, [transfer], undefined, base58.encode(unknown));
    expect(refusal((await send(tx.base64, "FINAL")).body)).toBe("Expired");
  });

  test("for a signature by another key", async () => {
    const { account, pair, nonce, block } = await sender();
    const tx = await signed(pair, account.accountId, network.funder.accountId, nonce + 1n, block, [transfer]);
    const bytes = Buffer.from(tx.base64, "base64");
    bytes[bytes.length - 10]! ^= 1;
    expect(refusal((await send(bytes.toString("base64"), "FINAL")).body)).toBe("InvalidSignature");
  });

  test("for a key or an account that doesn't exist", async () => {
    const { sign, nonce, account } = await sender();
    const stranger = KeyPair.fromRandom("ed25519");
    const tx = await sign(nonce + 1n, [transfer], undefined, undefined, stranger);
    expect(refusal((await send(tx.base64, "FINAL")).body)).toEqual({
      InvalidAccessKeyError: {
        AccessKeyNotFound: { account_id: account.accountId, public_key: stranger.getPublicKey().toString() },
      },
    });
    const { hash } = await finalBlock(url);
    const nobody = await signed(stranger, "nobody.test.near", "a.near", 1n, hash, [transfer]);
    expect(refusal((await send(nobody.base64, "FINAL")).body)).toEqual({
      SignerDoesNotExist: { signer_id: "nobody.test.near" },
    });
  });

  test("for more than its signer's balance", async () => {
    const { sign, nonce, account } = await sender(NEAR);
    const tx = await sign(nonce + 1n, [actions.transfer(5n * NEAR)]);
    expect(refusal((await send(tx.base64, "FINAL")).body)).toMatchObject({
      NotEnoughBalance: { signer_id: account.accountId, balance: `${NEAR}` },
    });
  });

  test("for a balance that its signer needs for storage", async () => {
    const big = new Uint8Array(20_000);
    big.set(probeWasm);
    const { sign, nonce, account } = await sender(NEAR, [actions.deployContract(big)]);
    const tx = await sign(nonce + 1n, [actions.transfer((NEAR * 9n) / 10n)]);
    expect(refusal((await send(tx.base64, "FINAL")).body)).toMatchObject({
      LackBalanceForState: { signer_id: account.accountId },
    });
  });

  test("for actions beyond the protocol's limits", async () => {
    const { sign, nonce, account } = await sender();
    const many = Array.from({ length: 101 }, () => transfer);
    const cases: [Action[], unknown][] = [
      [many, { TotalNumberOfActionsExceeded: { total_number_of_actions: 101, limit: 100 } }],
      [[actions.functionCall("f", {}, 0n, 0n)], "FunctionCallZeroAttachedGas"],
      [
        [actions.functionCall("f", {}, 10_000n * TGAS, 0n)],
        { TotalPrepaidGasExceeded: expect.objectContaining({ total_prepaid_gas: 10 ** 16 }) },
      ],
      [[actions.deleteAccount(account.accountId), transfer], "DeleteActionMustBeFinal"],
    ];
    for (const [batch, error] of cases) {
      const tx = await sign(nonce + 1n, batch);
      expect(refusal((await send(tx.base64, "FINAL")).body)).toEqual({ ActionsValidation: error });
    }
  });

  test("for a use that a function-call key doesn't allow", async () => {
    const pair = KeyPair.fromRandom("ed25519");
    const { account, block } = await sender(2n * NEAR, [
      actions.addFunctionCallAccessKey(
        pair.getPublicKey(),
        network.funder.accountId,
        ["allowed"],
        NEAR / 10n,
      ),
    ]);
    const nonce = await keyNonce(url, account.accountId, pair);
    const call = (name: string, deposit = 0n) => actions.functionCall(name, {}, TGAS, deposit);
    const cases: [string, Action[], unknown][] = [
      [network.funder.accountId, [transfer], "RequiresFullAccess"],
      [network.funder.accountId, [call("allowed"), call("allowed")], "RequiresFullAccess"],
      [network.funder.accountId, [call("allowed", 1n)], "DepositWithFunctionCall"],
      [
        account.accountId,
        [call("allowed")],
        { ReceiverMismatch: { tx_receiver: account.accountId, ak_receiver: network.funder.accountId } },
      ],
      [network.funder.accountId, [call("other")], { MethodNameMismatch: { method_name: "other" } }],
      [
        network.funder.accountId,
        [actions.functionCall("allowed", {}, 900n * TGAS, 0n)],
        { NotEnoughAllowance: expect.objectContaining({ allowance: `${NEAR / 10n}` }) },
      ],
    ];
    for (const [receiver, batch, error] of cases) {
      const tx = await signed(pair, account.accountId, receiver, nonce + 1n, block, batch);
      expect(refusal((await send(tx.base64, "FINAL")).body)).toEqual({ InvalidAccessKeyError: error });
    }
  });

  test("without an error if the sender doesn't wait: such an answer proves nothing", async () => {
    const { sign, nonce, account } = await sender(NEAR);
    const tx = await sign(nonce + 1n, [actions.transfer(500n * NEAR)]);
    expect((await send(tx.base64, "NONE")).body.result).toEqual({ final_execution_status: "NONE" });
    const { body: async_ } = await rpc(url, "broadcast_tx_async", [tx.base64]);
    expect(async_.result).toBe(tx.hash);
    expect((await status(tx.hash, account.accountId)).body.error.cause.name).toBe("UNKNOWN_TRANSACTION");
  });
});

describe("a transaction's status", () => {
  test("reaches at least the level that was waited for", async () => {
    const { sign, nonce } = await sender();
    for (const [index, wait] of ORDER.slice(1).entries()) {
      const tx = await sign(nonce + 1n + BigInt(index), [transfer]);
      const { body } = await send(tx.base64, wait);
      const reached = body.result.final_execution_status;
      expect(ORDER.indexOf(reached)).toBeGreaterThanOrEqual(ORDER.indexOf(wait));
      if (wait !== "INCLUDED") expect(body.result.transaction.hash).toBe(tx.hash);
    }
  });

  test("is found by hash and sender, with receipts if requested", async () => {
    const { sign, nonce, account } = await sender();
    const tx = await sign(nonce + 1n, [transfer]);
    expect((await send(tx.base64, "NONE")).body.result.final_execution_status).toBe("NONE");
    const { body } = await status(tx.hash, account.accountId, "FINAL");
    expect(body.result).toMatchObject({
      final_execution_status: "FINAL",
      status: { SuccessValue: "" },
      transaction: { signer_id: account.accountId, nonce: Number(nonce) + 1, hash: tx.hash },
      transaction_outcome: { id: tx.hash, outcome: { executor_id: account.accountId } },
    });
    const { body: detailed } = await rpc(url, "EXPERIMENTAL_tx_status", {
      tx_hash: tx.hash,
      sender_account_id: account.accountId,
      wait_until: "FINAL",
    });
    const [receipt] = detailed.result.receipts;
    expect(receipt).toMatchObject({
      predecessor_id: account.accountId,
      receiver_id: network.funder.accountId,
      receipt: { Action: { actions: [{ Transfer: { deposit: "1" } }] } },
    });
    const { body: single } = await rpc(url, "EXPERIMENTAL_receipt", { receipt_id: receipt.receipt_id });
    expect(single.result.receipt_id).toBe(receipt.receipt_id);
  });

  test("of a transaction that was never sent is UNKNOWN_TRANSACTION at once, or TIMEOUT_ERROR after a wait", async () => {
    const { account } = await sender();
    const unknown = base58.encode(createHash("sha256").update(account.accountId).digest());
    const { body } = await status(unknown, account.accountId);
    expect(body.error).toMatchObject({
      cause: { name: "UNKNOWN_TRANSACTION", info: { requested_transaction_hash: unknown } },
      data: `Transaction ${unknown} doesn't exist`,
    });
    // An embedded chain need not take a node's 10 s to give up.
    const impatient = isRemote ? network : await openNetwork({ pollingTimeoutMs: 300 });
    const asked = { tx_hash: unknown, sender_account_id: account.accountId, wait_until: "INCLUDED" };
    const waited = await rpc(impatient.url, "tx", asked);
    if (impatient !== network) await impatient.devchain?.close();
    expect(waited.status).toBe(408);
    expect(waited.body.error.cause.name).toBe("TIMEOUT_ERROR");
  });

  test("is returned by broadcast_tx_commit as well", async () => {
    const { sign, nonce } = await sender();
    const tx = await sign(nonce + 1n, [transfer]);
    const { body } = await rpc(url, "broadcast_tx_commit", [tx.base64]);
    expect(body.result.status).toEqual({ SuccessValue: "" });
  });
});

describe("a block's changes", () => {
  test("name the transactions that used a key, with their nonce", async () => {
    const { sign, nonce, account, pair } = await sender();
    const tx = await sign(nonce + 7n, [transfer]);
    const { body: sent } = await send(tx.base64, "FINAL");
    const block_id = sent.result.transaction_outcome.block_hash;
    const { body } = await rpc(url, "EXPERIMENTAL_changes", {
      changes_type: "all_access_key_changes",
      account_ids: [account.accountId],
      block_id,
    });
    expect(body.result.changes).toContainEqual({
      cause: { type: "transaction_processing", tx_hash: tx.hash },
      type: "access_key_update",
      change: {
        account_id: account.accountId,
        public_key: pair.getPublicKey().toString(),
        access_key: { nonce: Number(nonce) + 7, permission: "FullAccess" },
      },
    });
    const { body: single } = await rpc(url, "EXPERIMENTAL_changes", {
      changes_type: "single_access_key_changes",
      keys: [{ account_id: account.accountId, public_key: pair.getPublicKey().toString() }],
      block_id,
    });
    expect(single.result.changes).toEqual(body.result.changes);
  });

  test("leave older blocks unchanged: a key's nonce can be read at any block", async () => {
    const { sign, nonce, account, pair, block } = await sender();
    const tx = await sign(nonce + 3n, [transfer]);
    await send(tx.base64, "FINAL");
    const at = async (reference: object) => {
      const { body } = await rpc(url, "query", {
        request_type: "view_access_key",
        account_id: account.accountId,
        public_key: pair.getPublicKey().toString(),
        ...reference,
      });
      return BigInt(body.result.nonce);
    };
    expect(await at({ block_id: block })).toBe(nonce);
    expect(await at({ finality: "final" })).toBe(nonce + 3n);
  });
});

describe("transactions of one key", () => {
  test("may leave gaps between their nonces", async () => {
    const { sign, nonce } = await sender();
    for (const step of [2n, 9n]) {
      const tx = await sign(nonce + step, [transfer]);
      expect((await send(tx.base64, "FINAL")).body.result.status).toEqual({ SuccessValue: "" });
    }
  });
});

describe("a function-call key's allowance", () => {
  test("of exactly what a call costs is enough for it, and of one yoctoNEAR less is not", async () => {
    const { account, block } = await sender(2n * NEAR);
    await transact(account, account.accountId, [actions.deployContract(probeWasm)]);
    const callWith = async (allowance: bigint) => {
      const pair = KeyPair.fromRandom("ed25519");
      const key = actions.addFunctionCallAccessKey(pair.getPublicKey(), account.accountId, [], allowance);
      await transact(account, account.accountId, [key]);
      const nonce = await keyNonce(url, account.accountId, pair);
      const call = actions.functionCall("log", {}, 100n * TGAS, 0n);
      const tx = await signed(pair, account.accountId, account.accountId, nonce + 1n, block, [call]);
      return (await send(tx.base64, "FINAL")).body;
    };
    const { InvalidAccessKeyError: lacking } = refusal(await callWith(1n)) as {
      InvalidAccessKeyError: { NotEnoughAllowance: { cost: string } };
    };
    const cost = BigInt(lacking.NotEnoughAllowance.cost);
    expect(refusal(await callWith(cost - 1n))).toMatchObject({
      InvalidAccessKeyError: { NotEnoughAllowance: { allowance: `${cost - 1n}`, cost: `${cost}` } },
    });
    expect((await callWith(cost)).result.status).toEqual({ SuccessValue: "" });
  });

  test("pays for gas and gets unburnt gas back", async () => {
    const pair = KeyPair.fromRandom("ed25519");
    const { account, block } = await sender(2n * NEAR);
    await transact(account, account.accountId, [
      actions.deployContract(probeWasm),
      actions.addFunctionCallAccessKey(pair.getPublicKey(), account.accountId, [], NEAR),
    ]);
    const nonce = await keyNonce(url, account.accountId, pair);
    const call = actions.functionCall("log", {}, 100n * TGAS, 0n);
    const tx = await signed(pair, account.accountId, account.accountId, nonce + 1n, block, [call]);
    const { body } = await send(tx.base64, "FINAL");
    expect(body.result.status).toEqual({ SuccessValue: "" });
    const { body: key } = await rpc(url, "query", {
      request_type: "view_access_key",
      finality: "final",
      account_id: account.accountId,
      public_key: pair.getPublicKey().toString(),
    });
    const { result } = body;
    const burnt = [result.transaction_outcome, ...result.receipts_outcome].reduce(
      (sum: bigint, { outcome }: { outcome: { tokens_burnt: string } }) => sum + BigInt(outcome.tokens_burnt),
      0n,
    );
    expect(NEAR - BigInt(key.result.permission.FunctionCall.allowance)).toBe(burnt);
  });
});

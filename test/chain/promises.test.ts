/** What goes on between contracts: promises, deposits, global code, meta transactions, and the supply. Any network. */
import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { base58 } from "@scure/base";
import { type Account, type Action, buildDelegateAction } from "near-api-js";
import { beforeAll, describe, expect, test } from "vitest";
import {
  actions,
  attempt,
  connect,
  finalBlock,
  isRemote,
  type Json,
  keyNonce,
  NEAR,
  type Network,
  newAccount,
  type Result,
  rpc,
  TGAS,
  transact,
} from "./network.ts";
import { probeWasm, unlinkableWasm } from "./probe.ts";
import { bytes, call, type ProbeScene, probeScene } from "./probe-scene.ts";

let network: Network;
let url: string;
let probe: ProbeScene["probe"];
let pair: ProbeScene["pair"];
let run: ProbeScene["run"];
let query: ProbeScene["query"];
let view: ProbeScene["view"];
let balance: ProbeScene["balance"];
beforeAll(async () => {
  network = await connect();
  url = network.url;
  ({ probe, pair, run, query, view, balance } = await probeScene(network));
});

describe("promises", () => {
  test("call back with their results", async () => {
    const result = await run("chain");
    // one result, successful, and its data
    expect(result.value?.toString()).toBe("1hello");
  });

  test("that are joined call back once, with the failed ones included", async () => {
    const result = await run("join");
    expect(result.value?.toString()).toBe("12hello");
    const failures = result.receipts.filter(({ status }) => JSON.stringify(status).includes("E_PROBE"));
    expect(failures).toHaveLength(1);
  });

  test("transfer tokens, and return them if nobody accepts them", async () => {
    const { account: receiver } = await newAccount(network, 0n);
    await transact(probe, probe.accountId, [call("pay", bytes(receiver.accountId))]);
    expect(await balance(receiver.accountId)).toBe(1n);
    const nobody = `nobody.${receiver.accountId}`;
    const result = await transact(probe, probe.accountId, [call("pay", bytes(nobody))]);
    expect(JSON.stringify(result.receipts)).toContain("AccountDoesNotExist");
  });
});

describe("a yielded promise", () => {
  const status = (tx_hash: string) =>
    rpc(url, "tx", { tx_hash, sender_account_id: probe.accountId, wait_until: "FINAL" });

  test("continues once when its contract resumes it", async () => {
    const waiting = await probe.signAndSendTransaction({
      receiverId: probe.accountId,
      actions: [call("wait", undefined, 50n * TGAS)],
      waitUntil: "INCLUDED_FINAL",
    });
    const [resumed, again] = [await run("resume"), await run("resume")];
    expect(resumed.value?.toString()).toBe("1");
    expect(again.value?.toString()).toBe("0");
    const { body } = await status((waiting as Json).transaction.hash);
    expect(Buffer.from(body.result.status.SuccessValue, "base64").toString()).toBe("1hello");
  });

  test.skipIf(isRemote)("fails if nobody resumes it within 200 blocks", async () => {
    const waiting = await probe.signAndSendTransaction({
      receiverId: probe.accountId,
      actions: [call("wait", undefined, 50n * TGAS)],
      waitUntil: "INCLUDED_FINAL",
    });
    await rpc(url, "devchain_advance", { blocks: 205 });
    const { body } = await status((waiting as Json).transaction.hash);
    expect(Buffer.from(body.result.status.SuccessValue, "base64").toString()).toBe("2");
  });
});

describe("a deposit", () => {
  test("stays with the contract if the call succeeds, and returns if it fails", async () => {
    const { account } = await newAccount(network, 3n * NEAR);
    const before = await balance(probe.accountId);
    await transact(account, probe.accountId, [call("log", undefined, undefined, NEAR)]);
    const kept = (await balance(probe.accountId)) - before;
    // Up to protocol version 86 the contract gets a share of the gas as well.
    expect(kept).toBeGreaterThanOrEqual(NEAR);
    expect(kept).toBeLessThan(NEAR + NEAR / 1000n);
    const middle = await balance(probe.accountId);
    await attempt(account, probe.accountId, [call("fail", undefined, undefined, NEAR)]);
    expect((await balance(probe.accountId)) - middle).toBeLessThan(NEAR / 1000n);
    expect(await balance(account.accountId)).toBeGreaterThan((19n * NEAR) / 10n);
  });
});

/** Global code may take a few blocks to be everywhere: a use of it is tried until it has come. */
async function use(account: Account, batch: Action[]): Promise<Result> {
  for (let tries = 0; ; tries++) {
    const result = await attempt(account, account.accountId, batch);
    if (tries > 20 || !JSON.stringify(result.failure ?? "").includes("GlobalContractDoesNotExist"))
      return result;
    await sleep(500);
  }
}

describe("global code", () => {
  /** The probe with some bytes that make it code of its own. */
  const unique = () => Buffer.concat([probeWasm, Uint8Array.of(0, 17, 0), randomBytes(16)]);

  test("burns a balance when it is published, is found by its hash, and can be used by it", async () => {
    const code = unique();
    const hash = createHash("sha256").update(code).digest();
    const { account: publisher } = await newAccount(network, 2n * NEAR);
    const before = await balance(publisher.accountId);
    await transact(publisher, publisher.accountId, [actions.deployGlobalContract(code, "codeHash")]);
    const burnt = before - (await balance(publisher.accountId));
    const price = BigInt(code.length) * 10n ** 20n;
    expect(burnt).toBeGreaterThan(price);
    expect(burnt).toBeLessThan(price + NEAR / 10n);

    const { account: user } = await newAccount(network, NEAR);
    expect((await use(user, [actions.useGlobalContract({ codeHash: hash })])).failure).toBeUndefined();
    const { result } = await query({ request_type: "view_account", account_id: user.accountId });
    expect(result.global_contract_hash).toBe(base58.encode(hash));
    expect(result.storage_usage).toBe(182 + 32);
    expect((await transact(user, user.accountId, [call("echo", bytes("global"))])).value?.toString()).toBe(
      "global",
    );
  });

  test("creates a contract in one batch that leaves no key", async () => {
    const code = unique();
    await transact(network.funder, network.funder.accountId, [
      actions.deployGlobalContract(code, "codeHash"),
    ]);
    const codeHash = createHash("sha256").update(code).digest();
    const { account: probeUser } = await newAccount(network, NEAR);
    expect((await use(probeUser, [actions.useGlobalContract({ codeHash })])).failure).toBeUndefined();
    const accountId = `${randomBytes(6).toString("hex")}.${network.funder.accountId}`;
    const made = await transact(network.funder, accountId, [
      actions.createAccount(),
      actions.transfer(NEAR / 10n),
      actions.useGlobalContract({ codeHash }),
      call("write", bytes("set up")),
    ]);
    expect(made.receipts[0]?.executor).toBe(accountId);
    const { result: keys } = await query({ request_type: "view_access_key_list", account_id: accountId });
    expect(keys.keys).toEqual([]);
    const read = {
      request_type: "call_function",
      method_name: "read",
      args_base64: "",
      account_id: accountId,
    };
    expect(Buffer.from((await query(read)).result.result).toString()).toBe("set up");
  });

  test("published under an account is replaced by the next publication", async () => {
    const { account: publisher } = await newAccount(network, 2n * NEAR);
    const { account: user } = await newAccount(network, NEAR);
    const id = { accountId: publisher.accountId };
    await transact(publisher, publisher.accountId, [
      actions.deployGlobalContract(unlinkableWasm, "accountId"),
    ]);
    expect((await use(user, [actions.useGlobalContract(id)])).failure).toBeUndefined();
    expect((await attempt(user, user.accountId, [call("echo", bytes("x"))])).failure).toBeDefined();
    await transact(publisher, publisher.accountId, [actions.deployGlobalContract(unique(), "accountId")]);
    let result = await attempt(user, user.accountId, [call("echo", bytes("x"))]);
    for (let tries = 0; result.failure && tries < 20; tries++) {
      await sleep(500);
      result = await attempt(user, user.accountId, [call("echo", bytes("x"))]);
    }
    expect(result.value?.toString()).toBe("x");
  });

  test("that nobody published can't be used", async () => {
    const { account } = await newAccount(network, NEAR);
    const missing = await attempt(account, account.accountId, [
      actions.useGlobalContract({ codeHash: randomBytes(32) }),
    ]);
    expect(JSON.stringify(missing.failure)).toContain("GlobalContractDoesNotExist");
  });
});

describe("a meta transaction", () => {
  test("runs for its sender, is paid by its relayer, and runs once", async () => {
    const { account: relayer } = await newAccount(network, 2n * NEAR);
    const before = await balance(probe.accountId);
    const nonce = await keyNonce(url, probe.accountId, pair);
    const { height } = await finalBlock(url);
    const delegateAction = buildDelegateAction({
      actions: [call("write", bytes("by relay"))],
      maxBlockHeight: BigInt(height + 1000),
      nonce: nonce + 1n,
      publicKey: pair.getPublicKey(),
      receiverId: probe.accountId,
      senderId: probe.accountId,
    });
    const signer = await probe.getSigner()!;
    const { signedDelegate } = await signer!.signDelegateAction(delegateAction);
    const relay = () => attempt(relayer, probe.accountId, [actions.signedDelegate(signedDelegate)]);
    expect((await relay()).failure).toBeUndefined();
    expect(Buffer.from((await view("read")).result.result).toString()).toBe("by relay");
    expect(before - (await balance(probe.accountId))).toBeLessThanOrEqual(0n);
    expect(JSON.stringify((await relay()).failure)).toContain("DelegateActionInvalidNonce");
  });
});

describe.skipIf(isRemote)("the total supply", () => {
  test("is the sum of all accounts: only burnt tokens are missing", async () => {
    const { chain } = network.devchain!;
    // Refunds to an account that is gone are lost, and count as burnt.
    const { account: gone } = await newAccount(network, NEAR);
    await transact(gone, gone.accountId, [actions.deleteAccount(`nobody.${gone.accountId}`)]);
    for (let blocks = 0; chain.receipts.length > 0 && blocks < 10; blocks++)
      await rpc(url, "devchain_advance", { blocks: 1 });
    const head = chain.head;
    let sum = 0n;
    for (const [key, record] of chain.stateAt(head.height).scan("\x00")) {
      expect(key).toMatch(/^\0[a-z0-9]/);
      const { amount, locked } = record as { amount: bigint; locked: bigint };
      sum += amount + locked;
    }
    expect(sum).toBe(head.totalSupply);
  });
});

/** Contracts: deployment, calls and their failures, gas, storage, promises, meta transactions. Runs against any network. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, type Action, buildDelegateAction, type KeyPair } from "near-api-js";
import { beforeAll, describe, expect, it } from "vitest";
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

let network: Network;
let url: string;
/** An account that has the probe contract, and signs. */
let probe: Account;
let probePair: KeyPair;
beforeAll(async () => {
  network = await connect();
  url = network.url;
  ({ account: probe, pair: probePair } = await newAccount(network, 2n * NEAR, [
    actions.deployContract(probeWasm),
  ]));
});

const bytes = (text: string) => new TextEncoder().encode(text);
const call = (method: string, args: Uint8Array = new Uint8Array(), gas = 100n * TGAS, deposit = 0n) =>
  actions.functionCall(method, args, gas, deposit);
const run = (method: string, args?: Uint8Array, gas?: bigint) =>
  attempt(probe, probe.accountId, [call(method, args, gas)]);
const callError = ({ failure }: Result) =>
  (failure as { ActionError: { kind: { FunctionCallError: unknown } } }).ActionError.kind.FunctionCallError;

async function query(request: object) {
  const { body } = await rpc(url, "query", {
    finality: "optimistic",
    account_id: probe.accountId,
    ...request,
  });
  return body;
}

const view = (method: string, args = "") =>
  query({
    request_type: "call_function",
    method_name: method,
    args_base64: Buffer.from(args).toString("base64"),
  });

/** Balance of an account, yoctoNEAR. */
async function balance(accountId: string): Promise<bigint> {
  const { result } = await query({ request_type: "view_account", account_id: accountId });
  return BigInt(result.amount);
}

describe("a call", () => {
  it("returns a value and logs", async () => {
    expect((await run("echo", bytes("what was sent"))).value?.toString()).toBe("what was sent");
    expect((await run("log")).receipts[0]?.logs).toEqual(["hello"]);
  });

  it("that panics fails with the panic's text, and a trap with a trap's", async () => {
    expect(callError(await run("fail"))).toEqual({
      ExecutionError: "Smart contract panicked: E_PROBE: it failed",
    });
    expect(callError(await run("trap"))).toEqual({
      ExecutionError: "WebAssembly trap: An `unreachable` opcode was executed.",
    });
  });

  it("that never ends is stopped when its gas is burnt, and all of that is gone", async () => {
    const gas = 30n * TGAS;
    const result = await run("spin", undefined, gas);
    expect(callError(result)).toEqual({ ExecutionError: "Exceeded the prepaid gas." });
    // receipt and call, executed
    expect(result.receipts[0]?.gas).toBeGreaterThanOrEqual(Number(gas) + 108_059_500_000 + 780_000_000_000);
  });

  it("that calls itself without end is stopped", async () => {
    expect(callError(await run("recurse"))).toHaveProperty("ExecutionError");
  });

  it("of a method or a contract that isn't there says so", async () => {
    expect(callError(await run("no_such_method"))).toEqual({ MethodResolveError: "MethodNotFound" });
    const { account } = await newAccount(network, NEAR);
    const result = await attempt(account, account.accountId, [call("echo")]);
    expect(callError(result)).toEqual({
      CompilationError: { CodeDoesNotExist: { account_id: account.accountId } },
    });
  });

  it("of code that needs an unknown function can't be linked", async () => {
    const { account } = await newAccount(network, 2n * NEAR, [actions.deployContract(unlinkableWasm)]);
    const error = callError(await attempt(account, account.accountId, [call("main")]));
    expect(JSON.stringify(error)).toMatch(/Link Error: unknown or invalid import/);
  });

  it("of bytes that are no code fails as well", async () => {
    const { account } = await newAccount(network, 2n * NEAR, [
      actions.deployContract(bytes("no code at all")),
    ]);
    const error = callError(await attempt(account, account.accountId, [call("main")]));
    expect(error).toHaveProperty("CompilationError");
  });

  it("sees another random seed in every action", async () => {
    const result = await transact(probe, probe.accountId, [call("seed"), call("seed")]);
    const other = await run("seed");
    expect(result.value).toHaveLength(32);
    expect(other.value).not.toEqual(result.value);
  });

  it("undoes what the batch did before when it fails", async () => {
    await transact(probe, probe.accountId, [call("write", bytes("before"))]);
    const result = await attempt(probe, probe.accountId, [call("write", bytes("after")), call("fail")]);
    expect(result.failure).toMatchObject({ ActionError: { index: 1 } });
    expect(Buffer.from((await view("read")).result.result).toString()).toBe("before");
  });
});

describe("gas", () => {
  // The protocol's price of one instruction.
  const INSTRUCTION = 822_756;

  it("counts instructions: six a turn, and a loop's own among them", async () => {
    const { value } = await run("work");
    const hostFunction = 264_768_111;
    expect(Number(value!.readBigUInt64LE())).toBe((1000 * 6 + 5) * INSTRUCTION + hostFunction);
  });

  it("of sending and executing actions is the protocol's to the unit", async () => {
    const { account } = await newAccount(network, NEAR);
    const sent = await transact(account, network.funder.accountId, [actions.transfer(1n)]);
    expect(sent.conversionGas).toBe(108_059_500_000 + 115_123_062_500);
    expect(sent.receipts[0]?.gas).toBe(108_059_500_000 + 115_123_062_500);
    const echoed = await transact(account, probe.accountId, [call("echo", new Uint8Array(1000))]);
    expect(echoed.conversionGas).toBe(108_059_500_000 + 200_000_000_000 + 47_683_715 * (1000 + 4));
    const own = await transact(probe, probe.accountId, [call("echo", new Uint8Array(1000))]);
    expect(own.conversionGas).toBe(108_059_500_000 + 200_000_000_000 + 2_235_934 * (1000 + 4));
  });

  it("of a call is that of the native virtual machine", async () => {
    // Measured with nearcore's near-vm-runner 0.38 on this very code; trie nodes are the network's own.
    const code = probeWasm.length * 1_089_295 + 35_445_963;
    const execution = 108_059_500_000 + 780_000_000_000;
    const { receipts } = await run("log");
    const name = 2_235_934 * "log".length;
    const host = 264_768_111 + 3_111_779_061 + 2_609_863_200 + 5 * (3_801_333 + 291_580_479);
    const log = 3_543_313_050 + 5 * 13_198_791;
    // const, const, call, and a frame of 64 bytes
    const instructions = (8 + 3) * INSTRUCTION;
    expect(receipts[0]?.gas).toBe(execution + name + code + host + log + instructions);
  });

  it("comes back where it wasn't used", async () => {
    const before = await balance(probe.accountId);
    const result = await transact(probe, probe.accountId, [call("log", undefined, 250n * TGAS)]);
    const burnt = result.conversionGas + result.receipts[0]!.gas;
    const spent = before - (await balance(probe.accountId));
    // 250 Tgas at the price of a purchase would be 0.25 NEAR; what is burnt costs far less.
    expect(spent).toBeLessThan(NEAR / 100n);
    expect(spent).toBeGreaterThan(BigInt(burnt) * 50_000_000n);
  });
});

describe("storage", () => {
  const usage = async () => (await query({ request_type: "view_account" })).result.storage_usage;

  it("counts 40 bytes a record, its key and its value, and less when it goes", async () => {
    await transact(probe, probe.accountId, [call("remove")]);
    const empty = await usage();
    await transact(probe, probe.accountId, [call("write", new Uint8Array(100))]);
    expect((await usage()) - empty).toBe(40 + 3 + 100);
    await transact(probe, probe.accountId, [call("write", new Uint8Array(30))]);
    expect((await usage()) - empty).toBe(40 + 3 + 30);
    await transact(probe, probe.accountId, [call("remove")]);
    expect(await usage()).toBe(empty);
  });

  it("is listed by view_state, and its code by view_code", async () => {
    await transact(probe, probe.accountId, [call("write", bytes("stored"))]);
    const { result } = await query({ request_type: "view_state", prefix_base64: "" });
    expect(result.values).toEqual([
      { key: Buffer.from("key").toString("base64"), value: Buffer.from("stored").toString("base64") },
    ]);
    const { result: none } = await query({ request_type: "view_state", prefix_base64: "eHg=" });
    expect(none.values).toEqual([]);
    const { result: code } = await query({ request_type: "view_code" });
    expect(code.code_base64).toBe(Buffer.from(probeWasm).toString("base64"));
    const { account } = await newAccount(network, NEAR);
    const missing = await query({ request_type: "view_code", account_id: account.accountId });
    expect(missing.error.cause.name).toBe("NO_CONTRACT_CODE");
  });

  it("can be viewed as it was in an older block", async () => {
    await transact(probe, probe.accountId, [call("write", bytes("older"))]);
    const { height } = await finalBlock(url);
    await transact(probe, probe.accountId, [call("write", bytes("newer"))]);
    const { body } = await rpc(url, "query", {
      request_type: "call_function",
      account_id: probe.accountId,
      method_name: "read",
      args_base64: "",
      block_id: height,
    });
    expect(Buffer.from(body.result.result).toString()).toBe("older");
    expect(Buffer.from((await view("read")).result.result).toString()).toBe("newer");
  });
});

describe("a view", () => {
  it("returns bytes and logs", async () => {
    const { result } = await view("log");
    expect(result).toMatchObject({ result: [], logs: ["hello"] });
    expect(result.block_height).toBeGreaterThan(0);
  });

  it("that fails is text in the result, not an error", async () => {
    const texts: [string, string][] = [
      ["fail", 'HostError(GuestPanic { panic_msg: "E_PROBE: it failed" })'],
      ["no_such_method", "MethodResolveError(MethodNotFound)"],
      ["write", 'HostError(ProhibitedInView { method_name: "storage_write" })'],
    ];
    for (const [method, text] of texts) {
      const { result } = await view(method);
      expect(result.error).toContain(text);
      expect(result.error).toMatch(/^wasm execution failed with error: /);
    }
  });
});

describe("promises", () => {
  it("call back with what they came to", async () => {
    const result = await run("chain");
    // one result, successful, and its data
    expect(result.value?.toString()).toBe("1hello");
  });

  it("that are joined call back once, with the failed ones among them", async () => {
    const result = await run("join");
    expect(result.value?.toString()).toBe("12hello");
    const failures = result.receipts.filter(({ status }) => JSON.stringify(status).includes("E_PROBE"));
    expect(failures).toHaveLength(1);
  });

  it("move tokens, and return them where nobody takes them", async () => {
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

  it("goes on when its contract resumes it, once", async () => {
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

  it.skipIf(isRemote)("fails when nobody resumes it for 200 blocks", async () => {
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
  it("stays with the contract if the call succeeds, and returns if it fails", async () => {
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

  it("is burnt for, found by its hash, and used by it", async () => {
    const { createHash } = await import("node:crypto");
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
    const { base58 } = await import("@scure/base");
    expect(result.global_contract_hash).toBe(base58.encode(hash));
    expect(result.storage_usage).toBe(182 + 32);
    expect((await transact(user, user.accountId, [call("echo", bytes("global"))])).value?.toString()).toBe(
      "global",
    );
  });

  it("makes a contract in one batch that leaves no key", async () => {
    const { createHash } = await import("node:crypto");
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

  it("published under an account changes with the next publication", async () => {
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

  it("that nobody published can't be used", async () => {
    const { account } = await newAccount(network, NEAR);
    const missing = await attempt(account, account.accountId, [
      actions.useGlobalContract({ codeHash: randomBytes(32) }),
    ]);
    expect(JSON.stringify(missing.failure)).toContain("GlobalContractDoesNotExist");
  });
});

describe("a meta transaction", () => {
  it("runs for its sender, paid by its relayer, once", async () => {
    const { account: relayer } = await newAccount(network, 2n * NEAR);
    const before = await balance(probe.accountId);
    const nonce = await keyNonce(url, probe.accountId, probePair);
    const { height } = await finalBlock(url);
    const delegateAction = buildDelegateAction({
      actions: [call("write", bytes("by relay"))],
      maxBlockHeight: BigInt(height + 1000),
      nonce: nonce + 1n,
      publicKey: probePair.getPublicKey(),
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

describe.skipIf(isRemote)("the supply", () => {
  it("is what all accounts have: nothing above made or lost a token beside what was burnt", async () => {
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

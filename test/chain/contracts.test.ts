/** Contracts: calls and their failures, gas, storage, views. Runs against any network. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { beforeAll, describe, expect, test } from "vitest";
import {
  actions,
  attempt,
  connect,
  finalBlock,
  NEAR,
  type Network,
  newAccount,
  rpc,
  TGAS,
  transact,
} from "./network.ts";
import { probeWasm, unlinkableWasm } from "./probe.ts";
import { bytes, call, callError, type ProbeScene, probeScene } from "./probe-scene.ts";

let network: Network;
let url: string;
let probe: ProbeScene["probe"];
let run: ProbeScene["run"];
let query: ProbeScene["query"];
let view: ProbeScene["view"];
let balance: ProbeScene["balance"];
beforeAll(async () => {
  network = await connect();
  url = network.url;
  ({ probe, run, query, view, balance } = await probeScene(network));
});

describe("a call", () => {
  test("returns a value and logs", async () => {
    expect((await run("echo", bytes("what was sent"))).value?.toString()).toBe("what was sent");
    expect((await run("log")).receipts[0]?.logs).toEqual(["hello"]);
  });

  test("that panics fails with the panic's message, and one that traps with the trap's message", async () => {
    expect(callError(await run("fail"))).toEqual({
      ExecutionError: "Smart contract panicked: E_PROBE: it failed",
    });
    expect(callError(await run("trap"))).toEqual({
      ExecutionError: "WebAssembly trap: An `unreachable` opcode was executed.",
    });
  });

  test("that never ends is stopped when its gas is burnt, and has no effect", async () => {
    const gas = 30n * TGAS;
    const result = await run("spin", undefined, gas);
    expect(callError(result)).toEqual({ ExecutionError: "Exceeded the prepaid gas." });
    // receipt and call, executed
    expect(result.receipts[0]?.gas).toBeGreaterThanOrEqual(Number(gas) + 108_059_500_000 + 780_000_000_000);
  });

  test("that calls itself endlessly is stopped", async () => {
    expect(callError(await run("recurse"))).toHaveProperty("ExecutionError");
  });

  test("of a missing method or contract fails with that reason", async () => {
    expect(callError(await run("no_such_method"))).toEqual({ MethodResolveError: "MethodNotFound" });
    const { account } = await newAccount(network, NEAR);
    const result = await attempt(account, account.accountId, [call("echo")]);
    expect(callError(result)).toEqual({
      CompilationError: { CodeDoesNotExist: { account_id: account.accountId } },
    });
  });

  test("of code that needs an unknown function can't be linked", async () => {
    const { account } = await newAccount(network, 2n * NEAR, [actions.deployContract(unlinkableWasm)]);
    const error = callError(await attempt(account, account.accountId, [call("main")]));
    expect(JSON.stringify(error)).toMatch(/Link Error: unknown or invalid import/);
  });

  test("of bytes that are no code fails", async () => {
    const { account } = await newAccount(network, 2n * NEAR, [
      actions.deployContract(bytes("no code at all")),
    ]);
    const error = callError(await attempt(account, account.accountId, [call("main")]));
    expect(error).toHaveProperty("CompilationError");
  });

  test("gets another random seed in every action", async () => {
    const result = await transact(probe, probe.accountId, [call("seed"), call("seed")]);
    const other = await run("seed");
    expect(result.value).toHaveLength(32);
    expect(other.value).not.toEqual(result.value);
  });

  test("undoes what the batch did before when it fails", async () => {
    await transact(probe, probe.accountId, [call("write", bytes("before"))]);
    const result = await attempt(probe, probe.accountId, [call("write", bytes("after")), call("fail")]);
    expect(result.failure).toMatchObject({ ActionError: { index: 1 } });
    expect(Buffer.from((await view("read")).result.result).toString()).toBe("before");
  });
});

describe("gas", () => {
  // The protocol's price of one instruction.
  const INSTRUCTION = 822_756;

  test("counts six instructions for each turn of a loop, and the loop's own", async () => {
    const { value } = await run("work");
    const hostFunction = 264_768_111;
    expect(Number(value!.readBigUInt64LE())).toBe((1000 * 6 + 5) * INSTRUCTION + hostFunction);
  });

  test("for sending and executing actions equals the protocol's cost exactly", async () => {
    const { account } = await newAccount(network, NEAR);
    const sent = await transact(account, network.funder.accountId, [actions.transfer(1n)]);
    expect(sent.conversionGas).toBe(108_059_500_000 + 115_123_062_500);
    expect(sent.receipts[0]?.gas).toBe(108_059_500_000 + 115_123_062_500);
    const echoed = await transact(account, probe.accountId, [call("echo", new Uint8Array(1000))]);
    expect(echoed.conversionGas).toBe(108_059_500_000 + 200_000_000_000 + 47_683_715 * (1000 + 4));
    const own = await transact(probe, probe.accountId, [call("echo", new Uint8Array(1000))]);
    expect(own.conversionGas).toBe(108_059_500_000 + 200_000_000_000 + 2_235_934 * (1000 + 4));
  });

  test("for a call equals that of the native virtual machine", async () => {
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

  test("is refunded if it wasn't used", async () => {
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

  test("counts 40 bytes for a record, its key and its value, and less when it is deleted", async () => {
    await transact(probe, probe.accountId, [call("remove")]);
    const empty = await usage();
    await transact(probe, probe.accountId, [call("write", new Uint8Array(100))]);
    expect((await usage()) - empty).toBe(40 + 3 + 100);
    await transact(probe, probe.accountId, [call("write", new Uint8Array(30))]);
    expect((await usage()) - empty).toBe(40 + 3 + 30);
    await transact(probe, probe.accountId, [call("remove")]);
    expect(await usage()).toBe(empty);
  });

  test("is listed by view_state, and its code by view_code", async () => {
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

  test("can be viewed as of an older block", async () => {
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
  test("returns bytes and logs", async () => {
    const { result } = await view("log");
    expect(result).toMatchObject({ result: [], logs: ["hello"] });
    expect(result.block_height).toBeGreaterThan(0);
  });

  test("that fails is reported as text in the result, not as an error", async () => {
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

describe("a contract's payment", () => {
  /** What a transfer costs to send and to execute, creating an account, and giving it a full-access key. */
  const priceOf = async (receiver: string) =>
    Number((await run("price_of_payment", bytes(receiver))).value?.readBigUInt64LE());

  test("to an account without a name is charged with creating it, whether or not it exists", async () => {
    const { account } = await newAccount(network, NEAR);
    const named = await priceOf(account.accountId);
    const implicit = "ab".repeat(32);
    const first = await priceOf(implicit);
    expect(first - named).toBeGreaterThan(Number(7n * TGAS));
    expect(await priceOf(implicit)).toBe(first);
    expect(await priceOf(`0x${"1f".repeat(20)}`)).toBeGreaterThan(Number(7n * TGAS) + named);
  });
});

describe("an ed25519 signature", () => {
  const { secretKey, publicKey } = ed25519.keygen();
  const message = bytes("what is signed");
  const isValid = async (signature: Uint8Array, key: Uint8Array, said = message) =>
    (await run("verify", Buffer.concat([signature, key, said]))).value?.toString() === "1";
  /** R of a known scalar, and that scalar: a signature by any key whose multiple vanishes. */
  const withoutSecret = (scalar: number) =>
    Buffer.concat([
      ed25519.Point.BASE.multiply(BigInt(scalar)).toBytes(),
      Buffer.from([scalar]),
      Buffer.alloc(31),
    ]);

  test("is verified", async () => {
    const signature = ed25519.sign(message, secretKey);
    expect(await isValid(signature, publicKey)).toBe(true);
    expect(await isValid(signature, publicKey, bytes("something else"))).toBe(false);
    const unreduced = Buffer.from(signature);
    unreduced[63]! |= 0xe0;
    expect(await isValid(unreduced, publicKey)).toBe(false);
    const { publicKey: other } = ed25519.keygen();
    expect(await isValid(signature, other)).toBe(false);
  });

  test("whose S has one of its three highest bits set is refused before the message is paid for, as on a node", async () => {
    const gasOf = async (signature: Uint8Array, length: number) =>
      (await run("verify", Buffer.concat([signature, publicKey, Buffer.alloc(length)]))).receipts[0]!.gas;
    const wrong = ed25519.sign(message, secretKey);
    for (const bit of [0x20, 0x40, 0x80]) {
      const unreduced = Buffer.from(wrong);
      unreduced[63]! |= bit;
      const saved = async (length: number) =>
        Number(await gasOf(wrong, length)) - Number(await gasOf(unreduced, length));
      // 1,423,978 gas for each byte of the message, beside reading it.
      expect((await saved(2_000)) - (await saved(0))).toBeGreaterThan(2_000 * 1_423_978);
    }
  });

  test("by a key of small order needs no secret, however the key is encoded, as on a node", async () => {
    const identity = Buffer.alloc(32);
    identity[0] = 1;
    expect(await isValid(withoutSecret(7), identity)).toBe(true);
    const spelledBeyondThePrime = Buffer.alloc(32, 0xff);
    spelledBeyondThePrime[0] = 0xee;
    spelledBeyondThePrime[31] = 0x7f;
    expect(await isValid(withoutSecret(7), spelledBeyondThePrime)).toBe(true);
    // A point of order 4: one message in four will do.
    const seen = new Set<boolean>();
    // One after the other: of a key's transactions in different blocks a lower nonce that comes late is dead.
    for (let number = 0; number < 24 && seen.size < 2; number++)
      seen.add(await isValid(withoutSecret(9), Buffer.alloc(32), bytes(`${number}`)));
    expect(seen.size).toBe(2);
  });

  test("is invalid if R has a part of small order, because the bytes of R are compared", async () => {
    const torsion = ed25519.Point.fromBytes(Buffer.alloc(32), true);
    const moved = Buffer.from(ed25519.sign(message, secretKey));
    moved.set(ed25519.Point.fromBytes(moved.subarray(0, 32)).add(torsion).toBytes());
    expect(await isValid(moved, publicKey)).toBe(false);
  });

  test("by bytes that are no point is invalid", async () => {
    const signature = ed25519.sign(message, secretKey);
    const noPoint = Buffer.alloc(32);
    noPoint[0] = 2;
    expect(await isValid(signature, noPoint)).toBe(false);
  });
});

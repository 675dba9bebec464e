/** Rules of the embedded chain that RPC shows only in sums: metering, the trie's shape, base58, prices, older protocols. */
import { base58 } from "@scure/base";
import binaryen from "binaryen";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { BLOCK_GAS_LIMIT, MAX_GAS_PRICE, MIN_GAS_PRICE, nextGasPrice } from "../../devchain/blocks/block.ts";
import { callContract } from "../../devchain/host/call.ts";
import type { CallInput } from "../../devchain/host/context.ts";
import { isAccountId, isSubAccountOf } from "../../devchain/protocol/accounts.ts";
import { protocolConfig } from "../../devchain/protocol/config.ts";
import { encodeHash } from "../../devchain/protocol/hash.ts";
import { TrieShape } from "../../devchain/state/trie.ts";
import { actions, attempt, isRemote, NEAR, newAccount, openNetwork, rpc, TGAS, transact } from "./network.ts";
import { mintageWasm } from "./probe.ts";

const INSTRUCTION = 822_756;

/** Instructions that near-vm-runner 0.38 charges for a body, beyond an empty one's. */
const CHARGED: [body: string, instructions: number][] = [
  ["(drop (i32.const 1)) (drop (i32.const 2))", 4],
  ["(local i32 i64 f64) (local.set 0 (i32.const 1))", 5],
  ["(call $f) (call $f)", 20],
  ["(drop (call $g (i32.const 1) (i64.const 2)))", 15],
  ["(call_indirect (type $t) (i32.const 0))", 11],
  [
    "(local i32) (local.set 0 (i32.const 10)) (loop $l (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))",
    63,
  ],
  ["(block $b (br_if $b (i32.const 1)) (nop) (nop)) (nop)", 3],
  ["(block $b (br $b)) (nop)", 2],
  ["(if (i32.const 1) (then (nop)) (else (nop) (nop)))", 3],
  ["(nop) (return)", 2],
  ["(memory.copy (i32.const 0) (i32.const 100) (i32.const 50))", 85],
  ["(memory.fill (i32.const 0) (i32.const 100) (i32.const 50))", 85],
  ["(drop (memory.grow (i32.const 3)))", 37],
  ["(drop (i32.load (i32.const 3))) (i32.store (i32.const 0) (i32.const 1))", 6],
  ["(block $b (br_if $b (i32.const 1)) (unreachable)) (nop)", 3],
  ["(drop (select (i32.const 1) (i32.const 2) (i32.const 0)))", 5],
  ["(drop (global.get $x)) (global.set $x (i32.const 3))", 4],
  ["(if (i32.const 1) (then (return))) (nop) (nop)", 3],
  ["(loop (nop)) (nop)", 3],
];

function burn(body: string): number {
  const module = binaryen.parseText(`(module (type $t (func)) (table 2 funcref) (elem (i32.const 0) $f)
    (global $x (mut i32) (i32.const 0)) (memory 1) (func $f (nop))
    (func $g (param i32 i64) (result i32) (i32.const 0)) (func (export "main") ${body}))`);
  module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  const code = module.emitBinary();
  module.dispose();
  const input: CallInput = {
    config: protocolConfig(88),
    chainId: "test",
    currentAccountId: "a.test",
    signerAccountId: "a.test",
    signerPublicKey: new Uint8Array(33),
    predecessorAccountId: "a.test",
    refundToAccountId: "a.test",
    method: "main",
    args: new Uint8Array(),
    promiseResults: [],
    blockHeight: 1,
    blockTimestamp: 1n,
    epochHeight: 1,
    accountBalance: 0n,
    lockedBalance: 0n,
    storageUsage: 100,
    contract: { type: "none" },
    attachedDeposit: 0n,
    prepaidGas: 3e14,
    randomSeed: new Uint8Array(32),
    isView: false,
    outputReceivers: [],
    validators: new Map(),
    storage: {
      read: () => undefined,
      write: () => undefined,
      remove: () => undefined,
      touchedNodes: () => 0,
      awaitsResume: () => false,
    },
    newDataId: () => "",
  };
  const outcome = callContract(input, body, code);
  expect(outcome.error).toBeUndefined();
  return outcome.gasBurnt - code.length * 1_089_295;
}

describe("the instructions charged for", () => {
  test.each(CHARGED)("%s", (body, instructions) => {
    expect((burn(body) - burn("")) / INSTRUCTION).toBe(instructions);
  });
});

/** Nodes on the way to a key, from the definition: a fork wherever keys part, an extension before it if it isn't next. */
function nodesByDefinition(keys: string[], wanted: string): number {
  const hex = (key: string) => Buffer.from(key, "latin1").toString("hex");
  let reach = keys.map(hex);
  const path = hex(wanted);
  let at = 0;
  for (let nodes = 0; ; ) {
    if (reach.length === 1) return nodes + 1 + (reach[0] === path ? 1 : 0);
    let end = at;
    while (reach.every((key) => key.length > end && key[end] === reach[0]![end])) end++;
    if (!path.startsWith(reach[0]!.slice(0, end))) return nodes + 1;
    nodes += end > at ? 2 : 1;
    if (path.length === end) return reach.includes(path) ? nodes + 1 : nodes;
    reach = reach.filter((key) => key.length > end && key[end] === path[end]);
    if (reach.length === 0) return nodes;
    at = end + 1;
  }
}

describe("the state trie", () => {
  const key = fc.string({
    unit: fc.constantFrom("\x00", "\x01", "\x10", "a", "b"),
    minLength: 1,
    maxLength: 6,
  });

  test("has the right number of nodes on the way to a key, whatever was added and removed before", () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 2 }), fc.array(key), key, (kept, removed, wanted) => {
        const trie = new TrieShape();
        for (const each of [...removed, ...kept]) trie.add(each);
        for (const each of removed) if (!kept.includes(each)) trie.remove(each);
        for (const each of [...kept, wanted])
          expect(trie.touchedNodes(each)).toBe(nodesByDefinition(kept, each));
      }),
    );
  });
});

describe("ids and prices", () => {
  test("are written in base58 like those of other implementations", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        expect(encodeHash(bytes)).toBe(base58.encode(bytes));
      }),
    );
  });

  test("follow the rules for account ids", () => {
    const good = ["ab", "a-b", "a_b.c-d", "0x1", "a".repeat(64), "100.near"];
    const bad = ["", "a", "A.near", "a..b", ".a", "a.", "a--b", "a-", "_a", "a b", "a@b", "a".repeat(65)];
    expect(good.filter((id) => !isAccountId(id))).toEqual([]);
    expect(bad.filter(isAccountId)).toEqual([]);
    expect(isSubAccountOf("a.b.near", "b.near")).toBe(true);
    for (const [id, parent] of [
      ["a.b.near", "near"],
      ["xb.near", "b.near"],
      ["near", "near"],
    ] as const)
      expect(isSubAccountOf(id, parent)).toBe(false);
  });

  test("raise and lower the price of gas with the load, within its bounds", () => {
    const price = fc.bigInt({ min: MIN_GAS_PRICE, max: MAX_GAS_PRICE });
    fc.assert(
      fc.property(price, fc.integer({ min: 0, max: BLOCK_GAS_LIMIT }), (now, used) => {
        const next = nextGasPrice(now, used);
        expect(next >= MIN_GAS_PRICE && next <= MAX_GAS_PRICE).toBe(true);
        if (used > BLOCK_GAS_LIMIT / 2) expect(next >= now).toBe(true);
        else expect(next <= now).toBe(true);
      }),
    );
  });
});

describe.skipIf(isRemote)("protocol version 84", () => {
  test("has its own prices, and links Mintage's contract", async () => {
    const network = await openNetwork({ protocolVersion: 84 });
    onTestFinished(() => network.devchain?.close());
    const { body } = await rpc(network.url, "EXPERIMENTAL_protocol_config", { finality: "final" });
    expect(body.result.protocol_version).toBe(84);
    expect(body.result.runtime_config.min_gas_purchase_price).toBe("0");
    const { account } = await newAccount(network, 10n * NEAR, [actions.deployContract(mintageWasm)]);
    const made = await attempt(account, `sub.${account.accountId}`, [actions.createAccount()]);
    expect(made.conversionGas).toBe(108_059_500_000 + 3_850_000_000_000);

    const metadata = { spec: "nft-1.0.0", name: "Mintage", symbol: "MINT" };
    const args = {
      network_id: "testnet",
      owner_id: account.accountId,
      platform_id: account.accountId,
      metadata,
    };
    const balance = async () => (await account.getState()).balance.total;
    const before = await balance();
    const result = await transact(account, account.accountId, [
      actions.functionCall("new", args, 100n * TGAS, 0n),
    ]);
    // A contract gets three tenths of what its calls burn beyond the receipt's and the action's own fees.
    const fees = 108_059_500_000 + 780_000_000_000 + 2_235_934 * ("new".length + JSON.stringify(args).length);
    const gas = result.conversionGas + result.receipts[0]!.gas;
    const reward = Math.floor(((result.receipts[0]!.gas - fees) * 3) / 10);
    expect(before - (await balance())).toBe(BigInt(gas - reward) * 100_000_000n);
  });
});

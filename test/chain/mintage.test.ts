/** Mintage's contract, every method of it, over RPC. Runs against any network. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { base58 } from "@scure/base";
import type { Account } from "near-api-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import measured from "./gas.json" with { type: "json" };
import { addAssetsArgs, createArgs } from "./mintage-calls.ts";
import {
  actions,
  attempt,
  connect,
  isRemote,
  type Json,
  NEAR,
  type Network,
  newAccount,
  type Result,
  rpc,
  TGAS,
  transact,
} from "./network.ts";
import { mintageWasm } from "./probe.ts";

let network: Network;
let contract: Account;
let owner: Account;
let collector: Account;
let friend: Account;

/** Every call in order, for measuring it again with the native virtual machine. */
const trace: object[] = [];

beforeAll(async () => {
  network = await connect();
  ({ account: contract } = await newAccount(network, 6n * NEAR, [actions.deployContract(mintageWasm)]));
  ({ account: owner } = await newAccount(network, 3n * NEAR));
  ({ account: collector } = await newAccount(network, 3n * NEAR));
  ({ account: friend } = await newAccount(network, NEAR));
  trace.push({
    contract: contract.accountId,
    accounts: [owner, collector, friend].map((one) => one.accountId),
  });
});

/** Written down on request: `replay` in contract/harness makes gas.json of it. */
afterAll(() => {
  const file = process.env.CHAIN_TEST_TRACE;
  if (file) writeFileSync(file, JSON.stringify(trace, null, 1));
});

interface Call {
  by?: Account;
  deposit?: bigint;
  /** Name under which the gas of this call is compared with what the native virtual machine burns. */
  gas?: string;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

async function call(method: string, args: object | Uint8Array, options: Call = {}): Promise<Result> {
  const { by = owner, deposit = 0n, gas } = options;
  const bytes = args instanceof Uint8Array ? args : new TextEncoder().encode(JSON.stringify(args));
  const batch = [actions.functionCall(method, bytes, 150n * TGAS, deposit)];
  const result = await attempt(by, contract.accountId, batch);
  const burnt = result.receipts[0]!.gas;
  trace.push({ by: by.accountId, method, args: base64(bytes), deposit: `${deposit}`, gas, burnt });
  if (gas) compareGas(gas, burnt);
  return result;
}

/**
 * How far gas may be from what was measured: equal but for what the draws made of the state. A live shard holds millions of
 * records above ours: each that is written costs some trie nodes more.
 */
const GAS_TOLERANCE = isRemote ? 0.15 : 0.005;

/** Compares the receipt that ran a method with what near-vm-runner burnt for the same call: see gas.json's maker. */
function compareGas(name: string, burnt: number): void {
  if (process.env.CHAIN_TEST_TRACE) return;
  const expected = (measured as unknown as Record<string, number>)[name];
  if (expected === undefined) throw new Error(`gas.json has no ${name}`);
  const difference = Math.abs(burnt - expected) / expected;
  expect(difference, `${name} burnt ${burnt}, measured ${expected}`).toBeLessThan(GAS_TOLERANCE);
}

async function succeed(method: string, args: object | Uint8Array, options?: Call): Promise<Json> {
  const { value, failure } = await call(method, args, options);
  expect(failure).toBeUndefined();
  const text = value?.toString() ?? "";
  return text === "" ? undefined : JSON.parse(text);
}

/** The failure code of a call that has to fail. */
async function refuse(method: string, args: object | Uint8Array, options?: Call): Promise<string> {
  const { failure } = await call(method, args, options);
  return (
    /Smart contract panicked: (E_[A-Z_]+): /.exec(JSON.stringify(failure ?? ""))?.[1] ??
    JSON.stringify(failure)
  );
}

async function view(method: string, args: object = {}): Promise<Json> {
  const { body } = await rpc(network.url, "query", {
    request_type: "call_function",
    finality: "optimistic",
    account_id: contract.accountId,
    method_name: method,
    args_base64: base64(new TextEncoder().encode(JSON.stringify(args))),
  });
  if (body.result.error) throw new Error(body.result.error);
  return JSON.parse(Buffer.from(body.result.result).toString());
}

const settings = {
  title: "Prints",
  public_mint_config: {
    mint_fee: `${NEAR / 20n}`,
    starts_at_ms: null,
    ends_at_ms: null,
    limit_per_account: 3,
  },
  ongoing_royalties: {} as Record<string, number>,
};

test("the contract is the one whose gas was measured: docs/devchain.md explains how to measure another", () => {
  expect(createHash("sha256").update(mintageWasm).digest("hex")).toBe(measured.wasm_sha256);
});

describe("the contract", () => {
  test("is initialized once, and shows its metadata", async () => {
    const metadata = {
      spec: "nft-1.0.0",
      name: "Mintage",
      symbol: "MINT",
      base_uri: "https://mint.example/ipfs",
    };
    const roles = { network_id: "testnet", owner_id: owner.accountId, platform_id: network.funder.accountId };
    const args = { ...roles, metadata, upgrade_delay_blocks: 0 };
    await succeed("new", args, { by: contract });
    expect((await call("new", args, { by: contract })).failure).toBeDefined();
    expect(await view("nft_metadata")).toMatchObject(metadata);
    expect(await view("contract_roles")).toMatchObject({
      owner_id: owner.accountId,
      platform_id: network.funder.accountId,
    });
    expect(await view("contract_version")).toMatchObject({
      layout: expect.any(Number),
      version: expect.any(String),
    });
    expect(await view("contract_source_metadata")).toHaveProperty("standards");
    expect(BigInt((await view("contract_balance")).free)).toBeGreaterThan(2n * NEAR);
  });

  test("creates a collection, adds to it and publishes it", async () => {
    settings.ongoing_royalties = { [friend.accountId]: 500 };
    const created = await succeed(
      "collection_create",
      createArgs(settings, false, { count: 40, copies: 1 }),
      {
        gas: "collection_create",
      },
    );
    expect(created).toBe(1);
    expect(await refuse("nft_mint", { collection_id: 1 }, { by: collector, deposit: NEAR })).toBe(
      "E_NOT_PUBLISHED",
    );
    const added = await succeed("collection_add_assets", addAssetsArgs(1, 40, { count: 20, copies: 2 }), {
      gas: "collection_add_assets",
    });
    expect(added).toBe(60);
    await succeed("collection_publish", { collection_id: 1 }, { gas: "collection_publish" });
    expect(await refuse("collection_publish", { collection_id: 1 })).toBe("E_ALREADY_PUBLISHED");
    expect(await view("collection", { collection_id: 1 })).toMatchObject({
      collection_id: 1,
      published: true,
      assets: 60,
      total: 80,
      minted: 0,
      title: "Prints",
    });
    expect(await view("collections")).toHaveLength(1);
    const assets = await view("collection_assets", { collection_id: 1, limit: 2 });
    expect(assets).toHaveLength(2);
    expect(assets[0]).toMatchObject({ copies: 1, remaining: 1, media: expect.stringMatching(/^baf/) });
    expect(await refuse("collection_publish", { collection_id: 9 })).toBe("E_COLLECTION_NOT_FOUND");
  });

  test("mints many at once for its owner, with an event", async () => {
    const args = { collection_id: 1, receiver_ids: [collector.accountId], quantities: [25] };
    const first = await call("nft_batch_mint", args, { gas: "nft_batch_mint_25_first" });
    expect(first.receipts[0]?.logs.join()).toContain('"event":"nft_mint"');
    const tokens = JSON.parse(first.value!.toString());
    expect(tokens).toHaveLength(25);
    expect(tokens[24]).toBe("1:25");
    await succeed("nft_batch_mint", args, { gas: "nft_batch_mint_25" });
    expect(await view("nft_total_supply")).toBe("50");
    expect(await refuse("nft_batch_mint", args, { by: collector })).toBe("E_UNAUTHORIZED");
    const token = await view("nft_token", { token_id: "1:1" });
    expect(token).toMatchObject({ token_id: "1:1", owner_id: collector.accountId });
    expect(token.metadata.title).toBe("Prints");
  });

  test("mints for anyone who pays, and splits the payment", async () => {
    const eligible = await view("mint_eligibility", { collection_id: 1, account_id: collector.accountId });
    expect(eligible).toMatchObject({ allowed: true, via: "public", mint_fee: `${NEAR / 20n}` });
    const by = { by: collector, deposit: NEAR / 20n };
    expect(await succeed("nft_mint", { collection_id: 1 }, { ...by, gas: "nft_mint" })).toBe("1:51");
    expect(await refuse("nft_mint", { collection_id: 1 }, { ...by, deposit: 1n })).toBe(
      "E_DEPOSIT_TOO_SMALL",
    );
    await succeed("nft_mint", { collection_id: 1 }, by);
    await succeed("nft_mint", { collection_id: 1 }, by);
    expect(await refuse("nft_mint", { collection_id: 1 }, by)).toBe("E_MINT_LIMIT");
  });

  test("keeps an allowlist", async () => {
    const account_ids = [friend.accountId, owner.accountId];
    const list = { collection_id: 1, account_ids };
    const sign = { deposit: 1n };
    expect(await refuse("allowlist_add", list)).toBe("E_ONE_YOCTO");
    expect(await succeed("allowlist_add", list, { ...sign, gas: "allowlist_add" })).toBe(2);
    const asked = { collection_id: 1, account_id: friend.accountId };
    expect(await view("is_allowlisted", asked)).toBe(true);
    expect(await succeed("allowlist_remove", { ...list, account_ids: [owner.accountId] }, sign)).toBe(1);
    await succeed("allowlist_clear", { collection_id: 1 }, { ...sign, gas: "allowlist_clear" });
    expect(await view("is_allowlisted", asked)).toBe(false);
    expect(
      await succeed("allowlist_sweep", { collection_id: 1, limit: 10 }, { by: friend }),
    ).toBeGreaterThanOrEqual(0);
  });

  test("updates collections and tokens, by its owner alone", async () => {
    await succeed(
      "collection_update",
      { collection_id: 1, description: "Forty" },
      { gas: "collection_update", deposit: 1n },
    );
    expect((await view("collection", { collection_id: 1 })).description).toBe("Forty");
    await succeed("nft_update", { token_id: "1:2", title: "The second" }, { gas: "nft_update", deposit: 1n });
    expect((await view("nft_token", { token_id: "1:2" })).metadata.title).toBe("The second");
    const signed = { deposit: 1n };
    const other = { token_id: "1:2", title: "x" };
    expect(await refuse("nft_update", other)).toBe("E_ONE_YOCTO");
    expect(await refuse("nft_update", other, { ...signed, by: collector })).toBe("E_UNAUTHORIZED");
    expect(await refuse("nft_update", { ...other, token_id: "1:999" }, signed)).toBe("E_TOKEN_NOT_FOUND");
    await succeed("contract_metadata_update", { name: "Renamed" }, { deposit: 1n });
    expect((await view("nft_metadata")).name).toBe("Renamed");
  });

  test("transfers tokens, alone or with a call, and pays royalties", async () => {
    const by = { by: collector, deposit: 1n };
    const to = { receiver_id: friend.accountId };
    await succeed("nft_transfer", { ...to, token_id: "1:3" }, { ...by, gas: "nft_transfer" });
    expect((await view("nft_token", { token_id: "1:3" })).owner_id).toBe(friend.accountId);
    expect(await refuse("nft_transfer", { ...to, token_id: "1:4" }, { by: collector })).toBe("E_ONE_YOCTO");
    expect(await refuse("nft_transfer", { ...to, token_id: "1:3" }, by)).toBe("E_UNAUTHORIZED");
    // Nobody there takes the call, so that the token comes back.
    const called = await succeed("nft_transfer_call", { ...to, token_id: "1:4", msg: "" }, by);
    expect(called).toBe(false);
    expect((await view("nft_token", { token_id: "1:4" })).owner_id).toBe(collector.accountId);
    const paid = { token_id: "1:5", balance: "1000", max_len_payout: 10 };
    expect(await view("nft_payout", paid)).toEqual({
      payout: { [collector.accountId]: "950", [friend.accountId]: "50" },
    });
    expect(await succeed("nft_transfer_payout", { ...to, ...paid }, by)).toMatchObject({
      payout: { [friend.accountId]: "50" },
    });
  });

  test("allows others to transfer a token by approvals, and revokes them", async () => {
    const by = { by: collector, deposit: NEAR / 100n };
    const approval = { token_id: "1:6", account_id: friend.accountId };
    await succeed("nft_approve", approval, { ...by, gas: "nft_approve" });
    const asked = { token_id: "1:6", approved_account_id: friend.accountId };
    expect(await view("nft_is_approved", asked)).toBe(true);
    await succeed("nft_revoke", approval, { by: collector, deposit: 1n });
    expect(await view("nft_is_approved", asked)).toBe(false);
    await succeed("nft_approve", approval, by);
    await succeed("nft_revoke_all", { token_id: "1:6" }, { by: collector, deposit: 1n });
    expect(await view("nft_is_approved", asked)).toBe(false);
  });

  test("lists collections, tokens and owners", async () => {
    const owned = await view("nft_supply_for_owner", { account_id: collector.accountId });
    expect(Number(owned)).toBe(53 - 2);
    expect(await view("nft_tokens", { from_index: "0", limit: 5 })).toHaveLength(5);
    expect(await view("nft_tokens_for_owner", { account_id: friend.accountId })).toHaveLength(2);
    expect(await view("collection_tokens", { collection_id: 1, limit: 7 })).toHaveLength(7);
    const some = await view("nft_tokens_by_ids", { token_ids: ["1:3", "1:999"] });
    expect(some.map((token: Json) => token?.token_id ?? null)).toEqual(["1:3", null]);
  });

  test("changes its owner and admins, and pays its balance out", async () => {
    const sign = { deposit: 1n };
    await succeed("admin_add", { account_id: friend.accountId }, sign);
    expect((await view("contract_roles")).admin_ids).toContain(friend.accountId);
    await succeed("admin_remove", { account_id: friend.accountId }, sign);
    await succeed("owner_propose", { account_id: friend.accountId }, sign);
    await succeed("owner_accept", {}, { ...sign, by: friend });
    expect((await view("contract_roles")).owner_id).toBe(friend.accountId);
    expect(await refuse("withdraw", {}, sign)).toBe("E_UNAUTHORIZED");
    const withdrawn = await succeed(
      "withdraw",
      { amount: `${NEAR}` },
      { ...sign, by: friend, gas: "withdraw" },
    );
    expect(withdrawn).toBe(`${NEAR}`);
    expect(await refuse("platform_set", { account_id: friend.accountId }, { ...sign, by: friend })).toBe(
      "E_UNAUTHORIZED",
    );
    await succeed("platform_set", { account_id: owner.accountId }, { ...sign, by: network.funder });
    expect(await refuse("migrate", {}, { by: friend })).toMatch(/E_UNAUTHORIZED|private/);
  });
});

// Publishing the whole contract burns some 19 NEAR.
test.skipIf(isRemote)("a contract is upgraded to global code in one batch, by its owner alone", async () => {
  const sign = { deposit: 1n };
  await transact(network.funder, network.funder.accountId, [
    actions.deployGlobalContract(mintageWasm, "codeHash"),
  ]);
  const code_hash = base58.encode(createHash("sha256").update(mintageWasm).digest());
  expect(await refuse("upgrade", { code_hash }, { ...sign, by: collector })).toBe("E_UNAUTHORIZED");
  const missing = base58.encode(new Uint8Array(32).fill(7));
  expect(await refuse("upgrade", { code_hash }, { ...sign, by: friend })).toBe("E_UPGRADE_NOT_DUE");
  await succeed("upgrade_announce", { code_hash: missing }, { ...sign, by: friend });
  const failed = await call("upgrade", { code_hash: missing }, { ...sign, by: friend });
  expect(JSON.stringify(failed.receipts)).toContain("GlobalContractDoesNotExist");
  await succeed("upgrade_announce", { code_hash }, { ...sign, by: friend });
  expect((await view("contract_upgrade")).code_hash).toBe(code_hash);
  const done = await call("upgrade", { code_hash }, { ...sign, by: friend });
  expect(done.failure).toBeUndefined();
  const { body } = await rpc(network.url, "query", {
    request_type: "view_account",
    finality: "optimistic",
    account_id: contract.accountId,
  });
  expect(body.result.global_contract_hash).toBe(code_hash);
  expect(await view("nft_total_supply")).toBe("53");
});

/** Accounts, keys and their balances. Runs against any network. */
import { randomBytes } from "node:crypto";
import { Account, KeyPair, KeyPairSigner } from "near-api-js";
import { beforeAll, describe, expect, test } from "vitest";
import { actions, attempt, connect, NEAR, type Network, newAccount, rpc, transact } from "./network.ts";
import { probeWasm } from "./probe.ts";

let network: Network;
beforeAll(async () => {
  network = await connect();
});

async function view(account_id: string) {
  const { body } = await rpc(network.url, "query", {
    request_type: "view_account",
    finality: "optimistic",
    account_id,
  });
  return body;
}

const errorKind = (failure: unknown) => (failure as { ActionError: { kind: unknown } }).ActionError.kind;

describe("an account", () => {
  test("is created with a key and a balance, and occupies 182 bytes", async () => {
    const { account } = await newAccount(network, NEAR);
    const { result } = await view(account.accountId);
    expect(result).toMatchObject({
      amount: `${NEAR}`,
      locked: "0",
      code_hash: "11111111111111111111111111111111",
      storage_usage: 182,
    });
  });

  test("needs no balance while it is small", async () => {
    const { account } = await newAccount(network, 0n);
    expect((await view(account.accountId)).result.amount).toBe("0");
  });

  test("that doesn't exist is reported as UNKNOWN_ACCOUNT", async () => {
    const { error } = await view("nobody.test.near");
    expect(error).toMatchObject({
      name: "HANDLER_ERROR",
      cause: { name: "UNKNOWN_ACCOUNT", info: { requested_account_id: "nobody.test.near" } },
      data: "account nobody.test.near does not exist while viewing",
    });
  });

  test("can be created once only, and only one level below its creator", async () => {
    const { account } = await newAccount(network, NEAR);
    const again = await attempt(network.funder, account.accountId, [actions.createAccount()]);
    expect(errorKind(again.failure)).toEqual({ AccountAlreadyExists: { account_id: account.accountId } });
    const deep = `deep.${account.accountId}`;
    const below = await attempt(network.funder, deep, [actions.createAccount()]);
    expect(errorKind(below.failure)).toEqual({
      CreateAccountNotAllowed: { account_id: deep, predecessor_id: network.funder.accountId },
    });
    const short = `t${randomBytes(6).toString("hex")}`;
    const top = await attempt(network.funder, short, [actions.createAccount()]);
    expect(errorKind(top.failure)).toMatchObject({ CreateAccountOnlyByRegistrar: { account_id: short } });
  });

  test("that a failed batch would have created doesn't exist, and its deposit is refunded", async () => {
    const accountId = `${randomBytes(6).toString("hex")}.${network.funder.accountId}`;
    const result = await attempt(network.funder, accountId, [
      actions.createAccount(),
      actions.transfer(NEAR),
      actions.functionCall("no_such_method", {}, 10n ** 13n, 0n),
    ]);
    expect(errorKind(result.failure)).toMatchObject({
      FunctionCallError: { CompilationError: { CodeDoesNotExist: { account_id: accountId } } },
    });
    expect((await view(accountId)).error.cause.name).toBe("UNKNOWN_ACCOUNT");
    const refunds = result.receipts.filter(({ executor }) => executor === network.funder.accountId);
    expect(refunds.length).toBeGreaterThanOrEqual(1);
  });

  test("is created by a transfer if its name is its key", async () => {
    const pair = KeyPair.fromRandom("ed25519");
    const implicitId = Buffer.from(pair.getPublicKey().data).toString("hex");
    await transact(network.funder, implicitId, [actions.transfer(NEAR)]);
    const account = new Account(implicitId, network.provider, new KeyPairSigner(pair));
    const balanceBefore = BigInt((await view(network.funder.accountId)).result.amount);
    await transact(account, network.funder.accountId, [actions.transfer(NEAR / 2n)]);
    const balanceAfter = BigInt((await view(network.funder.accountId)).result.amount);
    expect(balanceAfter - balanceBefore).toBe(NEAR / 2n);
    const made = await attempt(network.funder, randomBytes(32).toString("hex"), [actions.createAccount()]);
    expect(errorKind(made.failure)).toHaveProperty("OnlyImplicitAccountCreationAllowed");
  });

  test.each([
    ["an Ethereum address", () => `0x${randomBytes(20).toString("hex")}`],
    ["the hash of a state", () => `0s${randomBytes(20).toString("hex")}`],
  ])("is created by a transfer to %s", async (_, address) => {
    const accountId = address();
    const before = BigInt((await view(network.funder.accountId)).result.amount);
    const made = await transact(network.funder, accountId, [actions.transfer(NEAR)]);
    expect((await view(accountId)).result.amount).toBe(`${NEAR}`);
    const spent = before - BigInt((await view(network.funder.accountId)).result.amount) - NEAR;
    const { body: block } = await rpc(network.url, "block", { block_id: made.blockHash });
    const { body: config } = await rpc(network.url, "EXPERIMENTAL_protocol_config", { finality: "final" });
    const { account_creation_charge: least = "0", transaction_costs: costs } = config.result.runtime_config;
    const price = BigInt(block.result.header.gas_price);
    const creation = BigInt(costs.action_creation_config.create_account_cost.execution);
    const others = BigInt(made.conversionGas + made.receipts[0]!.gas) - creation;
    const charged = creation * price > BigInt(least) ? creation * price : BigInt(least);
    expect(spent).toBe(others * price + charged);
  });

  test("that doesn't exist can't receive a transfer", async () => {
    const missing = `missing.${network.funder.accountId}`;
    const result = await attempt(network.funder, missing, [actions.transfer(1n)]);
    expect(errorKind(result.failure)).toEqual({ AccountDoesNotExist: { account_id: missing } });
  });

  test("leaves its balance to a beneficiary when it is deleted", async () => {
    const { account } = await newAccount(network, 2n * NEAR);
    const { account: heir } = await newAccount(network, 0n);
    await transact(account, account.accountId, [actions.deleteAccount(heir.accountId)]);
    expect((await view(account.accountId)).error.cause.name).toBe("UNKNOWN_ACCOUNT");
    expect(BigInt((await view(heir.accountId)).result.amount)).toBeGreaterThan(NEAR);
  });

  test("must hold a balance for what it stores", async () => {
    const { account } = await newAccount(network, NEAR / 10n);
    const big = new Uint8Array(50_000);
    big.set(probeWasm);
    const result = await attempt(account, account.accountId, [actions.deployContract(big)]);
    expect(errorKind(result.failure)).toMatchObject({
      LackBalanceForState: { account_id: account.accountId },
    });
  });
});

describe("an access key", () => {
  test("starts at a nonce by the height of its block, and is added once", async () => {
    const { account } = await newAccount(network, NEAR);
    const pair = KeyPair.fromRandom("ed25519");
    const publicKey = pair.getPublicKey();
    const added = await transact(account, account.accountId, [actions.addFullAccessKey(publicKey)]);
    const { body } = await rpc(network.url, "query", {
      request_type: "view_access_key",
      finality: "final",
      account_id: account.accountId,
      public_key: publicKey.toString(),
    });
    const { body: block } = await rpc(network.url, "block", { block_id: added.blockHash });
    const { height } = block.result.header;
    // A key is added in its receipt's block, which for the account itself is the transaction's own.
    expect(body.result.nonce).toBe((height - 1) * 1_000_000);
    expect(body.result.permission).toBe("FullAccess");
    const again = await attempt(account, account.accountId, [actions.addFullAccessKey(publicKey)]);
    expect(errorKind(again.failure)).toEqual({
      AddKeyAlreadyExists: { account_id: account.accountId, public_key: publicKey.toString() },
    });
  });

  test("is listed with its permission, and gone when deleted", async () => {
    const { account } = await newAccount(network, NEAR);
    const pair = KeyPair.fromRandom("ed25519");
    const publicKey = pair.getPublicKey();
    const key = actions.addFunctionCallAccessKey(publicKey, "app.near", ["buy", "sell"], NEAR / 4n);
    const usage = async () => (await view(account.accountId)).result.storage_usage;
    const before = await usage();
    await transact(account, account.accountId, [key]);
    // 40 for a record, 33 for the key; nonce, tag, allowance, receiver and method names in borsh
    expect((await usage()) - before).toBe(40 + 33 + 8 + 1 + 17 + (4 + 8) + 4 + (4 + 3) + (4 + 4));
    const list = {
      request_type: "view_access_key_list",
      finality: "optimistic",
      account_id: account.accountId,
    };
    const { body } = await rpc(network.url, "query", list);
    expect(body.result.keys).toHaveLength(2);
    expect(
      body.result.keys.find((entry: { public_key: string }) => entry.public_key === publicKey.toString()),
    ).toMatchObject({
      access_key: {
        permission: {
          FunctionCall: { allowance: `${NEAR / 4n}`, receiver_id: "app.near", method_names: ["buy", "sell"] },
        },
      },
    });
    await transact(account, account.accountId, [actions.deleteKey(publicKey)]);
    expect(await usage()).toBe(before);
    const gone = await attempt(account, account.accountId, [actions.deleteKey(publicKey)]);
    expect(errorKind(gone.failure)).toHaveProperty("DeleteKeyDoesNotExist");
  });

  test("that doesn't exist is reported as text in the result, not as an error", async () => {
    const publicKey = KeyPair.fromRandom("ed25519").getPublicKey().toString();
    const { status, body } = await rpc(network.url, "query", {
      request_type: "view_access_key",
      finality: "final",
      account_id: network.funder.accountId,
      public_key: publicKey,
    });
    expect(status).toBe(200);
    expect(body.result.error).toBe(`access key ${publicKey} does not exist while viewing`);
    expect(body.result.block_height).toBeGreaterThan(0);
  });
});

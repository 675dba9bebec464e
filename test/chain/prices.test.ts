/** Prices in a token of NEP-141: the buyer's, the token's and the contract's accounts, which may live in different shards. Runs against any network. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Account } from "near-api-js";
import { beforeAll, describe, expect, test } from "vitest";
import { ClaimIssuer } from "../../client/src/index.ts";
import { createArgs } from "./mintage-calls.ts";
import {
  actions,
  attempt,
  connect,
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

/** near-contract-standards' token, as built. */
const tokenWasm: Uint8Array = readFileSync(
  fileURLToPath(new URL("../../contract/fungible/fungible.wasm", import.meta.url).href),
);

const PRICE = 5_000_000n;
const WEALTH = 100_000_000n;

let network: Network;
let contract: Account;
let token: Account;
let owner: Account;
let buyer: Account;
let artist: Account;

const bytesOf = (args: object) => new TextEncoder().encode(JSON.stringify(args));

const call = (
  by: Account,
  to: Account,
  method: string,
  args: object | Uint8Array,
  deposit = 0n,
  gas = 100n,
) => {
  const bytes = args instanceof Uint8Array ? args : bytesOf(args);
  return attempt(by, to.accountId, [actions.functionCall(method, bytes, gas * TGAS, deposit)]);
};

const view = async (account: Account, method_name: string, args: object): Promise<Json> => {
  const { body } = await rpc(network.url, "query", {
    request_type: "call_function",
    finality: "final",
    account_id: account.accountId,
    method_name,
    args_base64: Buffer.from(bytesOf(args)).toString("base64"),
  });
  return JSON.parse(Buffer.from(body.result.result).toString());
};

const units = async (account: Account): Promise<bigint> =>
  BigInt(await view(token, "ft_balance_of", { account_id: account.accountId }));

const waiting = async (account: Account): Promise<bigint> =>
  BigInt(await view(contract, "shares_of", { account_id: account.accountId, currency: token.accountId }));

const buy = (amount: bigint, msg: object, gas = 100n): Promise<Result> => {
  const args = { receiver_id: contract.accountId, amount: `${amount}`, msg: JSON.stringify(msg) };
  return call(buyer, token, "ft_transfer_call", args, 1n, gas);
};

const owned = async (): Promise<bigint> =>
  BigInt(await view(contract, "nft_supply_for_owner", { account_id: buyer.accountId }));

const register = (account: Account) =>
  transact(owner, token.accountId, [
    actions.functionCall("storage_deposit", { account_id: account.accountId }, 30n * TGAS, NEAR / 100n),
  ]);

beforeAll(async () => {
  network = await connect();
  ({ account: contract } = await newAccount(network, 6n * NEAR, [actions.deployContract(mintageWasm)]));
  ({ account: token } = await newAccount(network, 3n * NEAR, [actions.deployContract(tokenWasm)]));
  ({ account: owner } = await newAccount(network, 3n * NEAR));
  ({ account: buyer } = await newAccount(network, NEAR));
  ({ account: artist } = await newAccount(network, NEAR));
  const metadata = { spec: "nft-1.0.0", name: "Mintage", symbol: "MINT" };
  const roles = { network_id: "test", owner_id: owner.accountId, platform_id: owner.accountId, metadata };
  const supply = { owner_id: owner.accountId, total_supply: `${10n * WEALTH}` };
  expect((await call(contract, contract, "new", roles)).failure).toBeUndefined();
  expect((await call(token, token, "new", supply)).failure).toBeUndefined();
  for (const account of [contract, buyer]) await register(account);
  const sent = { receiver_id: buyer.accountId, amount: `${WEALTH}` };
  expect((await call(owner, token, "ft_transfer", sent, 1n)).failure).toBeUndefined();
});

describe("a price in a token", () => {
  test("mints, and what is too much returns", async () => {
    const price = { mint_fee: `${PRICE}`, currency: token.accountId };
    const settings = {
      title: "Prints",
      public_mint_config: price,
      initial_royalties: { [artist.accountId]: 1_000 },
    };
    const created = await call(
      owner,
      contract,
      "collection_create",
      createArgs(settings, true, { count: 40, copies: 1 }),
      0n,
      150n,
    );
    expect(created.value?.toString()).toBe("1");
    const asked = await view(contract, "mint_eligibility", {
      collection_id: 1,
      account_id: buyer.accountId,
      currency: token.accountId,
    });
    expect(asked).toMatchObject({ allowed: true, phase: 2, mint_fee: `${PRICE}` });
    const bought = await buy(3n * PRICE, { collection_id: 1, quantity: 2, max_price: `${PRICE}` });
    expect(bought.value?.toString()).toBe(`"${2n * PRICE}"`);
    expect([await owned(), await units(buyer)]).toEqual([2n, WEALTH - 2n * PRICE]);
    const artistsShare = (2n * PRICE) / 10n;
    expect([await waiting(artist), await waiting(owner)]).toEqual([artistsShare, 2n * PRICE - artistsShare]);
    expect(await units(contract)).toBe(2n * PRICE);
  });

  test("is all given back where nothing is minted", async () => {
    const before = [await owned(), await units(buyer)];
    for (const [amount, msg, gas] of [
      [PRICE - 1n, { collection_id: 1 }],
      [PRICE, { collection_id: 9 }],
      [PRICE, { collection_id: 1, max_price: `${PRICE - 1n}` }],
      [PRICE, { collection_id: 1, what: "this" }],
      [PRICE, { collection_id: 1 }, 15n],
    ] as const) {
      const { value, failure } = await buy(amount, msg, gas);
      if (!failure) expect(value?.toString()).toBe('"0"');
      expect([await owned(), await units(buyer)]).toEqual(before);
    }
  });

  test("is fetched by who has a share of it, and waits while the token refuses", async () => {
    const share = await waiting(artist);
    const withdraw = () => call(artist, contract, "shares_withdraw", { currency: token.accountId }, 1n, 50n);
    expect((await withdraw()).value?.toString()).toBe('"0"');
    expect([await waiting(artist), await units(artist)]).toEqual([share, 0n]);
    await register(artist);
    const both = await Promise.all([
      withdraw(),
      call(owner, contract, "shares_withdraw", { currency: token.accountId }, 1n, 50n),
    ]);
    expect(both[0].value?.toString()).toBe(`"${share}"`);
    expect([await waiting(artist), await units(artist)]).toEqual([0n, share]);
    expect(await waiting(owner)).toBe(0n);
    expect(await units(contract)).toBe(0n);
  });

  test("may be of a voucher that the client signs, which the token's call redeems once or gives back", async () => {
    const issuer = await ClaimIssuer.create();
    const drop = {
      collection_id: 1,
      issuer_public_key: issuer.publicKey,
      links: 5,
      quantity: 2,
      reserve: "0",
    };
    const expires_at_ms = Date.now() + 86_400_000;
    const opened = await call(owner, contract, "drop_create", { ...drop, expires_at_ms }, 1n);
    const signed = await issuer.voucher({
      ...{ network: "test", contract: contract.accountId, dropId: Number(opened.value) },
      ...{ nonce: 3, receiver: buyer.accountId, quantity: 2, price: 7n, currency: token.accountId },
      expiresAt: new Date(expires_at_ms),
    });
    expect(await view(contract, "voucher_eligibility", signed.args)).toMatchObject({ allowed: true });
    const before = [await owned(), await units(buyer)] as const;
    const redeem = () => call(buyer, token, signed.call.method, signed.call.args, BigInt(signed.deposit));
    expect((await redeem()).value?.toString()).toBe('"14"');
    expect([await owned(), await units(buyer)]).toEqual([before[0] + 2n, before[1] - 14n]);
    expect((await redeem()).value?.toString()).toBe('"0"');
    expect(await units(buyer)).toBe(before[1] - 14n);
  });
});

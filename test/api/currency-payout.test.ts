import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { PayoutAnswer, Quote } from "../../client/src/index.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { balanceOf } from "../support/chain-control.ts";
import { createCollection, mintedOnChain } from "../support/collections.ts";
import { type Collector, createCollector } from "../support/collectors.ts";
import { createToken, type Token } from "../support/fungible.ts";
import { background, killAt, observeCheckpoints, operationOver } from "../support/operations.ts";
import { spoilViews } from "../support/spoilt-views.ts";
import { newTenant } from "../support/uploads.ts";
import { until } from "../support/waiting.ts";

const NEAR = 10n ** 24n;
const PRICE = 5_000_000n;
/** What the owner gets of a price: the platform takes 5 %. */
const SHARE = (PRICE * 95n) / 100n;

let shop: TestIntegration;
let token: Token;
let buyer: Collector;
let treasury: string;

beforeAll(async () => {
  shop = await createIntegration("Shop");
  token = await createToken({ symbol: "USDC", decimals: 6 });
  buyer = await createCollector();
  [treasury] = (await createReceivers(1)) as [string];
  await token.give(buyer.accountId, 1_000n * PRICE);
  await bodyOf(await setAccount(shop, treasury), 200);
});

afterEach(() => {
  observeCheckpoints(null);
  vi.unstubAllGlobals();
});

const setAccount = ({ integrationUuid }: TestIntegration, account_id: string) =>
  admin(`/integration/${integrationUuid}/payout-account`, { method: "PUT", json: { account_id } });
const payOut = (amount: string, more: object = {}, headers: Record<string, string> = {}, key = shop.key) =>
  api("/wallet/payout", { key, json: { amount, currency: token.accountId, ...more }, headers });

/** Sells NFTs of a new collection for the token. */
async function sell(quantity: number, seller = shop): Promise<void> {
  const phases = [{ phase: 2, mint_fee: `${PRICE}`, currency: token.accountId }];
  const collection = await createCollection(seller, { settings: { phases } });
  const msg = JSON.stringify({ collection_id: collection.near_collection.collection_id, quantity });
  const args = { receiver_id: seller.contractAccountId, amount: `${BigInt(quantity) * PRICE}`, msg };
  await buyer.call(token.accountId, "ft_transfer_call", args, "1");
  await until(async () => (await mintedOnChain(seller, collection)) === quantity);
}

describe("a payout in a token", () => {
  test("needs the account that the operator sets and something to pay, fetches the wallet's shares, registers both accounts and pays all; a quote bounds it", async () => {
    const own = await createIntegration("First payout");
    const [account] = (await createReceivers(1)) as [string];
    const payAll = (headers = {}) => payOut("all", {}, headers, own.key);
    expect(await bodyOf(await payAll(), 409)).toMatchObject({ code: "payout_account_missing" });
    await bodyOf(await setAccount(own, account), 200);
    expect(await bodyOf(await payAll(), 402)).toMatchObject({
      code: "insufficient_funds",
      outcome: "not_submitted",
      retryable: true,
      message: expect.stringContaining("0 USDC"),
    });
    await sell(2, own);
    const json = {
      method: "POST",
      path: "/wallet/payout",
      body: { amount: "all", currency: token.accountId },
    };
    const quote = await bodyOf<Quote>(await api("/quote", { key: own.key, json }), 201);
    // Two registrations, the shares of one contract, and the payment.
    expect(quote.transactions).toBe(4);
    expect(await token.units(own.walletAccountId)).toBe(0n);
    const limited = await payAll({ "mintage-max-cost": `${NEAR / 1000n}` });
    expect(await bodyOf(limited, 402)).toMatchObject({ code: "cost_exceeds_maximum" });
    const before = await balanceOf(own.walletAccountId);
    const headers = { "mintage-quote": quote.quote_uuid, "idempotency-key": "paid" };
    const paid = await bodyOf<PayoutAnswer>(await payAll(headers), 200);
    expect(paid).toMatchObject({
      message: "success",
      account_id: account,
      amount: `${2n * SHARE}`,
      currency: { contract_id: token.accountId, symbol: "USDC", decimals: 6 },
      tx_results: { status: "success", receiver_id: token.accountId },
    });
    expect(await token.units(account)).toBe(2n * SHARE);
    const spent = before - (await balanceOf(own.walletAccountId));
    expect(spent).toBeLessThanOrEqual(BigInt(quote.cost.at_most));
    expect(await bodyOf(await payAll(headers), 200)).toEqual(paid);
    expect(await token.units(account)).toBe(2n * SHARE);
    const operations = await bodyOf<{ kind: string; state: string }[]>(
      await api("/operation?kind=currency_payout", { key: own.key }),
      200,
    );
    expect(operations).toMatchObject([{ kind: "currency_payout", state: "succeeded" }]);
  });

  test("pays an amount of what is there, and no more", async () => {
    await sell(3);
    const before = await token.units(treasury);
    expect(await bodyOf(await payOut(`${3n * SHARE + 1n}`), 402)).toMatchObject({
      code: "insufficient_funds",
      message: expect.stringContaining("14.25 USDC"),
    });
    expect(await bodyOf<PayoutAnswer>(await payOut(`${SHARE}`), 200)).toMatchObject({ amount: `${SHARE}` });
    expect(await token.units(shop.walletAccountId)).toBe(2n * SHARE);
    // What the wallet has needs nothing fetched.
    const json = { method: "POST", path: "/wallet/payout", body: { amount: "1", currency: token.accountId } };
    expect(await bodyOf(await api("/quote", { key: shop.key, json }), 201)).toMatchObject({
      transactions: 1,
    });
    await bodyOf(await payOut("all"), 200);
    expect(await token.units(treasury)).toBe(before + 3n * SHARE);
  });

  test("of all is refused while no node answers for a contract's shares, and goes without those of a contract of other code", async () => {
    await sell(1);
    const [units, before] = [await token.units(shop.walletAccountId), await token.units(treasury)];
    await token.give(shop.walletAccountId, SHARE);
    const isShares = ({ contract, method }: { contract: string; method: string }) =>
      contract === shop.contractAccountId && method === "shares_of";
    spoilViews(isShares, () => null);
    expect(await bodyOf(await payOut("all"), 503)).toMatchObject({
      code: "chain_unavailable",
      outcome: "not_submitted",
    });
    vi.unstubAllGlobals();
    spoilViews(isShares, () => JSON.stringify("many"));
    expect(await bodyOf(await payOut("all"), 200)).toMatchObject({ amount: `${units + SHARE}` });
    vi.unstubAllGlobals();
    await bodyOf(await payOut("all"), 200);
    expect(await token.units(treasury)).toBe(before + units + 2n * SHARE);
  });

  test("that was interrupted continues before any other one is accepted, and pays once", async () => {
    await sell(2);
    const before = await token.units(treasury);
    killAt("operation.before_effects");
    const answer = await payOut(`${SHARE}`);
    const { operation_uuid: payout } = (await answer.json()) as { operation_uuid: string };
    for (const more of [{}, { currency: null, amount: "1" }]) {
      expect(await bodyOf(await payOut("all", more), 429)).toMatchObject({ code: "wallet_busy" });
    }
    observeCheckpoints(null);
    await background.resume(payout);
    expect(await operationOver(shop.key, payout)).toMatchObject({ state: "succeeded" });
    expect(await token.units(treasury)).toBe(before + SHARE);
    await bodyOf(await payOut("all"), 200);
    expect(await token.units(treasury)).toBe(before + 2n * SHARE);
  });

  test("that is sent three times at once under one key is carried out once, and all get its answer", async () => {
    await sell(1);
    const before = await token.units(treasury);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => payOut("all", {}, headers)));
    const [first, ...others] = await Promise.all(answers.map((answer) => bodyOf(answer, 200)));
    for (const other of others) expect(other).toEqual(first);
    expect(await token.units(treasury)).toBe(before + SHARE);
  });

  test("is refused with invalid fields, by their names, with a read key, and without a payout account", async () => {
    for (const amount of ["sales", "0", "-1", "1.5", "All"]) {
      expect(await bodyOf(await payOut(amount), 400)).toMatchObject({ issues: [{ path: ["amount"] }] });
    }
    for (const currency of ["USDC", 7]) {
      expect(await bodyOf(await payOut("1", { currency }), 400)).toMatchObject({
        issues: [{ path: ["currency"] }],
      });
    }
    for (const currency of ["nobody.near", shop.contractAccountId, (await createToken(null)).accountId]) {
      expect(await bodyOf(await payOut("1", { currency }), 400)).toMatchObject({
        issues: [{ path: ["currency"] }],
      });
    }
    expect(await bodyOf(await payOut("1", { account_id: "thief.near" }), 400)).toMatchObject({
      issues: [{ path: ["account_id"] }],
    });
    await bodyOf(await payOut("1", {}, {}, shop.readKey), 403);
    expect(await bodyOf(await payOut("1", {}, {}, (await newTenant()).key), 409)).toMatchObject({
      code: "payout_account_missing",
    });
  });

  test("pays no more for a registration than 0.0125 NEAR, and nothing for an account that is registered", async () => {
    const dear = await createToken(
      { symbol: "DEAR", decimals: 6 },
      { storage_balance_bounds: { min: `${NEAR / 80n + 1n}`, max: null } },
    );
    await dear.give(shop.walletAccountId, 7n);
    const before = await balanceOf(shop.walletAccountId);
    expect(await bodyOf(await payOut("7", { currency: dear.accountId }), 400)).toMatchObject({
      issues: [{ path: ["currency"] }],
    });
    expect(await balanceOf(shop.walletAccountId)).toBe(before);
    await dear.register(treasury);
    await bodyOf(await payOut("7", { currency: dear.accountId }), 200);
    expect(await dear.units(treasury)).toBe(7n);
  });
});

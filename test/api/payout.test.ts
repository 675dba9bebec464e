import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { observeCheckpoints } from "../../src/domain/checkpoints.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { walletOf } from "../../src/wallet/client.ts";
import {
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { balanceOf, setFaults } from "../support/chain-control.ts";
import { createCollection, createDraft } from "../support/collections.ts";
import { failingDatabase } from "../support/failing-database.ts";
import { background, finalAnswer, killAt, operationOver } from "../support/operations.ts";
import { drain } from "../support/payments.ts";
import { watched } from "../support/trips.ts";

interface Payout {
  readonly account_id: string;
  readonly amount: string;
  readonly tx_results: { readonly status: string; readonly receiver_id: string };
}

const NEAR = 10n ** 24n;

let shop: TestIntegration;
let treasury: string;

afterEach(async () => {
  observeCheckpoints(null);
  await setFaults();
});

beforeEach(async () => {
  shop = await createIntegration("Shop");
  [treasury] = (await createReceivers(1)) as [string];
});

const setAccount = (account_id: string | null, uuid = shop.integrationUuid) =>
  admin(`/integration/${uuid}/payout-account`, { method: "PUT", json: { account_id } });
const payOut = (amount: unknown, key = shop.key, headers: Record<string, string> = {}) =>
  api("/wallet/payout", { key, json: { amount }, headers });
const available = async (): Promise<bigint> => {
  const status = await walletOf(env, shop.integrationUuid as Uuid).status();
  return BigInt(status.available!);
};

describe("a payout", () => {
  test("goes to the account that the operator has set, once for its key", async () => {
    expect(await bodyOf(await setAccount(treasury), 200)).toMatchObject({ payout_account: treasury });
    const before = await balanceOf(treasury);
    const headers = { "idempotency-key": "paid" };
    const paid = await bodyOf<Payout>(await payOut(String(2n * NEAR), shop.key, headers), 200);
    expect(paid).toMatchObject({
      message: "success",
      account_id: treasury,
      amount: String(2n * NEAR),
      tx_results: { status: "success", receiver_id: treasury },
    });
    expect(await bodyOf(await payOut(String(2n * NEAR), shop.key, headers), 200)).toEqual(paid);
    expect(await balanceOf(treasury)).toBe(before + 2n * NEAR);
    const told = await bodyOf<{ type: string; data: Record<string, unknown> }[]>(
      await api("/event?type=operation.succeeded", { key: shop.key }),
      200,
    );
    expect(told.filter(({ data }) => data.kind === "wallet_payout")).toMatchObject([
      { data: { subject_uuid: shop.integrationUuid, answer: { status: 200, body: paid } } },
    ]);
  });

  test("never takes what waiting writes have reserved", async () => {
    await bodyOf(await setAccount(treasury), 200);
    const { collection_uuid: uuid } = await createCollection(shop, { copies: [500] });
    const before = await available();
    // The node takes nothing, so that the mints wait and what they may spend stays reserved.
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const mint = () =>
      api(`/collection/${uuid}/mint`, {
        key: shop.key,
        json: { receiver_addresses: [treasury], quantity_per_receiver: 25 },
        headers: { prefer: "respond-async" },
      });
    const waiting = await Promise.all(Array.from({ length: 20 }, mint));
    const left = await available();
    expect(left).toBeLessThan(before);
    // It has this much, but not beside what it has reserved and the payout's own gas.
    expect([402, 429]).toContain((await payOut(String(left))).status);
    const payout = await payOut("all", shop.key, { prefer: "respond-async" });
    await setFaults();
    const { body } = await finalAnswer<Payout>(shop.key, payout);
    expect(BigInt(body.amount)).toBeLessThanOrEqual(left - NEAR);
    const ended = await Promise.all(waiting.map((answer) => finalAnswer(shop.key, answer)));
    expect(ended.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(await available()).toBeGreaterThanOrEqual(NEAR);
  });

  test("waits for a finalization, which spends in several transactions", async () => {
    await bodyOf(await setAccount(treasury), 200);
    const draft = await createDraft(shop, { copies: [1] });
    killAt("operation.before_submit");
    const answer = await api(`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" });
    const { operation_uuid: finalization } = (await answer.json()) as { operation_uuid: string };
    for (const amount of ["1", "all"]) {
      const refused = await payOut(amount);
      expect(refused.headers.get("retry-after")).not.toBeNull();
      expect(await bodyOf(refused, 429)).toMatchObject({ code: "wallet_busy", outcome: "not_submitted" });
    }
    observeCheckpoints(null);
    await background.resume(finalization);
    expect(await operationOver(shop.key, finalization)).toMatchObject({ state: "succeeded" });
    await bodyOf(await payOut("1"), 200);
  });

  test("of all leaves what the wallet's writes need", async () => {
    await bodyOf(await setAccount(treasury), 200);
    const { amount } = await bodyOf<Payout>(await payOut("all"), 200);
    expect(BigInt(amount)).toBeGreaterThan(NEAR);
    expect(await available()).toBeGreaterThanOrEqual(NEAR);
    const again = await payOut("all");
    if (again.status !== 402) {
      expect(BigInt((await bodyOf<Payout>(again, 200)).amount)).toBeLessThan(NEAR / 100n);
    }
    await drain(shop.integrationUuid);
    expect(await bodyOf(await payOut("all"), 402)).toMatchObject({ code: "insufficient_funds" });
    expect(await bodyOf(await payOut(String(1_000n * NEAR)), 402)).toMatchObject({
      code: "insufficient_funds",
    });
  });

  test("is refused without an account, with a read key, and by what it doesn't take", async () => {
    expect(await bodyOf(await payOut("all"), 409)).toMatchObject({ code: "payout_account_missing" });
    await bodyOf(await setAccount(treasury), 200);
    await bodyOf(await setAccount(null), 200);
    expect(await bodyOf(await payOut("1"), 409)).toMatchObject({ code: "payout_account_missing" });
    await bodyOf(await payOut("all", shop.readKey), 403);
    for (const amount of ["0", "-1", "1.5", "All", 7, null]) {
      expect(await bodyOf(await payOut(amount), 400)).toMatchObject({ issues: [{ path: ["amount"] }] });
    }
    for (const large of [`${2n ** 128n}`, "9".repeat(39), "9".repeat(60)]) {
      const message = expect.stringContaining(`Give at most ${2n ** 128n - 1n} yoctoNEAR`);
      expect(await bodyOf(await payOut(large), 400)).toMatchObject({
        issues: [{ path: ["amount"], message }],
      });
    }
    const named = await api("/wallet/payout", { key: shop.key, json: { amount: "1", account_id: treasury } });
    expect(await bodyOf(named, 400)).toMatchObject({ issues: [{ path: ["account_id"] }] });
  });

  test("goes to the account that is set when it is accepted, whatever was set before", async () => {
    const [former, next] = (await createReceivers(2)) as [string, string];
    await bodyOf(await setAccount(former), 200);
    const before = await Promise.all([former, next].map(balanceOf));
    const changing = (account: string | null) =>
      failingDatabase(env.DB, async (sql) => {
        if (/insert into "operations"/.test(sql)) await bodyOf(await setAccount(account), 200);
        return null;
      });
    const request = { key: shop.key, json: { amount: String(NEAR) } };
    const paid = await apiWith({ DB: changing(next) }, "/wallet/payout", request);
    const answer = await bodyOf<Payout>(paid.response, 200);
    expect(answer).toMatchObject({ account_id: next, tx_results: { receiver_id: next } });
    expect(await Promise.all([former, next].map(balanceOf))).toEqual([before[0], before[1]! + NEAR]);
    for (const amount of ["1", "all"]) {
      const json = { amount };
      const refused = await apiWith({ DB: changing(null) }, "/wallet/payout", { key: shop.key, json });
      expect(await bodyOf(refused.response, 409)).toMatchObject({
        code: "payout_account_missing",
        message: "Ask the operator to set the account that money is paid out to.",
        outcome: "not_submitted",
      });
      await bodyOf(await setAccount(former), 200);
    }
    expect(await balanceOf(former)).toBe(before[0]);
  });

  test("is two trips to the database: its acceptance and its end", async () => {
    await bodyOf(await setAccount(treasury), 200);
    const { send, trips } = watched();
    await bodyOf(await send("/wallet/payout", { key: shop.key, json: { amount: "1" } }), 200);
    expect(trips).toEqual([
      expect.stringMatching(/insert into "operations"/),
      expect.stringMatching(/update "operations" set/),
    ]);
  });

  test("may have a limit and a quote, and is refused for want of an account before either", async () => {
    const json = { amount: String(NEAR) };
    const ask = () =>
      api("/quote", { key: shop.key, json: { method: "POST", path: "/wallet/payout", body: json } });
    const pay = (headers: Record<string, string>) => payOut(json.amount, shop.key, headers);
    expect(await bodyOf(await ask(), 409)).toMatchObject({ code: "payout_account_missing" });
    const cheap = { "mintage-max-cost": "1" };
    expect(await bodyOf(await pay(cheap), 409)).toMatchObject({ code: "payout_account_missing" });
    await bodyOf(await setAccount(treasury), 200);
    expect(await bodyOf(await pay(cheap), 402)).toMatchObject({ code: "cost_exceeds_maximum" });
    const quote = await bodyOf<{ quote_uuid: string; cost: { at_most: string } }>(await ask(), 201);
    expect(BigInt(quote.cost.at_most)).toBeGreaterThan(NEAR);
    const paid = await bodyOf<Payout>(await pay({ "mintage-quote": quote.quote_uuid }), 200);
    expect(paid).toMatchObject({ account_id: treasury, amount: json.amount });
  });

  test("has an account that no key can set, and that exists", async () => {
    const path = `/integration/${shop.integrationUuid}/payout-account`;
    const asKey = await api(`/admin/v1${path}`, {
      key: shop.key,
      method: "PUT",
      json: { account_id: treasury },
    });
    expect(asKey.status).toBe(401);
    expect(await bodyOf(await setAccount("nobody-has-this.test"), 400)).toMatchObject({
      code: "unknown_account",
    });
    await bodyOf(await setAccount(treasury, crypto.randomUUID()), 404);
    await bodyOf(await payOut("all"), 409);
  });
});

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
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
import { createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import { beforeWrites, inLedger } from "../support/ledgers.ts";
import { background, finalAnswer, killAt, observeCheckpoints, operationOver } from "../support/operations.ts";
import { walletOf } from "../support/own-wallets.ts";
import { drain, pay, sendFrom } from "../support/payments.ts";
import { spoilViews } from "../support/spoilt-views.ts";
import { watched } from "../support/trips.ts";
import { outlastRestoration, replaceObject } from "../support/wallets.ts";

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
  vi.useRealTimers();
  vi.unstubAllGlobals();
  await setFaults();
});

beforeEach(async () => {
  shop = await createIntegration("Shop");
  [treasury] = (await createReceivers(1)) as [string];
});

const setAccount = (account_id: string | null, uuid = shop.integrationUuid) =>
  admin(`/integration/${uuid}/payout-account`, { method: "PUT", json: { account_id } });
const payOut = (amount: unknown, key = shop.key, headers: Record<string, string> = {}) =>
  api("/wallet/payout", { key, json: { amount, ...(amount === "all" && { confirm: true }) }, headers });
const available = async (): Promise<bigint> => {
  const status = await walletOf(shop.integrationUuid).status();
  return BigInt(status.available!);
};

test("an account that the database may not have is to be set again, and nothing is paid out before", async () => {
  await bodyOf(await setAccount(treasury), 200);
  const [other] = (await createReceivers(1)) as [string];
  for (const fate of ["before", "after"] as const) {
    const DB = failingD1((sql) => (/update "integrations" set "payout_account"/i.test(sql) ? fate : null));
    const { response } = await apiWith(
      { DB },
      `/admin/v1/integration/${shop.integrationUuid}/payout-account`,
      {
        method: "PUT",
        json: { account_id: other },
        headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` },
      },
    );
    expect(await bodyOf(response, 503)).toMatchObject({
      code: "database_unavailable",
      outcome: "unknown",
      message: expect.stringMatching(/^Repeat the request until it succeeds/),
    });
    await bodyOf(await payOut(String(NEAR)), 409);
  }
  await bodyOf(await setAccount(other), 200);
  expect(await bodyOf(await payOut(String(NEAR)), 200)).toMatchObject({ account_id: other });
});

describe("a payout", () => {
  test("is sent to the account that the operator has set, once for its key", async () => {
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

  test("never includes amounts that waiting writes have reserved", async () => {
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
    killAt("operation.before_effects");
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

  test("of everything leaves what the wallet's writes need", async () => {
    await bodyOf(await setAccount(treasury), 200);
    const { amount } = await bodyOf<Payout>(await payOut("all"), 200);
    expect(BigInt(amount)).toBeGreaterThan(NEAR);
    expect(await available()).toBeGreaterThanOrEqual(NEAR);
    const again = await payOut("all");
    if (again.status !== 402) {
      expect(BigInt((await bodyOf<Payout>(again, 200)).amount)).toBeLessThan(NEAR / 100n);
    }
    await drain(shop.integrationUuid);
    expect(await bodyOf(await payOut("all"), 402)).toMatchObject({
      code: "insufficient_funds",
      retryable: true,
    });
    expect(await bodyOf(await payOut(String(1_000n * NEAR)), 402)).toMatchObject({
      code: "insufficient_funds",
    });
  });

  test("is refused without an account, with a read key, and with unknown fields", async () => {
    expect(await bodyOf(await payOut("all"), 409)).toMatchObject({ code: "payout_account_missing" });
    await bodyOf(await setAccount(treasury), 200);
    await bodyOf(await setAccount(null), 200);
    expect(await bodyOf(await payOut("1"), 409)).toMatchObject({ code: "payout_account_missing" });
    await bodyOf(await payOut("all", shop.readKey), 403);
    const large = [`${2n ** 128n}`, "9".repeat(39), "9".repeat(60)];
    for (const amount of ["0", "-1", "1.5", "All", 7, null, ...large]) {
      expect(await bodyOf(await payOut(amount), 400)).toMatchObject({
        code: "invalid_request",
        issues: [{ path: ["amount"] }],
      });
    }
    const named = await api("/wallet/payout", { key: shop.key, json: { amount: "1", account_id: treasury } });
    expect(await bodyOf(named, 400)).toMatchObject({ issues: [{ path: ["account_id"] }] });
  });

  test("is sent to no account that is replaced before its acceptance", async () => {
    const [former, next] = (await createReceivers(2)) as [string, string];
    await bodyOf(await setAccount(former), 200);
    const before = await Promise.all([former, next].map(balanceOf));
    const changing = (account: string | null) =>
      beforeWrites(async () => void (await bodyOf(await setAccount(account), 200)));
    const request = { key: shop.key, json: { amount: String(NEAR) } };
    const overtaken = await apiWith({ WALLET: changing(next) }, "/wallet/payout", request);
    expect(await bodyOf(overtaken.response, 409)).toMatchObject({
      code: "conflict",
      outcome: "not_submitted",
      retryable: true,
    });
    const paid = await apiWith({}, "/wallet/payout", request);
    const answer = await bodyOf<Payout>(paid.response, 200);
    expect(answer).toMatchObject({ account_id: next, tx_results: { receiver_id: next } });
    expect(await Promise.all([former, next].map(balanceOf))).toEqual([before[0], before[1]! + NEAR]);
    for (const json of [{ amount: "1" }, { amount: "all", confirm: true }]) {
      const refused = await apiWith({ WALLET: changing(null) }, "/wallet/payout", { key: shop.key, json });
      expect(await bodyOf(refused.response, 409)).toMatchObject({
        code: "payout_account_missing",
        message: "Ask the operator to set the payout account.",
        outcome: "not_submitted",
      });
      await bodyOf(await setAccount(former), 200);
    }
    expect(await balanceOf(former)).toBe(before[0]);
  });

  test("asks the database for its account, and for room in the audit log, alone", async () => {
    await bodyOf(await setAccount(treasury), 200);
    const { send, trips } = watched(shop.integrationUuid);
    await bodyOf(await send("/wallet/payout", { key: shop.key, json: { amount: "1" } }), 200);
    expect(trips.every((sql) => /payout_account|audit_entries/.test(sql))).toBe(true);
    expect(trips.some((sql) => /payout_account/.test(sql))).toBe(true);
  });

  test("may have a limit and a quote, and is refused without an account before either is checked", async () => {
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
    // The payment to an implicit account may create it.
    await bodyOf(await setAccount("ab".repeat(32)), 200);
    const tight = { "mintage-max-cost": `${NEAR + NEAR / 200n}` };
    expect(await bodyOf(await pay(tight), 402)).toMatchObject({ code: "cost_exceeds_maximum" });
  });

  test("has an account that must exist and that no key can set", async () => {
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
    // A payout would move nothing, or leave the money where it can't be paid out.
    for (const own of [shop.walletAccountId, shop.contractAccountId])
      expect(await bodyOf(await setAccount(own), 400)).toMatchObject({ issues: [{ path: ["account_id"] }] });
    await bodyOf(await setAccount(treasury, crypto.randomUUID()), 404);
    await bodyOf(await payOut("all"), 409);
  });
});

describe("a payout of sales", () => {
  const PRICE = NEAR;
  /** What a mint brings the owner: without the token's storage and the platform's 5%. */
  const REST = PRICE - 270n * 10n ** 19n;
  const SHARE = REST - REST / 20n;
  /** In whole nanoNEAR. */
  const whole = (amount: bigint) => (amount / 10n ** 15n) * 10n ** 15n;

  let collector: TestIntegration;
  let made: Finalized;

  beforeEach(async () => {
    collector = await createIntegration("Collector");
    made = await createCollection(shop, {
      copies: [20],
      settings: { public_mint_config: { mint_fee: `${PRICE}` } },
    });
    await bodyOf(await setAccount(treasury), 200);
  });

  const call = (from: TestIntegration, method: string, args: object, deposit: bigint) =>
    sendFrom(from.integrationUuid, shop.contractAccountId, [
      {
        kind: "function_call",
        method,
        args: Buffer.from(JSON.stringify(args)),
        gas: `${10n ** 14n}`,
        deposit: `${deposit}`,
      },
    ]);
  const sell = async (count = 1, deposit = PRICE) => {
    const args = { collection_id: made.near_collection.collection_id };
    for (let sold = 0; sold < count; sold++) await call(collector, "nft_mint", args, deposit);
  };
  const earned = async () =>
    (
      await bodyOf<{ earned: string | null }>(
        await api(`/collection/${made.collection_uuid}`, { key: shop.key }),
        200,
      )
    ).earned;
  const noneLeft = async () =>
    expect(await bodyOf(await payOut("sales"), 402)).toMatchObject({
      code: "insufficient_funds",
      outcome: "not_submitted",
      retryable: true,
    });
  const paidOf = async (answer: Response) => BigInt((await bodyOf<Payout>(answer, 200)).amount);

  test("is what collectors paid, once, however it is requested", async () => {
    expect(await earned()).toBe("0");
    await sell(2);
    await sell(1, 2n * PRICE);
    await bodyOf(
      await api(`/collection/${made.collection_uuid}/mint`, {
        key: shop.key,
        json: { receiver_addresses: [treasury] },
      }),
      201,
    );
    await Promise.all([background.reconcile(), background.reconcile()]);
    expect(await earned()).toBe(`${3n * SHARE}`);
    // The list comes from D1, which has it within seconds.
    const listed = async () =>
      (await bodyOf<{ earned: string }[]>(await api("/collection", { key: shop.key }), 200))[0]!.earned;
    await expect.poll(listed).toBe(`${3n * SHARE}`);
    const before = await balanceOf(treasury);
    const [owned, had] = [{ "idempotency-key": "sales" }, await available()];
    const answers = await Promise.all([
      payOut("sales", shop.key, owned),
      payOut("sales"),
      payOut("sales", shop.key, owned),
      payOut("sales"),
    ]);
    await Promise.all(answers.map((answer) => answer.body?.cancel()));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses.every((status) => [200, 402, 409, 429].includes(status))).toBe(true);
    await payOut("sales", shop.key, owned);
    await noneLeft();
    expect(await balanceOf(treasury)).toBe(before + whole(3n * SHARE));
    expect(await available()).toBeGreaterThan(had - 3n * SHARE - NEAR / 100n);
    await background.reconcile();
    await noneLeft();
    await sell();
    expect(await paidOf(await payOut("sales"))).toBe(whole(4n * SHARE) - whole(3n * SHARE));
    expect(await earned()).toBe(`${4n * SHARE}`);
  });

  test.each(["all", "an amount"])(
    "is covered by %s that is paid before the schedule reads the sales",
    async (paid) => {
      await sell(2);
      await paidOf(await payOut(paid === "all" ? paid : `${2n * SHARE}`));
      await background.reconcile();
      await pay(collector.integrationUuid, shop.walletAccountId, 2n * NEAR);
      await noneLeft();
      expect(await earned()).toBe(`${2n * SHARE}`);
    },
  );

  test("leaves the money for gas if two requests come at once", async () => {
    await drain(shop.integrationUuid, 3n * 10n ** 23n);
    await sell(3);
    const answers = await Promise.all([payOut("sales"), payOut("sales")]);
    const [paid, refused] = answers.toSorted((one, other) => one.status - other.status);
    expect(await paidOf(paid!)).toBeGreaterThan(0n);
    expect([402, 429]).toContain(refused!.status);
    expect(await available()).toBeGreaterThanOrEqual(NEAR);
  });

  test("is read in a block that isn't older than the balance's", async () => {
    await sell(2);
    await background.reconcile();
    await sell();
    // The balance comes from a node that is up to date, what was earned from one without the last sale.
    await setFaults({ kind: "lag", blocks: 8, methods: ["query"], skip: 1, count: 2 });
    await paidOf(await payOut("all"));
    await setFaults();
    await background.reconcile();
    await pay(collector.integrationUuid, shop.walletAccountId, NEAR);
    await noneLeft();
  });

  test("gets its uuid after the sales are read, however long that takes: an old one isn't accepted", async () => {
    await sell();
    let readAt = 0;
    spoilViews(
      ({ contract, method }) => contract === shop.contractAccountId && method === "collections",
      (text) => {
        readAt = Date.now();
        return text;
      },
    );
    const answer = await payOut("sales", shop.key, { prefer: "respond-async" });
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
    expect(readAt).toBeGreaterThan(0);
    // A UUID of version 7 begins with its time (RFC 9562).
    expect(Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16)).toBeGreaterThanOrEqual(readAt);
  });

  test("is refused while no node shows the sales, like every other payout", async () => {
    await sell();
    const before = await balanceOf(treasury);
    for (const amount of ["sales", "all", "1"]) {
      // The balance alone is read.
      await setFaults({ kind: "down", methods: ["query"], skip: 1 });
      expect(await bodyOf(await payOut(amount), 503)).toMatchObject({
        code: "chain_unavailable",
        outcome: "not_submitted",
        retryable: true,
      });
      await setFaults();
    }
    expect(await balanceOf(treasury)).toBe(before);
    expect(await paidOf(await payOut("sales"))).toBe(whole(SHARE));
  });

  test("is the rest of the sales after a payout of an amount, and a failed payout takes none", async () => {
    await sell(2);
    await background.reconcile();
    // Inside: no request sets a payout account that doesn't exist, as one that was deleted since.
    await env.DB.prepare(
      "UPDATE integrations SET payout_account = 'nobody-has-this.test' WHERE payout_account = ?",
    )
      .bind(treasury)
      .run();
    await inLedger(shop.integrationUuid, "UPDATE meta SET payout_account = 'nobody-has-this.test'");
    await bodyOf(await payOut("sales"), 502);
    await bodyOf(await setAccount(treasury), 200);
    await paidOf(await payOut(`${SHARE + 1n}`));
    // The amount takes the whole nanoNEAR that it touches.
    expect(await paidOf(await payOut("sales"))).toBe(whole(2n * SHARE) - whole(SHARE) - 10n ** 15n);
    await sell();
    await background.reconcile();
    await paidOf(await payOut(`${2n * NEAR}`));
    await noneLeft();
  });

  test("that is under way counts as paid, and is paid once", async () => {
    await sell(2);
    await background.reconcile();
    const before = await balanceOf(treasury);
    killAt("operation.before_effects");
    const broken = await payOut("sales");
    const { operation_uuid: uuid } = (await broken.json()) as { operation_uuid: string };
    observeCheckpoints(null);
    await noneLeft();
    await background.resume(uuid);
    expect(await operationOver(shop.key, uuid)).toMatchObject({ state: "succeeded" });
    await background.resume(uuid);
    await noneLeft();
    expect(await balanceOf(treasury)).toBe(before + whole(2n * SHARE));
  });

  test.each([
    [true, "are paid"],
    [false, "are left"],
  ])(
    "with an unknown outcome is settled by the operator: with effect %s, the sales %s",
    async (had_effect) => {
      await sell(2);
      await background.reconcile();
      await setFaults({ kind: "request_lost", methods: ["send_tx"] });
      const answer = await payOut("sales", shop.key, { prefer: "respond-async" });
      const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
      await replaceObject(shop.integrationUuid);
      await background.resume(uuid);
      expect(await operationOver(shop.key, uuid)).toMatchObject({ state: "unknown" });
      await noneLeft();
      if (!had_effect) await outlastRestoration(shop.integrationUuid);
      await bodyOf(await admin(`/operation/${uuid}/settle`, { json: { had_effect } }), 200);
      if (had_effect) await noneLeft();
      else expect(await paidOf(await payOut("sales"))).toBe(whole(2n * SHARE));
    },
  );

  test("leaves 1 NEAR in the wallet, and the rest of the sales for later", async () => {
    await sell(2);
    await background.reconcile();
    await drain(shop.integrationUuid, (3n * NEAR) / 2n);
    const first = await paidOf(await payOut("sales"));
    expect(first).toBeLessThan(NEAR / 2n);
    expect(await available()).toBeGreaterThanOrEqual(NEAR);
    await pay(collector.integrationUuid, shop.walletAccountId, 2n * NEAR);
    await background.reconcile();
    expect(await paidOf(await payOut("sales"))).toBe(whole(2n * SHARE) - first);
  });

  test("includes nothing that another owner of the contract earned", async () => {
    await sell();
    await background.reconcile();
    await call(shop, "owner_propose", { account_id: collector.walletAccountId }, 1n);
    await call(collector, "owner_accept", {}, 1n);
    // An owner pays no fee: the former one does.
    const buy = () => call(shop, "nft_mint", { collection_id: made.near_collection.collection_id }, PRICE);
    await buy();
    await background.reconcile();
    expect(await earned()).toBe(`${2n * SHARE}`);
    expect(await paidOf(await payOut("sales"))).toBe(whole(SHARE));
    await buy();
    await call(collector, "owner_propose", { account_id: shop.walletAccountId }, 1n);
    const accepted = admin(`/integration/${shop.integrationUuid}/contract/accept`, {
      json: { account_id: shop.contractAccountId },
    });
    await bodyOf(await accepted, 200);
    expect(await earned()).toBeNull();
    await background.reconcile();
    expect(await earned()).toBe(`${3n * SHARE}`);
    await noneLeft();
    await sell();
    await background.reconcile();
    expect(await paidOf(await payOut("sales"))).toBe(whole(4n * SHARE) - whole(3n * SHARE));
  });

  const hand = async (from: TestIntegration, to: TestIntegration) => {
    await call(from, "owner_propose", { account_id: to.walletAccountId }, 1n);
    await call(to, "owner_accept", {}, 1n);
  };

  test.each(["the schedule", "a payout"])(
    "includes nothing that another owner earned before %s reads a returned contract",
    async (reader) => {
      await hand(shop, collector);
      await background.reconcile();
      await call(shop, "nft_mint", { collection_id: made.near_collection.collection_id }, PRICE);
      await call(collector, "owner_propose", { account_id: shop.walletAccountId }, 1n);
      const kills = killAt("operation.before_effects");
      const accepted = await admin(`/integration/${shop.integrationUuid}/contract/accept`, {
        json: { account_id: shop.contractAccountId },
      });
      const { operation_uuid: uuid } = (await accepted.json()) as { operation_uuid: string };
      observeCheckpoints(null);
      expect(kills.count).toBeGreaterThan(0);
      // The wallet is the owner, and the operation that made it one isn't over.
      if (reader === "the schedule") await background.reconcile();
      await noneLeft();
      await sell();
      expect(await paidOf(await payOut("sales"))).toBe(whole(2n * SHARE) - whole(SHARE));
      await background.resume(uuid);
      expect(await bodyOf(await admin(`/operation/${uuid}`), 200)).toMatchObject({ state: "succeeded" });
      await sell();
      expect(await paidOf(await payOut("sales"))).toBe(whole(3n * SHARE) - whole(2n * SHARE));
      expect(await earned()).toBe(`${3n * SHARE}`);
    },
  );

  test("includes nothing that another owner earned after a reading, during the wallet's acceptance", async () => {
    await hand(shop, collector);
    await call(collector, "owner_propose", { account_id: shop.walletAccountId }, 1n);
    await inLedger(
      shop.integrationUuid,
      `CREATE TRIGGER held AFTER INSERT ON intents
       BEGIN UPDATE intents SET held_until = 9000000000000 WHERE id = NEW.id; END`,
    );
    const path = `/admin/v1/integration/${shop.integrationUuid}/contract/accept`;
    const { response: accepted } = await apiWith({ SYNC_WAIT_MS: "1" }, path, {
      json: { account_id: shop.contractAccountId },
      headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` },
    });
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(accepted, 202);
    await inLedger(shop.integrationUuid, "DROP TRIGGER held");
    await background.reconcile();
    expect(await earned()).toBe("0");
    await call(shop, "nft_mint", { collection_id: made.near_collection.collection_id }, PRICE);
    await inLedger(shop.integrationUuid, "UPDATE intents SET held_until = NULL");
    await background.resume(uuid);
    expect(await bodyOf(await admin(`/operation/${uuid}`), 200)).toMatchObject({ state: "succeeded" });
    await noneLeft();
    await sell();
    expect(await paidOf(await payOut("sales"))).toBe(whole(2n * SHARE) - whole(SHARE));
  });

  test("includes what was sold in the last block before a hand-over", async () => {
    await sell();
    const isRead = spoilViews(
      ({ contract, method }) => contract === shop.contractAccountId && method === "collections",
      async (text) => {
        vi.unstubAllGlobals();
        await hand(shop, collector);
        return text;
      },
    );
    await background.reconcile();
    expect(isRead()).toBe(true);
    expect(await paidOf(await payOut("sales"))).toBe(whole(SHARE));
  });

  test("pays no more than its quote if another copy is sold meanwhile, and the rest the next time", async () => {
    await sell();
    const quoteOf = async (amount: string) => {
      const body = { amount, ...(amount === "all" && { confirm: true }) };
      const asked = await api("/quote", {
        key: shop.key,
        json: { method: "POST", path: "/wallet/payout", body },
      });
      return bodyOf<{ quote_uuid: string; cost: { at_most: string } }>(asked, 201);
    };
    const quoted = await quoteOf("sales");
    await sell();
    const first = await paidOf(await payOut("sales", shop.key, { "mintage-quote": quoted.quote_uuid }));
    expect(first).toBeLessThanOrEqual(whole(SHARE));
    expect(first).toBeGreaterThan(whole(SHARE) - NEAR / 10_000n);
    expect(await paidOf(await payOut("sales"))).toBe(whole(2n * SHARE) - first);
    const all = await quoteOf("all");
    await sell();
    const rest = await paidOf(await payOut("all", shop.key, { "mintage-quote": all.quote_uuid }));
    expect(rest).toBeLessThan(BigInt(all.cost.at_most));
    expect(rest).toBeGreaterThan(BigInt(all.cost.at_most) - NEAR / 100n);
    await sell();
    const refused = await bodyOf(await payOut("sales", shop.key, { "mintage-max-cost": "1" }), 402);
    expect(refused).toMatchObject({ code: "cost_exceeds_maximum", outcome: "not_submitted" });
  });

  test("can be quoted, and is the integration's own", async () => {
    await sell();
    await background.reconcile();
    const ask = { method: "POST", path: "/wallet/payout", body: { amount: "sales" } };
    const quote = await bodyOf<{ quote_uuid: string; cost: { expected: string } }>(
      await api("/quote", { key: shop.key, json: ask }),
      201,
    );
    expect(BigInt(quote.cost.expected)).toBeGreaterThan(whole(SHARE));
    expect(BigInt(quote.cost.expected)).toBeLessThan(SHARE + NEAR / 100n);
    await bodyOf(await payOut("sales", shop.readKey), 403);
    expect(await bodyOf(await payOut("sales", collector.key), 409)).toMatchObject({
      code: "payout_account_missing",
    });
    const { account_id } = await bodyOf<Payout>(
      await payOut("sales", shop.key, { "mintage-quote": quote.quote_uuid }),
      200,
    );
    expect(account_id).toBe(treasury);
  });
});

test("a payout of everything needs a confirmation that shows the amount and what is included", async () => {
  await bodyOf(await setAccount(treasury), 200);
  const before = await balanceOf(treasury);
  for (const confirm of [undefined, false]) {
    const asked = await api("/wallet/payout", { key: shop.key, json: { amount: "all", confirm } });
    const refused = await bodyOf<{ issues: { path: string[]; message: string }[] }>(asked, 400);
    expect(refused.issues).toEqual([
      { path: ["confirm"], message: expect.stringMatching(/ [\d.]+ NEAR, .* for gas\. "sales" pays/) },
    ]);
  }
  expect(await balanceOf(treasury)).toBe(before);
});

import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection, createDraft } from "../support/collections.ts";
import { createToken, type Token } from "../support/fungible.ts";
import {
  background,
  killAt,
  observeCheckpoints,
  operationOver,
  readOperation,
} from "../support/operations.ts";
import { inOneDay } from "../support/waiting.ts";

interface Limits {
  readonly spending_per_day: string | null;
  readonly used: { readonly spending_per_day: string };
}

interface Minted {
  readonly tx_results: readonly { readonly tokens_burnt: string; readonly transaction_hash: string }[];
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly outcome: string;
  readonly retryable: boolean;
}

let shop: TestIntegration;
let collection: string;
let receiver: string;

beforeAll(inOneDay);
beforeAll(async () => {
  shop = await createIntegration("Capped shop");
  collection = (await createCollection(shop, { copies: [100] })).collection_uuid;
  [receiver = ""] = await createReceivers(1);
});
afterEach(() => observeCheckpoints(null));

const setLimit = async (spending_per_day: string | null): Promise<Limits> => {
  const path = `/integration/${shop.integrationUuid}/limits`;
  return bodyOf(await admin(path, { method: "PUT", json: { spending_per_day } }), 200);
};
const spent = async (): Promise<bigint> => {
  const { limits } = await bodyOf<{ limits: Limits }>(await api("/me", { key: shop.readKey }), 200);
  return BigInt(limits.used.spending_per_day);
};
const mint = (headers: Record<string, string> = {}, owner = shop, of = collection) =>
  api(`/collection/${of}/mint`, { key: owner.key, json: { receiver_addresses: [receiver] }, headers });
const sent = async (): Promise<unknown[]> => bodyOf(await api("/transaction", { key: shop.key }), 200);

const NEAR = 10n ** 24n;

describe("a daily spending limit", () => {
  test("is shown with the amount spent, to the operator and in GET /me", async () => {
    expect(await setLimit(String(100n * NEAR))).toMatchObject({ spending_per_day: String(100n * NEAR) });
    const before = await spent();
    // The finalization has paid the contract for the storage of its collection.
    expect(before).toBeGreaterThan(0n);
    const { tx_results } = await bodyOf<Minted>(await mint(), 201);
    const burnt = tx_results.reduce((sum, { tokens_burnt }) => sum + BigInt(tokens_burnt), 0n);
    expect(burnt).toBeGreaterThan(0n);
    expect((await spent()) - before).toBe(burnt);
    const { limits } = await bodyOf<{ limits: Limits }>(await api("/me", { key: shop.key }), 200);
    expect(limits.spending_per_day).toBe(String(100n * NEAR));
  });

  test("refuses a write that could exceed it before anything is signed, and explains what to do", async () => {
    await setLimit(String((await spent()) + 1n));
    const before = await sent();
    const answer = await mint();
    const after = Number(answer.headers.get("retry-after"));
    const refusal = await bodyOf<Refusal>(answer, 402);
    expect(refusal).toMatchObject({
      code: "spending_limit_reached",
      outcome: "not_submitted",
      retryable: true,
      message: expect.stringMatching(
        /^Wait .+ until the next day \(UTC\), or ask the operator to raise the limit spending_per_day: this may cost up to 0\.\d+ NEAR, and \d+\.\d+ of \d+\.\d+ NEAR are spent today\. Nothing was sent\.$/,
      ),
    });
    expect(after).toBeGreaterThanOrEqual(1);
    expect(after).toBeLessThanOrEqual(86_400);
    expect(await sent()).toEqual(before);
  });

  test("of zero refuses every write, and after it is removed the same request succeeds under its key", async () => {
    await setLimit("0");
    const headers = { "idempotency-key": crypto.randomUUID() };
    expect(await bodyOf(await mint(headers), 402)).toMatchObject({ code: "spending_limit_reached" });
    expect(await setLimit(null)).toMatchObject({ spending_per_day: null });
    const repeated = await mint(headers);
    const { tx_results } = await bodyOf<Minted>(repeated, 201);
    expect(tx_results).toHaveLength(1);
  });

  test("counts simultaneous writes at their maximum cost until they end", async () => {
    const before = await spent();
    const refused = await (async () => {
      await setLimit("0");
      const { message } = await bodyOf<Refusal>(await mint(), 402);
      return /up to (\d+)\.(\d+) NEAR/.exec(message);
    })();
    const one = BigInt(`${refused?.[1]}${refused?.[2]?.padEnd(24, "0")}`);
    const limit = before + one + one / 2n;
    await setLimit(String(limit));
    const answers = await Promise.all(Array.from({ length: 8 }, () => mint()));
    const statuses = answers.map(({ status }) => status);
    await Promise.all(answers.map((answer) => answer.body?.cancel()));
    expect(statuses).toContain(201);
    expect(statuses.every((status) => [201, 402, 429].includes(status))).toBe(true);
    expect(await spent()).toBeLessThanOrEqual(limit);
    await setLimit(null);
  });

  describe("of a write in several transactions", () => {
    const phasesIn = ({ accountId }: Token) => ({
      phases: [{ phase: 3, mint_fee: "5", currency: accountId }],
    });
    const update = (token: Token, key = shop.key) =>
      api(`/collection/${collection}`, { key, method: "PUT", json: phasesIn(token) });
    const issued = async (spending_per_day: string): Promise<string> => {
      const json = { name: "k", spending_per_day };
      const path = `/integration/${shop.integrationUuid}/key`;
      return (await bodyOf<{ api_key: string }>(await admin(path, { json }), 201)).api_key;
    };
    /** What a refused write may cost, yoctoNEAR. */
    const costIn = ({ message }: Refusal): bigint => {
      const [, whole = "", rest = ""] = /up to (\d+)\.(\d+) NEAR/.exec(message)!;
      return BigInt(`${whole}${rest.padEnd(24, "0")}`);
    };
    const euro = () => createToken({ symbol: "EURC", decimals: 2 });

    test("has room for all of them, or nothing is sent", async () => {
      const token = await euro();
      const before = await sent();
      const refusedFor = async (answer: Response) => {
        const refusal = await bodyOf<Refusal>(answer, 402);
        expect(refusal).toMatchObject({
          ...{ code: "spending_limit_reached", outcome: "not_submitted" },
          message: expect.stringMatching(/Nothing was sent\.$/),
        });
        expect(await sent()).toEqual(before);
        return costIn(refusal);
      };
      const whole = await refusedFor(await update(token, await issued("0")));
      await refusedFor(await update(token, await issued(String(whole - 1n))));
      const draft = await createDraft(shop, { settings: phasesIn(token) });
      const finalize = { key: await issued(String(whole / 2n)), method: "POST" };
      await refusedFor(await api(`/collection-draft/${draft}/finalize`, finalize));
      await setLimit("0");
      const own = await refusedFor(await update(token));
      await setLimit(String((await spent()) + own - 1n));
      await refusedFor(await update(token));
      await setLimit(null);
      await bodyOf(await update(token, await issued(String(whole))), 200);
    });

    test("waits for the next day once it has begun", async () => {
      killAt("operation.before_submit", (pass) => pass > 1);
      const answer = await update(await euro());
      const { operation_uuid: id } = (await answer.json()) as { operation_uuid: string };
      await setLimit("0");
      observeCheckpoints(null);
      await background.resume(id);
      expect(await readOperation(shop.key, id)).toMatchObject({ state: "pending" });
      await setLimit(null);
      await background.resume(id);
      expect(await operationOver(shop.key, id)).toMatchObject({
        ...{ state: "succeeded", transactions: [expect.anything(), expect.anything()] },
      });
    });
  });

  test("doesn't apply to payouts, of which only the gas counts", async () => {
    const account = { account_id: receiver };
    const path = `/integration/${shop.integrationUuid}/payout-account`;
    await bodyOf(await admin(path, { method: "PUT", json: account }), 200);
    await setLimit("0");
    const before = await spent();
    const paid = await api("/wallet/payout", { key: shop.key, json: { amount: String(NEAR / 10n) } });
    const { tx_results } = await bodyOf<{ tx_results: { tokens_burnt: string } }>(paid, 200);
    expect((await spent()) - before).toBe(BigInt(tx_results.tokens_burnt));
    await setLimit(null);
  });

  test("applies to one integration, and can only be set by the operator", async () => {
    await setLimit("0");
    const other = await createIntegration("Free shop");
    const { collection_uuid: uuid } = await createCollection(other, { copies: [5] });
    await bodyOf(await mint({}, other, uuid), 201);
    const path = `/admin/v1/integration/${shop.integrationUuid}/limits`;
    await bodyOf(await api(path, { method: "PUT", json: { spending_per_day: null }, key: shop.key }), 401);
    await bodyOf(await mint(), 402);
    await setLimit(null);
  });
});

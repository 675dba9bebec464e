import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { Overview } from "../../src/api/resources/overview.ts";
import { settingDigests } from "../../src/env.ts";
import {
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { background } from "../support/operations.ts";
import { drain } from "../support/payments.ts";

const NAME = `<img src=x onerror="alert(1)"> & "herons"`;

let shop: TestIntegration;
let overview: Overview;
let collection: string;

const read = async (): Promise<Overview> => bodyOf(await admin("/overview"), 200);

beforeAll(async () => {
  shop = await createIntegration(NAME);
  collection = (await createCollection(shop, { copies: [50] })).collection_uuid;
  for (const receiver of await createReceivers(2)) {
    const json = { receiver_addresses: [receiver], quantity_per_receiver: 3 };
    await bodyOf(await api(`/collection/${collection}/mint`, { key: shop.key, json }), 201);
  }
  await background.reconcile();
  overview = await read();
});

describe("GET /admin/v1/overview", () => {
  test("tells each part, node, integration and contract with what is left of it", () => {
    expect(overview).toMatchObject({
      database: { size_bytes: expect.any(Number), limit_bytes: 10_000_000_000, behind: false },
      bucket: { state: "up", stored_bytes: expect.any(Number) },
      schedule: { state: "running" },
      platform: { state: "funded" },
      writes: { state: "here" },
      nodes: [{ state: "up", height: expect.any(Number), latency_ms: expect.any(Number) }],
      stuck: [],
      stuck_goes_on: false,
      webhooks: [],
    });
    expect(overview.bucket.stored_bytes).toBeGreaterThan(0);
    const own = overview.integrations.find((one) => one.integration_uuid === shop.integrationUuid);
    expect(own).toMatchObject({ name: NAME, state: "active", wallet_account_id: shop.walletAccountId });
    // All that it has ever spent, it spent today: at that pace what is left lasts less than a year.
    expect(own?.runway_days).toBeGreaterThan(0);
    expect(own?.runway_days).toBeLessThan(365);
    const contract = overview.contracts.find((one) => one.contract_uuid === shop.contractUuid);
    expect(contract).toMatchObject({ account_id: shop.contractAccountId, minted_last_day: 6 });
    expect(contract?.runway_days).toBe(
      Number((BigInt(contract?.balance_free ?? 0) * 10n) / (6n * 270n * 10n ** 19n)) / 10,
    );
  });

  test("counts the operations of the last hour and day in slots that end now", () => {
    expect(overview.last_hour).toHaveLength(12);
    expect(overview.last_day).toHaveLength(24);
    const sum = (slots: Overview["last_hour"], field: "accepted" | "succeeded" | "failed") =>
      slots.reduce((total, slot) => total + slot[field], 0);
    // The wallet, the contract, the collection and two mints.
    for (const slots of [overview.last_hour, overview.last_day]) {
      expect(sum(slots, "accepted")).toBe(5);
      expect(sum(slots, "succeeded")).toBe(5);
      expect(sum(slots, "failed")).toBe(0);
    }
    expect(overview.last_hour.some(({ seconds }) => seconds !== null && seconds > 0)).toBe(true);
  });

  test("counts the same once the schedule has passed over them, and what came since", async () => {
    await background.reconcile(60_000);
    const { results } = await env.DB.prepare("SELECT accepted FROM operation_counts").all<{
      accepted: number;
    }>();
    expect(results.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(5);
    const counted = await read();
    expect(counted.last_day.reduce((sum, slot) => sum + slot.accepted, 0)).toBe(5);
    expect(counted.last_day.reduce((sum, slot) => sum + slot.succeeded, 0)).toBe(5);
    expect(counted.last_day.map(({ seconds }) => seconds)).toEqual(
      overview.last_day.map(({ seconds }) => seconds),
    );
    const json = { receiver_addresses: [shop.walletAccountId] };
    await bodyOf(await api(`/collection/${collection}/mint`, { key: shop.key, json }), 201);
    expect((await read()).last_hour.reduce((sum, slot) => sum + slot.succeeded, 0)).toBe(6);
  });

  test("shows a suspended integration, a low wallet, a webhook that fails, and a node that is down", async () => {
    await drain(shop.integrationUuid);
    await background.reconcile();
    const hook = { url: "http://localhost:9/", types: ["webhook.disabled"] };
    const { webhook_uuid: uuid } = await bodyOf<{ webhook_uuid: string }>(
      await api("/webhook", { key: shop.key, json: hook }),
      201,
    );
    await bodyOf(await api(`/webhook/${uuid}/test`, { key: shop.key, method: "POST" }), 200);
    const path = `/integration/${shop.integrationUuid}`;
    await bodyOf(await admin(path, { method: "PUT", json: { suspended: true } }), 200);
    const found = await read();
    expect(found.integrations.find((one) => one.integration_uuid === shop.integrationUuid)).toMatchObject({
      state: "suspended",
      low: true,
    });
    expect(found.webhooks).toEqual([
      {
        webhook_uuid: uuid,
        integration_uuid: shop.integrationUuid,
        url: hook.url,
        enabled: true,
        trouble: expect.stringMatching(/./),
      },
    ]);
    await bodyOf(await admin(path, { method: "PUT", json: { suspended: false } }), 200);
    await setFaults({ kind: "down" });
    try {
      expect((await read()).nodes).toMatchObject([{ state: "down", height: null, latency_ms: null }]);
    } finally {
      await setFaults();
    }
  });

  test("is the operator's alone", async () => {
    await bodyOf(await api("/admin/v1/overview"), 401);
    await bodyOf(await api("/admin/v1/overview", { key: shop.key }), 401);
  });
});

describe("the operator's page", () => {
  test("says nothing of the service by itself, and is not kept", async () => {
    const answer = await api("/operator");
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const text = await answer.text();
    expect(text).toContain('type="password"');
    for (const secret of [shop.integrationUuid, shop.walletAccountId]) expect(text).not.toContain(secret);
  });

  test("has its view for the token alone, with names as texts", async () => {
    await bodyOf(await api("/operator/view"), 401);
    await bodyOf(await api("/operator/view", { key: shop.key }), 401);
    const wrong = { headers: { authorization: `Bearer ${"x".repeat(40)}` } };
    await bodyOf(await api("/operator/view", wrong), 401);
    const view = await api("/operator/view", { headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` } });
    const text = await view.text();
    expect([view.status, view.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(text).toContain(shop.walletAccountId);
    expect(text).not.toContain("<img");
    expect(text).toContain("&lt;img src=x");
  });

  test("says what is wrong with a Worker for writes, where there is one", async () => {
    const headers = { authorization: `Bearer ${env.ADMIN_TOKEN}` };
    const viewWith = async (MAX_QUEUE: string, WRITES: object | undefined) => {
      const { response } = await apiWith({ MAX_QUEUE, WRITES }, "/operator/view", { headers });
      return response.text();
    };
    const other = { settingDigests: () => settingDigests({ ...env, MAX_QUEUE: "7" }) };
    expect(await viewWith("201", other)).toMatch(/Worker for writes.*differs.*ready\.writes_differ/s);
    expect(await viewWith("202", undefined)).not.toContain("Worker for writes");
  });

  test("is not there where the service has no token", async () => {
    for (const path of ["/operator", "/operator/view"]) {
      const { response } = await apiWith({ ADMIN_TOKEN: "" }, path);
      expect(response.status).toBe(404);
      await response.body?.cancel();
    }
  });
});

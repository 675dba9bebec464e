import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Overview } from "../../client/src/index.ts";
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
import { background, killAt, observeCheckpoints } from "../support/operations.ts";
import { drain, pay } from "../support/payments.ts";
import { eventually, inOneDay, later } from "../support/waiting.ts";
import { resumeByPresentClock } from "../support/wallets.ts";

const NAME = `<img src=x onerror="alert(1)"> & "herons"`;

let shop: TestIntegration;
let overview: Overview;
let collection: string;

const read = async (): Promise<Overview> => bodyOf(await admin("/overview"), 200);

/** The overview once its node is up: a busy machine's may take too long for one reading. */
const readUp = async (): Promise<Overview> => {
  let found: Overview | undefined;
  await eventually(async () => {
    found = await read();
    expect(found).toMatchObject({ nodes: [{ state: "up" }], platform: { state: "funded" } });
  });
  return found!;
};

beforeAll(inOneDay);
beforeAll(async () => {
  shop = await createIntegration(NAME);
  collection = (await createCollection(shop, { copies: [50] })).collection_uuid;
  for (const receiver of await createReceivers(2)) {
    const json = { receiver_addresses: [receiver], quantity_per_receiver: 3 };
    await bodyOf(await api(`/collection/${collection}/mint`, { key: shop.key, json }), 201);
  }
  await background.reconcile();
  // D1 has the mints within seconds.
  await eventually(async () => {
    overview = await readUp();
    expect(overview.attention).toEqual([]);
    expect(overview.operations.open).toEqual([]);
    expect(overview.operations.today.find(({ kind }) => kind === "mint")?.succeeded).toBe(2);
  });
});
afterEach(() => observeCheckpoints(null));

describe("GET /admin/v1/overview", () => {
  test("shows each part, node and wallet, and that nothing needs attention", () => {
    expect(overview).toMatchObject({
      attention: [],
      database: { size_bytes: expect.any(Number), limit_bytes: 10_000_000_000 },
      bucket: { state: "up" },
      schedule: { state: "running" },
      platform: { state: "funded" },
      nodes: [{ state: "up", height: expect.any(Number), latency_ms: expect.any(Number) }],
      archive_refused: 0,
      writes_refused: [],
      wallets_inactive: [],
      operations: { open: [] },
      stuck: [],
      webhooks: [],
    });
    const own = overview.wallets.find((one) => one.integration_uuid === shop.integrationUuid);
    expect(own).toMatchObject({
      name: NAME,
      state: "active",
      account_id: shop.walletAccountId,
      low: false,
      operations_open: 0,
    });
    // All that it has ever spent, it spent today: at that pace what is left lasts less than a year.
    expect(own?.runway_days).toBeGreaterThan(7);
    expect(own?.runway_days).toBeLessThan(365);
  });

  test("counts today's operations by kind", () => {
    // The wallet, the contract, the collection and two mints.
    expect(overview.operations.today.map(({ kind, succeeded, failed }) => [kind, succeeded, failed])).toEqual(
      [
        ["contract_deploy", 1, 0],
        ["finalize", 1, 0],
        ["mint", 2, 0],
        ["wallet_create", 1, 0],
      ],
    );
  });

  test("lists an operation that has been pending for two minutes, and what to do", async () => {
    const json = { receiver_addresses: await createReceivers(1) };
    const mint = () => api(`/collection/${collection}/mint`, { key: shop.key, json });
    killAt("operation.before_effects");
    await bodyOf(await mint(), 202);
    // D1 has it within seconds.
    await expect.poll(async () => (await read()).operations.open.length).toBe(1);
    const { operations, wallets, attention } = await read();
    expect(operations.open).toMatchObject([{ kind: "mint", state: "pending", count: 1 }]);
    expect(wallets.map(({ operations_open }) => operations_open)).toEqual([1]);
    expect(attention).toEqual([]);
    const late = await later(130_000, read);
    const [{ operation_uuid: uuid }] = late.stuck as [Overview["stuck"][number]];
    expect(late.stuck).toMatchObject([{ integration_uuid: shop.integrationUuid, kind: "mint" }]);
    expect(late.attention).toMatchObject([{ rule: "operation_late", severity: "warning", subject: uuid }]);
    observeCheckpoints(null);
    await resumeByPresentClock(shop.integrationUuid, uuid);
    await expect.poll(async () => (await read()).operations.open).toEqual([]);
    expect((await later(130_000, read)).attention).toEqual([]);
  });

  test("shows a suspended integration, a low wallet and a disabled webhook, and names what needs attention, which alone the page marks in red", async () => {
    await drain(shop.integrationUuid);
    await background.reconcile();
    const hook = { url: "http://localhost:9/", types: ["webhook.disabled"] };
    const { webhook_uuid: uuid } = await bodyOf<{ webhook_uuid: string }>(
      await api("/webhook", { key: shop.key, json: hook }),
      201,
    );
    // Inside: no request makes an endpoint fail for days.
    await env.DB.prepare(
      "UPDATE webhooks SET state = 'disabled', disabled_reason = 'It did not answer.'",
    ).run();
    const path = `/integration/${shop.integrationUuid}`;
    await bodyOf(await admin(path, { method: "PUT", json: { suspended: true } }), 200);
    const found = await readUp();
    await bodyOf(await admin(path, { method: "PUT", json: { suspended: false } }), 200);
    expect(found.wallets).toMatchObject([{ state: "suspended", low: true }]);
    expect(found.webhooks).toEqual([
      {
        webhook_uuid: uuid,
        integration_uuid: shop.integrationUuid,
        url: hook.url,
        disabled_reason: "It did not answer.",
      },
    ]);
    expect(found.attention.map(({ rule, subject }) => [rule, subject])).toEqual([
      ["wallet_low", shop.walletAccountId],
      ["webhook_disabled", uuid],
    ]);
    const { attention } = await readUp();
    const view = await api("/operator/view", { headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` } });
    const [, table = "", rest = ""] =
      /Needs attention<\/h2>(.*?)<\/table>(.*)/s.exec(await view.text()) ?? [];
    expect(table.match(/class="bad"/g)).toHaveLength(attention.length);
    for (const { subject } of attention) expect(table).toContain(subject);
    // The wallet's balance and its runway.
    expect(rest.match(/class="bad"/g)).toHaveLength(2);
    // So much that it lasts at the pace of what was drained.
    await pay("platform", shop.walletAccountId, 10n ** 26n);
    expect((await api(`/webhook/${uuid}`, { key: shop.key, method: "DELETE" })).status).toBe(204);
    await background.reconcile();
  });

  test("requires the operator's token", async () => {
    await bodyOf(await api("/admin/v1/overview"), 401);
    await bodyOf(await api("/admin/v1/overview", { key: shop.key }), 401);
  });
});

describe("the operator's page", () => {
  test("contains no data itself, and is not cached", async () => {
    const answer = await api("/operator");
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const text = await answer.text();
    expect(text).toContain('type="password"');
    for (const secret of [shop.integrationUuid, shop.walletAccountId]) expect(text).not.toContain(secret);
  });

  test("returns its view for the token only, with names escaped", async () => {
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

  test("renders times as elements that its script can convert to local time", async () => {
    const view = await api("/operator/view", { headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` } });
    const times = [...(await view.text()).matchAll(/<time datetime="([^"]+)" title="([^"]+)">/g)];
    expect(times.length).toBeGreaterThanOrEqual(2);
    for (const [, moment, title] of times) expect(title).toBe(new Date(moment!).toISOString());
  });

  test("is not found if the service has no operator's token", async () => {
    for (const path of ["/operator", "/operator/view"]) {
      const { response } = await apiWith({ ADMIN_TOKEN: "" }, path);
      expect(response.status).toBe(404);
      await response.body?.cancel();
    }
  });
});

test("the overview names nodes that are down", async () => {
  await setFaults({ kind: "down" });
  try {
    // Different settings have no answers that could be reused.
    const NEAR_RPC_URL = new URL("/down", env.NEAR_RPC_URL).href;
    const headers = { authorization: `Bearer ${env.ADMIN_TOKEN}` };
    const { response } = await apiWith({ NEAR_RPC_URL }, "/admin/v1/overview", { headers });
    const found = await bodyOf<Overview>(response, 200);
    expect(found.nodes).toMatchObject([{ state: "down", height: null, latency_ms: null }]);
    expect(found.attention.map(({ rule, subject }) => [rule, subject])).toEqual(
      expect.arrayContaining([
        ["part_down", "chain"],
        ["node_down", found.nodes[0]!.host],
      ]),
    );
  } finally {
    await setFaults();
  }
});

import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { admin, api, apiWith, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import { inLedger, watchedLedgers } from "../support/ledgers.ts";
import { background } from "../support/operations.ts";
import { suspendElsewhere } from "../support/other-isolate.ts";
import { newTenant, type Tenant } from "../support/uploads.ts";
import { loseObject } from "../support/wallets.ts";

interface Shown {
  readonly integration_uuid: string;
  readonly name: string;
  readonly state: string;
}

const at = (uuid: string, query = "") => `/integration/${uuid}${query}`;
const change = (uuid: string, json: object) => admin(at(uuid), { method: "PUT", json });
const remove = (uuid: string, query = "") => admin(at(uuid, query), { method: "DELETE" });
const named = (name: string, rest = "") =>
  admin(`/integration?${new URLSearchParams({ name })}${rest}`).then((answer) =>
    bodyOf<Shown[]>(answer, 200),
  );

let tenant: Tenant;

beforeEach(async () => {
  tenant = await newTenant();
});

const ask = (path: string, key = tenant.key) => api(path, { key });

describe("a suspended integration", () => {
  test("has its keys refused, even for reads, until it is resumed, and others aren't affected", async () => {
    const other = await newTenant();
    expect(await bodyOf(await change(tenant.integrationId, { suspended: true }), 200)).toMatchObject({
      integration_uuid: tenant.integrationId,
      state: "suspended",
    });
    const refused = await bodyOf<{ code: string; message: string }>(await ask("/collection-draft"), 403);
    expect(refused.code).toBe("integration_suspended");
    expect(refused.message).toContain("Ask the operator to resume it");
    const json = { contract_uuid: tenant.contractId, title: "Herons" };
    expect(await bodyOf(await api("/collection-draft", { key: tenant.key, json }), 403)).toMatchObject({
      code: "integration_suspended",
    });
    await bodyOf(await ask("/collection-draft", other.key), 200);
    expect(await bodyOf(await change(tenant.integrationId, { suspended: false }), 200)).toMatchObject({
      state: "active",
    });
    await bodyOf(await ask("/collection-draft"), 200);
  });

  test.each([
    ["reads", undefined],
    ["writes", {}],
  ])("has its %s refused within five seconds, even where its key was just accepted", async (_name, json) => {
    await bodyOf(await ask("/collection-draft"), 200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    try {
      await suspendElsewhere(tenant.integrationId);
      await bodyOf(await ask("/collection-draft"), 200);
      vi.setSystemTime(Date.now() + 5_001);
      await bodyOf(await api("/collection-draft", { key: tenant.key, json }), 403);
    } finally {
      vi.useRealTimers();
    }
  });

  test("stays suspended when its name is changed", async () => {
    await bodyOf(await change(tenant.integrationId, { suspended: true }), 200);
    const renamed = await bodyOf(await change(tenant.integrationId, { name: "Other shop" }), 200);
    expect(renamed).toMatchObject({ name: "Other shop", state: "suspended" });
  });
});

describe("an integration's name", () => {
  test("can be searched exactly, and finds all integrations that have it", async () => {
    const name = `Herons & Söhne ${crypto.randomUUID()}`;
    await bodyOf(await change(tenant.integrationId, { name }), 200);
    expect(await named(name)).toMatchObject([{ integration_uuid: tenant.integrationId, name }]);
    expect(await named(name.toLowerCase())).toEqual([]);
    const other = await newTenant();
    await bodyOf(await change(other.integrationId, { name }), 200);
    expect((await named(name)).map(({ integration_uuid }) => integration_uuid)).toEqual([
      other.integrationId,
      tenant.integrationId,
    ]);
    expect(await named(name, "&limit=1")).toHaveLength(1);
  });
});

describe("the operator's changes", () => {
  test.each([
    [{ suspended: "yes" }, "suspended"],
    [{ name: "" }, "name"],
    [{ state: "deleted" }, "state"],
  ])("are refused with %j", async (json, field) => {
    const { issues } = await bodyOf<{ issues: { path: string[]; message: string }[] }>(
      await change(tenant.integrationId, json),
      400,
    );
    expect(JSON.stringify(issues)).toContain(field);
  });

  test("can be made by the operator only, and an unknown integration is refused", async () => {
    for (const [method, json] of [["PUT", { suspended: true }], ["DELETE"]] as const) {
      const path = `/admin/v1${at(tenant.integrationId)}`;
      await bodyOf(await api(path, { method, json, key: tenant.key }), 401);
      await bodyOf(await api(path, { method, json }), 401);
      await bodyOf(await admin(at(crypto.randomUUID()), { method, json }), 404);
    }
    await bodyOf(await remove(tenant.integrationId, "?leave_funds=false"), 400);
    await bodyOf(await ask("/collection-draft"), 200);
  });
});

test("another isolate, which doesn't know of the suspension, can't have an operation accepted while the integration is deleted", async () => {
  const shop = await createIntegration("Busy shop");
  const { collection_uuid: uuid } = await createCollection(shop, { copies: [3] });
  // This isolate has the key in its cache, and isn't told of the suspension.
  await bodyOf(await ask("/collection-draft", shop.key), 200);
  await suspendElsewhere(shop.integrationUuid);
  const refused: number[] = [];
  const DB = failingD1(async (sql) => {
    if (/update "integrations" set [^\n]*"deleted_at" = \?/i.test(sql) && refused.length === 0) {
      const json = { receiver_addresses: [shop.walletAccountId] };
      const answer = await api(`/collection/${uuid}/mint`, { key: shop.key, json });
      await answer.body?.cancel();
      refused.push(answer.status);
    }
    return null;
  });
  const { response } = await apiWith({ DB }, `/admin/v1${at(shop.integrationUuid, "?leave_funds=true")}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` },
  });
  await bodyOf(response, 200);
  expect(refused).toEqual([403]);
});

test("an integration that is resumed while it is being deleted stays, with its webhooks, and mints again", async () => {
  const shop = await createIntegration("Reopened shop");
  const { collection_uuid: uuid } = await createCollection(shop, { copies: [3] });
  await bodyOf(await api("/webhook", { key: shop.key, json: { url: "http://localhost:9/" } }), 201);
  await bodyOf(await change(shop.integrationUuid, { suspended: true }), 200);
  let isResumed = false;
  const WALLET = watchedLedgers(async (method, call) => {
    if (method === "suspend" && !isResumed) {
      isResumed = true;
      await bodyOf(await change(shop.integrationUuid, { suspended: false }), 200);
    }
    return call();
  });
  const { response } = await apiWith(
    { WALLET },
    `/admin/v1${at(shop.integrationUuid, "?leave_funds=true")}`,
    {
      method: "DELETE",
      headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` },
    },
  );
  expect(await bodyOf(response, 409)).toMatchObject({ code: "conflict" });
  expect(isResumed).toBe(true);
  expect(await bodyOf(await ask("/webhook", shop.key), 200)).toMatchObject([{ enabled: true }]);
  const json = { receiver_addresses: [shop.walletAccountId] };
  await bodyOf(await api(`/collection/${uuid}/mint`, { key: shop.key, json }), 201);
});

test("a ledger that was lost knows of the suspension again once it is restored, and until then its integration isn't deleted", async () => {
  const shop = await createIntegration("Lost shop");
  await bodyOf(await change(shop.integrationUuid, { suspended: true }), 200);
  await loseObject(shop.integrationUuid);
  expect(await bodyOf(await remove(shop.integrationUuid, "?leave_funds=true"), 503)).toMatchObject({
    code: "wallet_inactive",
  });
  for (const action of ["restore", "activate"])
    await bodyOf(await admin(`${at(shop.integrationUuid)}/wallet/${action}`, { method: "POST" }), 200);
  const [meta] = await inLedger<{ suspended_at: number }>(
    shop.integrationUuid,
    "SELECT suspended_at FROM meta",
  );
  expect(meta?.suspended_at).toBeGreaterThan(0);
  await bodyOf(await remove(shop.integrationUuid, "?leave_funds=true"), 200);
});

test("deleting an integration requires that it is suspended, and that its wallet is empty or may keep its money", async () => {
  const shop = await createIntegration("Rich shop");
  expect(await bodyOf<{ message: string }>(await remove(shop.integrationUuid), 409)).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("Suspend the integration first"),
  });
  await bodyOf(await change(shop.integrationUuid, { suspended: true }), 200);
  const rich = await bodyOf<{ message: string }>(await remove(shop.integrationUuid), 409);
  expect(rich.message).toMatch(new RegExp(`^The wallet ${shop.walletAccountId} has [\\d.]+ NEAR to spend`));
  expect(await bodyOf(await remove(shop.integrationUuid, "?leave_funds=true"), 200)).toMatchObject({
    integration_uuid: shop.integrationUuid,
    state: "deleted",
  });
});

describe("deleting an integration", () => {
  let shop: TestIntegration;

  beforeAll(async () => {
    shop = await createIntegration("Closing shop");
    await createCollection(shop, { copies: [3] });
    const json = { contract_uuid: shop.contractUuid, title: "Left over" };
    await bodyOf(await api("/collection-draft", { key: shop.key, json }), 201);
    await bodyOf(await api("/webhook", { key: shop.key, json: { url: "http://localhost:9/" } }), 201);
    await bodyOf(await change(shop.integrationUuid, { suspended: true }), 200);
    await bodyOf(await remove(shop.integrationUuid, "?leave_funds=true"), 200);
  });

  test("deletes its keys, and refuses new ones", async () => {
    expect(await bodyOf(await api("/collection", { key: shop.key }), 401)).toMatchObject({
      code: "api_key_revoked",
    });
    const keys = await bodyOf<{ revoked_at: string | null }[]>(
      await admin(at(shop.integrationUuid, "/key")),
      200,
    );
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.every((key) => key.revoked_at !== null)).toBe(true);
    const gone = { code: "conflict", message: "This integration was deleted. Create another one." };
    for (const [path, json] of [
      ["/key", { name: "k" }],
      ["/contract", { name: "N", symbol: "S" }],
      ["/contract/adopt", { account_id: shop.contractAccountId }],
    ] as const) {
      expect(await bodyOf(await admin(at(shop.integrationUuid, path), { json }), 409)).toMatchObject(gone);
    }
    expect(await bodyOf(await change(shop.integrationUuid, { suspended: false }), 409)).toMatchObject(gone);
    expect(await bodyOf(await remove(shop.integrationUuid), 409)).toMatchObject(gone);
  });

  test("removes it from every list except that of deleted ones, and its wallet can still be read", async () => {
    const all = await bodyOf<Shown[]>(await admin("/integration"), 200);
    expect(all.map(({ integration_uuid }) => integration_uuid)).not.toContain(shop.integrationUuid);
    expect(await named("Closing shop")).toEqual([]);
    expect(await named("Closing shop", "&deleted=true")).toMatchObject([{ state: "deleted" }]);
    await bodyOf(await admin(at(shop.integrationUuid)), 200);
    await bodyOf(await admin(at(shop.integrationUuid, "/wallet")), 200);
  });

  test("deletes its drafts with the next schedule, and keeps its collections", async () => {
    const count = (what: string) =>
      // Inside: what is left of a deleted integration, which has no key to ask with.
      env.DB.prepare(`SELECT count(*) AS n FROM ${what}`)
        .bind(Buffer.from(shop.integrationUuid.replaceAll("-", ""), "hex"))
        .first<number>("n");
    expect(await count("drafts WHERE integration_id = ? AND state = 'draft'")).toBe(1);
    await background.reconcile();
    expect(await count("drafts WHERE integration_id = ? AND state = 'draft'")).toBe(0);
    expect(await count("webhooks WHERE integration_id = ?")).toBe(0);
    expect(await count("collections WHERE integration_id = ?")).toBe(1);
  });
});

import { env, exports } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { AdminClient } from "../../client/src/admin.ts";
import { MintageClient } from "../../client/src/index.ts";
import {
  admin,
  api,
  apiWith,
  BASE,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { failingD1 } from "../support/database.ts";
import { background } from "../support/operations.ts";

interface Entry {
  readonly seq: number;
  readonly timestamp: string;
  readonly action: string;
  readonly subject_uuid: string | null;
  readonly changes: Readonly<Record<string, unknown>>;
  readonly actor: {
    readonly type: string;
    readonly key_uuid: string | null;
    readonly name: string | null;
    readonly network: string;
  };
}

let shop: TestIntegration;
let collection: string;
/** What the log has at first. */
let begun: Entry[];

beforeAll(async () => {
  shop = await createIntegration("Audited");
  collection = (await createCollection(shop, { copies: [5] })).collection_uuid;
  begun = await entries();
});

const entries = async (after = 0, key = shop.key): Promise<Entry[]> =>
  bodyOf(await api(`/audit?after=${after}`, { key }), 200);
/** The entries that something adds. */
const added = async (work: () => Promise<Response>): Promise<Entry[]> => {
  const before = (await entries()).at(-1)!.seq;
  const answer = await work();
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return entries(before);
};
const from = (address: string) => ({ "CF-Connecting-IP": address });

const limitTo = async ({ integrationUuid }: TestIntegration, audit_entries: number) =>
  bodyOf(
    await admin(`/integration/${integrationUuid}/limits`, { method: "PUT", json: { audit_entries } }),
    200,
  );
const usedBy = async (key: string) =>
  (
    await bodyOf<{ limits: { used: { audit_entries: number; database_bytes: number } } }>(
      await api("/me", { key }),
      200,
    )
  ).limits.used;

test("a full audit log refuses what it would record, and neither mints, deletions nor rotations", async () => {
  const other = await createIntegration("Restless");
  const { collection_uuid: uuid } = await createCollection(other, { copies: [5] });
  const { key } = other;
  const change = (enabled: boolean) => putPage(key, uuid, { slug: "restless-geese", enabled });
  const hook = await bodyOf<{ webhook_uuid: string }>(
    await api("/webhook", { key, json: { url: "https://hooks.example.com/r" } }),
    201,
  );
  const till = await bodyOf<{ key_uuid: string }>(
    await api("/key", { key, json: { name: "Till", scopes: ["mint"] } }),
    201,
  );
  const before = await usedBy(key);
  expect(before.audit_entries).toBe((await entries(0, key)).length);
  await bodyOf(await change(true), 200);
  // Entries take nothing of what mints need.
  expect(await usedBy(key)).toEqual({ ...before, audit_entries: before.audit_entries + 1 });
  // The change of the limit is an entry, too.
  const limit = before.audit_entries + 5;
  await limitTo(other, limit);
  const statuses: number[] = [];
  for (let times = 0; times < 5; times += 1) {
    const answer = await change(times % 2 === 1);
    await answer.body?.cancel();
    statuses.push(answer.status);
  }
  // The last changes nothing, and isn't recorded.
  expect(statuses).toEqual([200, 200, 200, 403, 200]);
  expect((await usedBy(key)).audit_entries).toBe(limit);
  const refusal = {
    code: "quota_exceeded",
    message: expect.stringContaining("except deletions and rotations"),
    quota: { limit: "audit_entries", used: limit, max: limit },
  };
  const receiver_addresses = await createReceivers(1);
  const writes: [string, string, object][] = [
    ["PUT", `/collection/${uuid}/page`, { slug: "restless-swans", enabled: true }],
    ["PUT", `/webhook/${hook.webhook_uuid}`, { description: "a" }],
    ["POST", "/webhook", { url: "https://hooks.example.com/s" }],
    ["POST", "/key", { name: "k", scopes: ["mint"] }],
    ["PUT", `/collection/${uuid}`, { ongoing_royalties: { [receiver_addresses[0]!]: 5 } }],
  ];
  for (const [method, path, json] of writes) {
    expect(await bodyOf(await api(path, { key, method, json }), 403), path).toMatchObject(refusal);
    const headers = { "idempotency-key": `full ${path}` };
    expect(await bodyOf(await api(path, { key, method, json, headers }), 403), path).toMatchObject(refusal);
  }
  await bodyOf(await api(`/collection/${uuid}/mint`, { key, json: { receiver_addresses } }), 201);
  await bodyOf(await api(`/key/${till.key_uuid}/rotate`, { key, method: "POST" }), 200);
  await bodyOf(await api(`/webhook/${hook.webhook_uuid}/rotate`, { key, method: "POST" }), 200);
  expect((await entries(limit, key)).map(({ action }) => action)).toEqual([
    "key.rotated",
    "webhook.secret_rotated",
  ]);
  // The operator isn't limited, and rotations are from twice the limit on.
  await limitTo(other, 1);
  expect(await bodyOf(await api(`/key/${till.key_uuid}/rotate`, { key, method: "POST" }), 403)).toMatchObject(
    { quota: { limit: "audit_entries" } },
  );
  for (const path of [`/webhook/${hook.webhook_uuid}`, `/key/${till.key_uuid}`])
    expect((await api(path, { key, method: "DELETE" })).status).toBe(204);
  await limitTo(other, 100_000);
  await bodyOf(await change(true), 200);
});

test("a request that changes nothing leaves no audit entry, with and without an Idempotency-Key", async () => {
  const { key } = shop;
  const json = {
    slug: "still-geese",
    enabled: true,
    theme: { accent: "#1f6f54" },
    links: [{ label: "a", url: "https://a.example" }],
  };
  const hook = await bodyOf<{ webhook_uuid: string }>(
    await api("/webhook", { key, json: { url: "https://hooks.example.com/still", types: ["nft.minted"] } }),
    201,
  );
  const writes: [string, object][] = [
    [`/collection/${collection}/page`, json],
    [
      `/webhook/${hook.webhook_uuid}`,
      { types: ["nft.minted", "nft.updated"], description: "d", enabled: false },
    ],
  ];
  for (const [path, body] of writes) {
    const put = (more = {}, headers = {}) =>
      api(path, { key, method: "PUT", json: { ...body, ...more }, headers });
    expect(await added(() => put())).toHaveLength(1);
    expect(await added(() => put())).toEqual([]);
    expect(await added(() => put({}, { "idempotency-key": `still ${path}` }))).toEqual([]);
    expect(await added(() => put({ enabled: body !== json }))).toHaveLength(1);
  }
  const [page] = writes as [[string, object]];
  for (const more of [{ theme: null }, { links: [] }, { slug: "stiller-geese" }])
    expect(
      await added(() => api(page[0], { key, method: "PUT", json: { ...json, ...more } })),
      JSON.stringify(more),
    ).toHaveLength(1);
});

test("an audit log begins with what the operator did", async () => {
  const all = begun.slice(0, 4);
  expect(all.map(({ action }) => action)).toEqual([
    "integration.created",
    "contract.deployed",
    "key.created",
    "key.created",
  ]);
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
  expect(new Set(all.map(({ actor }) => actor.type))).toEqual(new Set(["operator"]));
});

test("the audit log has changes of keys, with who made them and from which network", async () => {
  const headers = from("203.0.113.77");
  let made: { key_uuid: string; api_key: string } | undefined;
  const [created, ...none] = await added(async () => {
    const answer = await api("/key", { key: shop.key, json: { name: "Till", scopes: ["mint"] }, headers });
    made = await answer.clone().json();
    return answer;
  });
  expect(none).toEqual([]);
  expect(created).toMatchObject({
    action: "key.created",
    subject_uuid: made!.key_uuid,
    changes: { name: "Till", scopes: ["mint"], collections: null },
    actor: { type: "key", name: "full", network: "203.0.113.0/24" },
  });
  const { key_uuid: uuid } = made!;
  const rotated = await added(() =>
    api(`/key/${uuid}/rotate`, { key: shop.key, method: "POST", headers: from("2001:db8:1:2:3::4") }),
  );
  expect(rotated).toMatchObject([{ action: "key.rotated", actor: { network: "2001:db8:1::/48" } }]);
  const deleted = await added(() => api(`/key/${uuid}`, { key: shop.key, method: "DELETE" }));
  expect(deleted).toMatchObject([{ action: "key.deleted", subject_uuid: uuid, actor: { network: "" } }]);
  const text = JSON.stringify(await entries());
  expect(text).not.toMatch(/mk_(live|test)_[\w-]{10}/);
  expect(text).not.toContain("203.0.113.77");
});

test("the audit log has changes of settings, the page, webhooks and payouts, and no mints", async () => {
  const key = shop.key;
  const change = { method: "PUT", key, json: { ongoing_royalties: { [shop.walletAccountId]: 5 } } };
  const [settings] = await added(() => api(`/collection/${collection}`, change));
  expect(settings).toMatchObject({
    action: "settings.changed",
    subject_uuid: collection,
    changes: { ongoing_royalties: { [shop.walletAccountId]: 5 }, operation_uuid: expect.any(String) },
  });
  const page = await added(() => putPage(key, collection, { slug: "audited-geese", enabled: true }));
  expect(page).toMatchObject([{ action: "page.changed", changes: { slug: "audited-geese", enabled: true } }]);
  const about = { slug: "audited-geese", enabled: true, about: "Geese.", creator: { name: "Ada" } };
  expect(await added(() => putPage(key, collection, about))).toMatchObject([
    { action: "page.changed", changes: { about: "Geese.", creator: { name: "Ada" } } },
  ]);
  expect(await added(() => putPage(key, collection, about))).toEqual([]);
  let uuid = "";
  const json = { url: "https://shop.example.com/hook" };
  const created = await added(async () => {
    const answer = await api("/webhook", { key, json });
    uuid = (await answer.clone().json<{ webhook_uuid: string }>()).webhook_uuid;
    return answer;
  });
  const changed = await added(() =>
    api(`/webhook/${uuid}`, { method: "PUT", key, json: { enabled: false } }),
  );
  const headers = { "idempotency-key": "changes-a-webhook" };
  const again = await added(() =>
    api(`/webhook/${uuid}`, { method: "PUT", key, json: { enabled: true }, headers }),
  );
  const rotated = await added(() => api(`/webhook/${uuid}/rotate`, { method: "POST", key }));
  const deleted = await added(() => api(`/webhook/${uuid}`, { method: "DELETE", key }));
  expect([...created, ...changed, ...again, ...rotated, ...deleted]).toMatchObject([
    { action: "webhook.created", changes: json },
    { action: "webhook.changed", changes: { enabled: false } },
    { action: "webhook.changed", changes: { enabled: true } },
    { action: "webhook.secret_rotated" },
    { action: "webhook.deleted" },
  ]);
  expect(JSON.stringify(await entries())).not.toContain("whsec_");
  const [receiver] = await createReceivers(1);
  const account = `/integration/${shop.integrationUuid}/payout-account`;
  const set = await added(() => admin(account, { method: "PUT", json: { account_id: receiver } }));
  expect(set).toMatchObject([
    { action: "payout_account.changed", changes: { account_id: receiver }, actor: { type: "operator" } },
  ]);
  const paid = await added(() => api("/wallet/payout", { key, json: { amount: String(10n ** 22n) } }));
  expect(paid).toMatchObject([{ action: "payout.requested", changes: { amount: String(10n ** 22n) } }]);
  const body = { receiver_addresses: [receiver] };
  expect(await added(() => api(`/collection/${collection}/mint`, { key, json: body }))).toEqual([]);
});

test("the audit log has the operator's changes of limits, keys and the integration", async () => {
  const path = `/integration/${shop.integrationUuid}`;
  const limits = await added(() => admin(`${path}/limits`, { method: "PUT", json: { drafts: 7 } }));
  expect(limits).toMatchObject([
    {
      action: "limits.changed",
      changes: { drafts: 7 },
      actor: { type: "operator", key_uuid: null, name: null },
    },
  ]);
  const renamed = await added(() => admin(path, { method: "PUT", json: { name: "Renamed" } }));
  expect(renamed).toMatchObject([{ action: "integration.changed", changes: { name: "Renamed" } }]);
  const issued = await added(() => admin(`${path}/key`, { json: { name: "By hand", role: "read" } }));
  expect(issued).toMatchObject([{ action: "key.created", changes: { name: "By hand", scopes: ["read"] } }]);
  const gone = await added(() => admin(`${path}/key/${issued[0]!.subject_uuid}`, { method: "DELETE" }));
  expect(gone).toMatchObject([{ action: "key.deleted" }]);
  expect(await added(() => admin(`${path}/key/${issued[0]!.subject_uuid}`, { method: "DELETE" }))).toEqual(
    [],
  );
});

test("a refused or failed change leaves no audit entry", async () => {
  const before = (await entries()).length;
  await bodyOf(await api("/key", { key: shop.key, json: { name: "k", scopes: ["none"] } }), 400);
  await bodyOf(await api(`/key/${crypto.randomUUID()}`, { key: shop.key, method: "DELETE" }), 404);
  // The statement of the change fails, so that the whole batch is rolled back.
  const DB = failingD1(async (sql) => (/insert into "api_keys"/.test(sql) ? "before" : null));
  const { response } = await apiWith({ DB }, "/key", {
    key: shop.key,
    json: { name: "k", scopes: ["read"] },
  });
  expect(response.status).toBeGreaterThanOrEqual(500);
  await response.body?.cancel();
  expect(await entries()).toHaveLength(before);
});

test("the audit log is read in pages by `after`, or as one line of JSON for each entry", async () => {
  const { key } = await createIntegration("Paged");
  const all = await entries(0, key);
  const page = await api("/audit?limit=2", { key });
  expect(await bodyOf(page.clone(), 200)).toEqual(all.slice(0, 2));
  expect(page.headers.get("link")).toContain("after=2");
  const lines = await api(`/audit?after=${all.at(-3)!.seq}`, {
    key,
    headers: { accept: "application/x-ndjson" },
  });
  expect(lines.headers.get("content-type")).toBe("application/x-ndjson");
  const text = Buffer.from(await lines.arrayBuffer()).toString();
  expect(text.endsWith("\n")).toBe(true);
  expect(
    text
      .trim()
      .split("\n")
      .map((line: string) => JSON.parse(line)),
  ).toEqual(all.slice(-2));
  await bodyOf(await api("/audit?after=-1", { key: shop.key }), 400);
});

/** The entries of an export, an entry a line. */
const exported = async (lines: ReadableStream<Uint8Array>): Promise<Entry[]> =>
  (await new Response(lines).text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
const client = {
  baseUrl: BASE,
  fetch: (url: RequestInfo | URL, init?: RequestInit) =>
    exports.default.fetch(new Request(url as string, init)),
};

test("entries of a deleted key are still listed and exported, with the key's name", async () => {
  const json = { name: "Hooks", scopes: ["webhooks"] };
  const { api_key: key, key_uuid } = await bodyOf<{ api_key: string; key_uuid: string }>(
    await api("/key", { key: shop.key, json }),
    201,
  );
  const created = await added(() =>
    api("/webhook", { key, json: { url: "https://hooks.example.com/gone" } }),
  );
  const actor = { type: "key", key_uuid, name: "Hooks" };
  expect(created).toMatchObject([{ action: "webhook.created", actor }]);
  expect((await api(`/key/${key_uuid}`, { key: shop.key, method: "DELETE" })).status).toBe(204);
  const all = await entries();
  expect(all.slice(-2)).toMatchObject([
    { action: "webhook.created", actor },
    { action: "key.deleted", subject_uuid: key_uuid, actor: { name: "full" } },
  ]);
  const mintage = new MintageClient({ ...client, apiKey: shop.key });
  expect(await exported(await mintage.auditLines())).toEqual(all);
  expect(await exported(await mintage.auditLines({ after: all.at(-3)!.seq }))).toEqual(all.slice(-2));
});

test("the audit log of a deleted integration is left to the operator", async () => {
  const { integrationUuid, key } = await createIntegration("Leaving");
  await bodyOf(await api("/key", { key, json: { name: "Till", scopes: ["mint"] } }), 201);
  const before = await entries(0, key);
  const path = `/integration/${integrationUuid}`;
  await bodyOf(await admin(path, { method: "PUT", json: { suspended: true } }), 200);
  await bodyOf(await admin(`${path}?leave_funds=true`, { method: "DELETE" }), 200);
  expect((await api("/audit", { key })).status).toBe(401);
  await background.reconcile();
  const listed = await bodyOf<Entry[]>(await admin(`${path}/audit`), 200);
  expect(listed.slice(0, before.length)).toEqual(before);
  expect(listed.slice(before.length).map(({ action }) => action)).toEqual([
    "integration.changed",
    "integration.deleted",
  ]);
  const page = await admin(`${path}/audit?after=1&limit=1`);
  expect(page.headers.get("link")).toContain(`/admin/v1${path}/audit?after=2`);
  expect(await bodyOf(page, 200)).toEqual(listed.slice(1, 2));
  const operator = new AdminClient({ ...client, adminToken: env.ADMIN_TOKEN });
  expect(await exported(await operator.auditLines(integrationUuid))).toEqual(listed);
  await bodyOf(await admin(`/integration/${crypto.randomUUID()}/audit`), 404);
  expect((await api(`/admin/v1${path}/audit`, { key: shop.key })).status).toBe(401);
});

test("the audit log is the integration's own, and requires a key with the scope full", async () => {
  const other = await createIntegration("Curious");
  expect((await entries(0, other.key)).map(({ subject_uuid: uuid }) => uuid)).not.toContain(collection);
  await bodyOf(await api("/audit", { key: shop.readKey }), 403);
  for (const method of ["POST", "PUT", "DELETE"])
    expect((await api("/audit", { key: shop.key, method, json: {} })).status).toBe(405);
});

test("audit entries are deleted by their own age, whatever entries with their numbers others have", async () => {
  const [half, whole] = [await createIntegration("Half old"), await createIntegration("All old")];
  const all = await entries(0, half.key);
  expect(all.length).toBeGreaterThan(2);
  // Inside: of one integration, entries that are older than others by more than 400 days.
  const old = env.DB.prepare(
    "UPDATE audit_entries SET created_at = 0 WHERE integration_id = unhex(?) AND seq <= ?",
  );
  for (const [{ integrationUuid }, last] of [
    [half, 1],
    [whole, 1_000],
  ] as const)
    await old.bind(integrationUuid.replaceAll("-", ""), last).run();
  await background.reconcile();
  expect(await entries(0, half.key)).toEqual(all.slice(1));
  expect(await entries(0, whole.key)).toHaveLength(1);
});

test("audit entries are kept for 400 days, and their numbers aren't reused", async () => {
  const all = await entries();
  await background.reconcile(399 * 86_400_000);
  expect(await entries()).toEqual(all);
  await background.reconcile(401 * 86_400_000);
  // Inside: the keys have lost nothing, but a request at that time would find other things expired.
  const rows = await env.DB.prepare("SELECT seq FROM audit_entries WHERE integration_id = unhex(?)")
    .bind(shop.integrationUuid.replaceAll("-", ""))
    .all<{ seq: number }>();
  expect(rows.results).toEqual([{ seq: all.at(-1)!.seq }]);
  const more = await added(() => api("/key", { key: shop.key, json: { name: "Later", scopes: ["read"] } }));
  expect(more.map(({ seq }) => seq)).toEqual([all.at(-1)!.seq + 1]);
});

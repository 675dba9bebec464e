import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import {
  admin,
  api,
  apiWith,
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
let first: number;

beforeAll(async () => {
  shop = await createIntegration("Audited");
  collection = (await createCollection(shop, { copies: [5] })).collection_uuid;
  first = (await entries()).at(-1)!.seq;
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

test("a key fills no more of the database by changing settings to and fro than its integration's share", async () => {
  const other = await createIntegration("Restless");
  const { collection_uuid: uuid } = await createCollection(other, { copies: [1] });
  const change = (enabled: boolean) => putPage(other.key, uuid, { slug: "restless-geese", enabled });
  const hook = await bodyOf<{ webhook_uuid: string }>(
    await api("/webhook", { key: other.key, json: { url: "https://hooks.example.com/r" } }),
    201,
  );
  const used = async () =>
    (
      await bodyOf<{ limits: { used: { database_bytes: number } } }>(
        await api("/me", { key: other.key }),
        200,
      )
    ).limits.used.database_bytes;
  const before = await used();
  await bodyOf(await change(true), 200);
  const bytes = (await used()) - before;
  // Inside: no answer says what an entry takes.
  const { size } = (await env.DB.prepare(
    `SELECT octet_length(changes) + octet_length(actor) AS size FROM audit_entries
     WHERE integration_id = unhex(?) ORDER BY seq DESC LIMIT 1`,
  )
    .bind(other.integrationUuid.replaceAll("-", ""))
    .first<{ size: number }>())!;
  expect(bytes).toBe(512 + size);
  const limit = (await used()) + 5 * bytes;
  await bodyOf(
    await admin(`/integration/${other.integrationUuid}/limits`, {
      method: "PUT",
      json: { database_bytes: limit },
    }),
    200,
  );
  const answers: number[] = [];
  for (let times = 0; times < 8; times += 1) {
    const answer = await change(times % 2 === 0);
    await answer.body?.cancel();
    answers.push(answer.status);
  }
  expect(answers.slice(0, 2)).toEqual([200, 200]);
  expect(answers.at(-1)).toBe(403);
  expect(await used()).toBeLessThanOrEqual(limit);
  const refused = await change(true);
  expect(await bodyOf(refused, 403)).toMatchObject({
    code: "quota_exceeded",
    quota: { limit: "database_bytes" },
  });
  for (const description of ["a", "b"]) {
    const path = `/webhook/${hook.webhook_uuid}`;
    const answer = await api(path, { key: other.key, method: "PUT", json: { description } });
    expect(answer.status).toBe(403);
    await answer.body?.cancel();
  }
  // What ends something isn't refused.
  expect((await api(`/webhook/${hook.webhook_uuid}`, { key: other.key, method: "DELETE" })).status).toBe(204);
});

test("an audit log begins with what the operator did", async () => {
  const all = (await entries()).slice(0, 4);
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
  const all = await entries();
  const page = await api("/audit?limit=2", { key: shop.key });
  expect(await bodyOf(page.clone(), 200)).toEqual(all.slice(0, 2));
  expect(page.headers.get("link")).toContain("after=2");
  const lines = await api(`/audit?after=${all.at(-3)!.seq}`, {
    key: shop.key,
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

test("the audit log is the integration's own, and requires a key with the scope full", async () => {
  const other = await createIntegration("Curious");
  expect((await entries(0, other.key)).map(({ subject_uuid: uuid }) => uuid)).not.toContain(collection);
  await bodyOf(await api("/audit", { key: shop.readKey }), 403);
  for (const method of ["POST", "PUT", "DELETE"])
    expect((await api("/audit", { key: shop.key, method, json: {} })).status).toBe(405);
});

test("audit entries are kept for 400 days, and their numbers aren't reused", async () => {
  const all = await entries();
  expect(first).toBeGreaterThan(0);
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

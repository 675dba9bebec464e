import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, test } from "vitest";
// Inside: no request gives the clean-up of keys a clock that ends its time.
import { forgetExpiredKeys } from "../../src/operator/jobs/clean-up.ts";
import { picture } from "../../testing/pictures.ts";
import { admin, api, bodyOf } from "../support/api.ts";
import { background, serviceContext } from "../support/operations.ts";
import { formOf, newTenant, type Tenant } from "../support/uploads.ts";

/** What a client can do to change its usage. */
const step = fc.record({
  what: fc.constantFrom("create", "change", "attach", "drop asset", "drop draft", "repeat", "expire"),
  which: fc.nat(20),
  size: fc.integer({ min: 1, max: 30 }),
  withKey: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The migration's own statement, which counts all rows again. */
const recount = async (): Promise<void> => {
  // Inside: counters are compared with the rows that they count.
  await env.DB.prepare(`UPDATE integrations SET
  stored_bytes = coalesce((
    SELECT sum(asset.size + coalesce(reference.size, 0)) FROM draft_assets
    JOIN drafts ON drafts.id = draft_assets.draft_id
    JOIN blobs AS asset ON asset.sha256 = draft_assets.sha256
    LEFT JOIN blobs AS reference ON reference.sha256 = draft_assets.reference_sha256
    WHERE drafts.integration_id = integrations.id), 0)
  + coalesce((
    SELECT sum(blobs.size) FROM collections
    JOIN collection_blobs ON collection_blobs.collection_id = collections.id
    JOIN blobs ON blobs.sha256 = collection_blobs.sha256
    WHERE collections.integration_id = integrations.id), 0),
  database_bytes = coalesce((
    SELECT sum(512 + octet_length(settings)) FROM drafts WHERE integration_id = integrations.id), 0)
  + coalesce((
    SELECT sum(512 + octet_length(filename) + coalesce(octet_length(reference_filename), 0)
      + coalesce(octet_length(subtitle), 0))
    FROM draft_assets JOIN drafts ON drafts.id = draft_assets.draft_id
    WHERE drafts.integration_id = integrations.id), 0)
  + coalesce((
    SELECT sum(512 + octet_length(key) + coalesce(octet_length(body), 0)) FROM idempotency_keys
    WHERE integration_id = integrations.id), 0)`).run();
};

const counters = async ({ integrationId }: Tenant) =>
  env.DB.prepare("SELECT stored_bytes, database_bytes FROM integrations WHERE lower(hex(id)) = ?")
    .bind(integrationId.replaceAll("-", ""))
    .first();

let seed = 0;

/** One integration, and the steps of a run. */
class Client {
  readonly #tenant: Tenant;
  readonly #drafts: string[];
  #last: (() => Promise<Response>) | null = null;

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
    this.#drafts = [tenant.draftId];
  }

  async take({ what, which, size, withKey }: Step): Promise<void> {
    const headers = withKey ? { "idempotency-key": crypto.randomUUID() } : undefined;
    const draft = this.#drafts[which % this.#drafts.length] ?? crypto.randomUUID();
    const address = `/collection-draft/${draft}`;
    const key = this.#tenant.key;
    const title = "é".repeat(size);
    if (what === "repeat") return void (await this.#last?.().then((answer) => answer.text()));
    if (what === "expire") {
      await env.DB.prepare("UPDATE idempotency_keys SET expires_at = 1").run();
      return background.reconcile();
    }
    const sends: Record<string, () => Promise<Response>> = {
      create: () =>
        api("/collection-draft", { key, headers, json: { contract_uuid: this.#tenant.contractId, title } }),
      change: () => api(address, { key, headers, method: "PUT", json: { title, description: title } }),
      attach: () => api(`${address}/asset-bulk`, { key, headers, form: this.#form(which, size) }),
      "drop asset": async () => {
        const assets = await bodyOf<{ asset_uuid: string }[]>(
          await api(`${address}/asset`, { key }),
          200,
        ).catch(() => []);
        const asset = assets[which % Math.max(assets.length, 1)]?.asset_uuid ?? crypto.randomUUID();
        return api(`${address}/asset/${asset}`, { key, headers, method: "DELETE" });
      },
      "drop draft": () => api(address, { key, headers, method: "DELETE" }),
    };
    const send = sends[what]!;
    const answer = await send();
    const text = await answer.text();
    if (answer.status >= 500) throw new Error(`${what}: ${answer.status} ${text}`);
    if (what === "create")
      this.#drafts.push((JSON.parse(text) as { collection_draft_uuid: string }).collection_draft_uuid);
    this.#last = withKey && what !== "attach" ? send : null;
  }

  #form(which: number, size: number): FormData {
    const files = Array.from({ length: 1 + (which % 3) }, (_, index) => ({
      name: `${++seed}-${index}.png`,
      bytes: picture("png", which, 400 + size),
    }));
    const reference = { name: `${seed}.json`, bytes: JSON.stringify({ size }), part: "reference_file" };
    const details = files.map(({ name }) => ({
      asset_filename: name,
      copies: 1,
      asset_subtitle: "ü".repeat(size),
      reference_filename: reference.name,
    }));
    return formOf(details, [...files, reference]);
  }
}

test("the counters of used storage equal the stored rows, after any writes in any order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const tenant = await newTenant();
      await recount();
      const client = new Client(tenant);
      for (const each of steps) await client.take(each);
      const counted = await counters(tenant);
      await recount();
      expect(counted).toEqual(await counters(tenant));
    }),
    { numRuns: 25 },
  );
});

test("an answer that is stored in R2 counts as long as it is stored, and such answers have a limit", async () => {
  const tenant = await newTenant();
  const used = async () => (await counters(tenant))?.database_bytes as number;
  const accounts = Array.from({ length: 1_000 }, (_, index) => `${"x".repeat(54)}${index}.near`);
  const change = () =>
    api(`/collection-draft/${tenant.draftId}`, {
      key: tenant.key,
      method: "PUT",
      headers: { "idempotency-key": crypto.randomUUID() },
      json: { transfers_denied_accounts: accounts, approvals_denied_accounts: accounts },
    });
  const first = await bodyOf<object>(await change(), 200);
  const large = Buffer.byteLength(JSON.stringify(first));
  expect(large).toBeGreaterThan(64 * 1024);
  const before = await used();
  await bodyOf(await change(), 200);
  const weight = (await used()) - before;
  expect(weight).toBeGreaterThanOrEqual(large);
  expect(weight).toBeLessThan(large + 1_024);

  const path = `/integration/${tenant.integrationId}/limits`;
  const json = { database_bytes: (await used()) + 2 * weight - 10 };
  await bodyOf(await admin(path, { method: "PUT", json }), 200);
  await bodyOf(await change(), 200);
  await bodyOf(await change(), 200);
  const objects = (await env.BUCKET.list({ prefix: `response/${tenant.integrationId}/` })).objects;
  expect(objects).toHaveLength(4);
  expect(await bodyOf(await change(), 403)).toMatchObject({
    code: "quota_exceeded",
    quota: { limit: "database_bytes", max: json.database_bytes },
  });
  expect((await env.BUCKET.list({ prefix: `response/${tenant.integrationId}/` })).objects).toHaveLength(4);

  await env.DB.prepare("UPDATE idempotency_keys SET expires_at = 1").run();
  await forgetExpiredKeys(serviceContext());
  expect((await env.BUCKET.list({ prefix: `response/${tenant.integrationId}/` })).objects).toEqual([]);
  await recount();
  expect(await used()).toBeLessThan(before - large);
  await bodyOf(await change(), 200);
});

/** Adds expired keys of a tenant, every hundredth with its answer in R2. */
const expire = async ({ integrationId }: Tenant, count: number): Promise<void> => {
  const large = Array.from(
    { length: Math.ceil(count / 100) },
    (_, index) => `response/${integrationId}/${index}`,
  );
  await Promise.all(large.map((name) => env.BUCKET.put(name, "{}")));
  await env.DB.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?2)
    INSERT INTO idempotency_keys (integration_id, key, fingerprint, status, body, created_at, expires_at)
    SELECT unhex(?1), 'é' || n, randomblob(16), 201,
      iif(n % 100 = 0, 'r2:response/' || ?3 || '/' || (n / 100), '{}'), 1, 1 FROM numbers`,
  )
    .bind(integrationId.replaceAll("-", ""), count, integrationId)
    .run();
};

/** Keys of all integrations, and objects in R2 that hold answers. */
const kept = async (): Promise<number[]> => {
  const row = await env.DB.prepare("SELECT COUNT(*) AS n FROM idempotency_keys").first<{ n: number }>();
  return [row?.n ?? 0, (await env.BUCKET.list({ prefix: "response/" })).objects.length];
};

test("expired keys of all integrations are deleted with their answers, and no longer counted", async () => {
  const tenants = [await newTenant(), await newTenant()];
  const time = new Date();
  const clock = (stepMs: number) => {
    let now = time.getTime();
    const tick = () => {
      now += stepMs;
      return new Date(now);
    };
    return { ...serviceContext(), now: tick };
  };
  await forgetExpiredKeys(clock(0));
  const before = await kept();
  for (const tenant of tenants) await expire(tenant, 1_700);
  await recount();
  // A run without time left does one batch.
  await forgetExpiredKeys(clock(60_000));
  expect((await kept())[0]).toBe(before[0]! + 2_400);
  await forgetExpiredKeys(clock(0));
  expect(await kept()).toEqual(before);
  const counted = await Promise.all(tenants.map(counters));
  await recount();
  expect(counted).toEqual(await Promise.all(tenants.map(counters)));
});

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type ApiRequest,
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { failingAtEvents } from "../support/ledgers.ts";
import { background } from "../support/operations.ts";
import { later, until } from "../support/waiting.ts";

interface Key {
  readonly key_uuid: string;
  readonly name: string;
  readonly role: string;
  readonly scopes: readonly string[];
  readonly collections: readonly string[] | null;
  readonly spending_per_day: string | null;
  readonly confirm_above: string | null;
  readonly expires_at: string | null;
  readonly old_key_until: string | null;
  readonly api_key: string;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly { readonly path: readonly (string | number)[] }[];
}

let shop: TestIntegration;
let other: TestIntegration;
let collections: string[];

beforeAll(async () => {
  [shop, other] = [await createIntegration("Keys"), await createIntegration("Others")];
  const made = [await createCollection(shop, { copies: [9] }), await createCollection(shop, { copies: [9] })];
  collections = made.map(({ collection_uuid: uuid }) => uuid);
});

const make = (json: object, key = shop.key, more: ApiRequest = {}) => api("/key", { key, json, ...more });
const made = async (json: object, key = shop.key): Promise<Key> => bodyOf(await make(json, key), 201);
const issued = async (json: object): Promise<Key> =>
  bodyOf(await admin(`/integration/${shop.integrationUuid}/key`, { json: { name: "issued", ...json } }), 201);
const listed = async (key = shop.key): Promise<Key[]> => bodyOf(await api("/key", { key }), 200);
const remove = (uuid: string, key = shop.key) => api(`/key/${uuid}`, { key, method: "DELETE" });
const rotate = (uuid: string, key = shop.key, more: ApiRequest = {}) =>
  api(`/key/${uuid}/rotate`, { key, method: "POST", ...more });
const rotated = async (uuid: string): Promise<Key> => bodyOf(await rotate(uuid), 200);
const works = async (key: string): Promise<number> => {
  const answer = await api("/collection", { key });
  await answer.body?.cancel();
  return answer.status;
};

describe("a key that makes another key", () => {
  test("gives it its own limits if none are given, and shows it once", async () => {
    const key = await made({ name: "Checkout", scopes: ["mint", "read", "mint"] });
    expect(key).toMatchObject({
      ...{ name: "Checkout", role: "limited", scopes: ["mint", "read"], collections: null },
      ...{ spending_per_day: null, confirm_above: null, expires_at: null, old_key_until: null },
    });
    expect(await works(key.api_key)).toBe(200);
    const { api_key: text, ...shown } = key;
    const [first] = await listed();
    expect(first).toEqual({ ...shown, last_used_at: expect.any(String) });
    expect(JSON.stringify(await listed())).not.toContain(text);
  });

  test("gives it rights that GET /me shows", async () => {
    const limits = { spending_per_day: "5", confirm_above: "3", expires_at: "2090-01-01T00:00:00.000Z" };
    const key = await made({ name: "Limited", scopes: ["mint"], collections: [collections[0]], ...limits });
    const me = await bodyOf<{ key: object }>(await api("/me", { key: key.api_key }), 200);
    expect(me.key).toEqual({
      ...{ key_uuid: key.key_uuid, name: "Limited", role: "limited", scopes: ["mint"] },
      ...{ collections: [collections[0]], ...limits, spent_today: "0" },
    });
    const whole = await bodyOf<{ key: object }>(await api("/me", { key: shop.key }), 200);
    expect(whole.key).toMatchObject({ role: "full", scopes: ["full"], spent_today: null });
  });

  test("gives it at most its own rights", async () => {
    const limits = {
      collections: [collections[0]],
      spending_per_day: "1000",
      confirm_above: "100",
      expires_at: "2090-01-01T00:00:00.000Z",
    };
    const { api_key: maker } = await issued({ scopes: ["full"], ...limits });
    expect(await made({ name: "Same", scopes: ["full"] }, maker)).toMatchObject(limits);
    const less = { spending_per_day: "999", confirm_above: "0", expires_at: "2080-01-01T00:00:00.000Z" };
    expect(await made({ name: "Less", scopes: ["read"], ...less }, maker)).toMatchObject(less);
    const wider: [object, readonly (string | number)[]][] = [
      [{ collections: null }, ["collections"]],
      [{ collections: [collections[0], collections[1]] }, ["collections", 1]],
      [{ spending_per_day: null }, ["spending_per_day"]],
      [{ spending_per_day: "1001" }, ["spending_per_day"]],
      [{ confirm_above: null }, ["confirm_above"]],
      [{ confirm_above: "101" }, ["confirm_above"]],
      [{ expires_at: null }, ["expires_at"]],
      [{ expires_at: "2090-01-01T00:00:00.001Z" }, ["expires_at"]],
    ];
    const count = (await listed()).length;
    for (const [more, path] of wider) {
      const refusal = await bodyOf<Refusal>(
        await make({ name: "More", scopes: ["mint"], ...more }, maker),
        403,
      );
      expect(refusal.code).toBe("key_rights_exceeded");
      expect(refusal.issues.map((issue) => issue.path)).toEqual([path]);
    }
    expect(await listed()).toHaveLength(count);
  });

  test("needs the scope full, whatever other scopes it has", async () => {
    const scopes = ["drafts", "mint", "update", "settings", "money", "webhooks", "read"];
    const { api_key: key, key_uuid: uuid } = await made({ name: "All but full", scopes });
    for (const answer of [
      await make({ name: "k", scopes: ["read"] }, key),
      await api("/key", { key }),
      await rotate(uuid, key),
      await remove(uuid, key),
      await api("/audit", { key }),
    ]) {
      expect(await bodyOf<Refusal>(answer, 403)).toMatchObject({
        code: "scope_missing",
        message: expect.stringContaining("`full`"),
      });
    }
  });

  test.each([
    ["a name that turns text around", { name: "Till \u202e", scopes: ["read"] }, ["name"]],
    ["a name with a part of its own direction", { name: "\u2067Till", scopes: ["read"] }, ["name"]],
    ["a name with a control character", { name: "Till\u009b2J", scopes: ["read"] }, ["name"]],
    ["no scope", { scopes: [] }, ["scopes"]],
    ["an unknown scope", { scopes: ["admin"] }, ["scopes", 0]],
    ["no scopes at all", {}, ["scopes"]],
    ["a time that is past", { scopes: ["read"], expires_at: "2020-01-01T00:00:00Z" }, ["expires_at"]],
    ["an amount that is none", { scopes: ["read"], spending_per_day: "1 NEAR" }, ["spending_per_day"]],
    [
      "a collection that isn't there",
      { scopes: ["read"], collections: [crypto.randomUUID()] },
      ["collections", 0],
    ],
  ])("can't give it %s", async (_name, json, path) => {
    const refusal = await bodyOf<Refusal>(await make({ name: "k", ...json }), 400);
    expect(refusal.issues[0]?.path).toEqual(path);
  });

  test("can't give it another integration's collection", async () => {
    const { collection_uuid: theirs } = await createCollection(other, { copies: [1] });
    await bodyOf(await make({ name: "k", scopes: ["read"], collections: [theirs] }), 400);
  });

  test("makes one for each Idempotency-Key, and other keys can't get its answer", async () => {
    const headers = { "idempotency-key": "make-a-key" };
    const json = { name: "Once", scopes: ["read"] };
    const first = await bodyOf<Key>(await make(json, shop.key, { headers }), 201);
    const again = await make(json, shop.key, { headers });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(first);
    const { api_key: limited } = await issued({ collections: [collections[0]] });
    const stolen = await bodyOf<Refusal>(await make(json, limited, { headers }), 422);
    expect(stolen.code).toBe("idempotency_key_reused");
    // Inside: no request shows that the answer is kept sealed.
    const rows = await env.DB.prepare("SELECT body FROM idempotency_keys WHERE key = 'make-a-key'").all();
    expect(JSON.stringify(rows.results)).not.toContain(first.api_key);
  });

  test("can be followed by at most three more generations of keys with budgets", async () => {
    let { api_key: key } = await issued({ spending_per_day: "100" });
    for (let depth = 0; depth < 3; depth += 1)
      key = (await made({ name: "Deeper", scopes: ["full"], spending_per_day: String(99 - depth) }, key))
        .api_key;
    expect(await bodyOf(await make({ name: "k", scopes: ["read"] }, key), 409)).toMatchObject({
      code: "conflict",
    });
  });
});

describe("a rotation", () => {
  test("leaves both keys working for 24 hours, and then only the new one", async () => {
    const old = await made({ name: "Server", scopes: ["read"] });
    const fresh = await rotated(old.key_uuid);
    expect(fresh).toMatchObject({ key_uuid: old.key_uuid, name: "Server", scopes: ["read"] });
    expect(fresh.api_key).not.toBe(old.api_key);
    expect(Date.parse(fresh.old_key_until!) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect([await works(old.api_key), await works(fresh.api_key)]).toEqual([200, 200]);
    const almost = 24 * 3_600_000 - 30_000;
    expect(await later(almost, () => works(old.api_key))).toBe(200);
    const refused = await later(24 * 3_600_000 + 1, () => api("/collection", { key: old.api_key }));
    expect(await bodyOf<Refusal>(refused, 401)).toMatchObject({
      code: "api_key_revoked",
      message: expect.stringContaining("rotation"),
    });
    expect(await later(24 * 3_600_000 + 1, () => works(fresh.api_key))).toBe(200);
  });

  test("that is repeated ends the older key at once", async () => {
    const first = await made({ name: "Leaked", scopes: ["read"] });
    expect(await works(first.api_key)).toBe(200);
    const second = await rotated(first.key_uuid);
    const third = await rotated(first.key_uuid);
    // Other isolates have the key in their caches for five seconds.
    const refused = await api("/collection", { key: first.api_key });
    expect(await bodyOf(refused, 401)).toMatchObject({ code: "api_key_invalid" });
    expect([await works(second.api_key), await works(third.api_key)]).toEqual([200, 200]);
  });

  test("isn't for a key that was deleted or replaced elsewhere, even where it is still in the cache", async () => {
    const other = await made({ name: "Other", scopes: ["read"] });
    const change = (api_key: string) => [
      () => api(`/key/${other.key_uuid}/rotate`, { key: api_key, method: "POST" }),
      () => api("/key", { key: api_key, json: { name: "More", scopes: ["full"] } }),
      () => api(`/key/${other.key_uuid}`, { key: api_key, method: "DELETE" }),
    ];
    const deleted = await made({ name: "Deleted", scopes: ["full"] });
    const replaced = await made({ name: "Replaced", scopes: ["full"] });
    await rotated(replaced.key_uuid);
    for (const { api_key } of [deleted, replaced]) expect(await works(api_key)).toBe(200);
    // Inside: another isolate deletes a key, or ends the older text of one, which this isolate's cache doesn't know.
    const set = (change: string, { key_uuid }: Key) =>
      env.DB.prepare(`UPDATE api_keys SET ${change} WHERE id = unhex(?)`)
        .bind(key_uuid.replaceAll("-", ""))
        .run();
    await set("revoked_at = 1", deleted);
    await set("old_digest = NULL, old_digest_until = NULL", replaced);
    for (const { api_key } of [deleted, replaced]) {
      expect(await works(api_key)).toBe(200);
      for (const send of change(api_key)) expect((await send()).status).toBe(401);
    }
    expect(await works(other.api_key)).toBe(200);
  });

  test("causes no failed request of a shop under load", async () => {
    const old = await made({ name: "Busy", scopes: ["read"] });
    let isOver = false;
    const statuses: number[] = [];
    const load = async (text: () => string) => {
      while (!isOver) {
        statuses.push(await works(text()));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    let current = old.api_key;
    const shops = [load(() => old.api_key), load(() => current), load(() => current)];
    const fresh = await rotated(old.key_uuid);
    current = fresh.api_key;
    await until(async () => statuses.length >= 60);
    isOver = true;
    await Promise.all(shops);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("during writes with both texts refuses none of them, and none is done twice", async () => {
    const { collection_uuid: uuid } = await createCollection(shop, { copies: [60] });
    const [receiver] = await createReceivers(1);
    const old = await made({ name: "Till", scopes: ["mint", "read"], spending_per_day: String(10n ** 25n) });
    const orders = Array.from({ length: 24 }, (_, index) => `order-${index}-${uuid}`);
    const texts = { first: old.api_key, second: old.api_key };
    const seen: string[] = [];
    // Each server sends all orders, and again what another request with the key is still carrying out.
    const send = async (server: keyof typeof texts, order: string): Promise<string> => {
      const headers = { "idempotency-key": order };
      const json = { receiver_addresses: [receiver] };
      const answer = await api(`/collection/${uuid}/mint`, { key: texts[server], json, headers });
      const body = (await answer.json()) as { code?: string; tokens?: { token_id: string }[] };
      seen.push(`${answer.status} ${body.code ?? ""}`.trim());
      if (body.code === "idempotency_key_in_flight") return send(server, order);
      return body.tokens?.map(({ token_id: id }) => id).join() ?? "";
    };
    const serve = async (server: keyof typeof texts): Promise<string[]> => {
      const given: string[] = [];
      for (let from = 0; from < orders.length; from += 4) {
        const next = orders.slice(from, from + 4);
        given.push(...(await Promise.all(next.map((order) => send(server, order)))));
      }
      return given;
    };
    const servers = [serve("first"), serve("second")];
    await until(async () => seen.length >= 4);
    texts.first = (await rotated(old.key_uuid)).api_key;
    const [first, second] = await Promise.all(servers);
    expect(seen.filter((told) => told !== "201" && told !== "409 idempotency_key_in_flight")).toEqual([]);
    expect(first).toEqual(second);
    expect(new Set(first).size).toBe(orders.length);
    const tokens = await bodyOf<object[]>(await api(`/collection/${uuid}/token`, { key: shop.key }), 200);
    expect(tokens).toHaveLength(orders.length);
    // Both texts are one key, whose spending has each mint once.
    const spentBy = async (key: string) =>
      (await bodyOf<{ key: { spent_today: string } }>(await api("/me", { key }), 200)).key.spent_today;
    expect(await spentBy(texts.second)).toBe(await spentBy(texts.first));
  });

  test("that is sent twice at once gives one caller the new key and the other a conflict", async () => {
    const key = await made({ name: "Twice", scopes: ["read"] });
    const answers = await Promise.all([rotate(key.key_uuid), rotate(key.key_uuid)]);
    const texts: string[] = [];
    for (const answer of answers) {
      const body = (await answer.json()) as Partial<Key> & Partial<Refusal>;
      if (answer.status === 200) texts.push(body.api_key!);
      else expect([answer.status, body.code]).toEqual([409, "conflict"]);
    }
    expect(await works(texts.at(-1)!)).toBe(200);
  });

  test("is repeated under its Idempotency-Key with the same key", async () => {
    const key = await made({ name: "Again", scopes: ["read"] });
    const headers = { "idempotency-key": "rotate-again" };
    const first = await bodyOf<Key>(await rotate(key.key_uuid, shop.key, { headers }), 200);
    expect(await bodyOf(await rotate(key.key_uuid, shop.key, { headers }), 200)).toEqual(first);
    expect(await works(key.api_key)).toBe(200);
  });

  test("is refused to a key with a budget for keys that it didn't make", async () => {
    const budget = { scopes: ["full"], spending_per_day: "1000" };
    const [leaked, other] = [await issued(budget), await issued(budget)];
    expect(await bodyOf<Refusal>(await rotate(other.key_uuid, leaked.api_key), 403)).toMatchObject({
      code: "key_rights_exceeded",
      issues: [{ path: ["key_uuid"] }],
    });
    const own = await made({ name: "Own", scopes: ["read"] }, leaked.api_key);
    await bodyOf(await rotate(own.key_uuid, leaked.api_key), 200);
    await bodyOf(await rotate(leaked.key_uuid, leaked.api_key), 200);
    expect(await works(other.api_key)).toBe(200);
  });
});

describe("a deletion of a key", () => {
  test("ends the key with both of its texts, and removes it from every list", async () => {
    const key = await made({ name: "Gone", scopes: ["read"] });
    const fresh = await rotated(key.key_uuid);
    expect((await remove(key.key_uuid)).status).toBe(204);
    for (const text of [key.api_key, fresh.api_key]) {
      const refused = await api("/collection", { key: text });
      expect(await bodyOf(refused, 401)).toMatchObject({ code: "api_key_revoked" });
    }
    expect((await listed()).map(({ key_uuid: uuid }) => uuid)).not.toContain(key.key_uuid);
    for (const answer of [await remove(key.key_uuid), await rotate(key.key_uuid)])
      expect(await bodyOf(answer, 404)).toMatchObject({ code: "not_found" });
  });

  test("is, like a rotation, only possible within the integration", async () => {
    const key = await made({ name: "Mine", scopes: ["read"] });
    for (const answer of [await remove(key.key_uuid, other.key), await rotate(key.key_uuid, other.key)])
      expect(await bodyOf(answer, 404)).toMatchObject({ code: "not_found" });
    expect(await works(key.api_key)).toBe(200);
  });

  test("is, like a rotation, refused to a key with fewer rights, which doesn't see such keys in lists", async () => {
    const { api_key: limited, key_uuid: uuid } = await issued({ collections: [collections[0]] });
    const [whole] = (await listed()).filter(({ name }) => name === "full");
    for (const answer of [await remove(whole!.key_uuid, limited), await rotate(whole!.key_uuid, limited)])
      expect(await bodyOf(answer, 403)).toMatchObject({ code: "key_rights_exceeded" });
    const names = (await listed(limited)).map(({ collections: limits }) => limits);
    expect(names.length).toBeGreaterThan(0);
    expect(names).toEqual(names.map(() => [collections[0]]));
    expect((await rotate(uuid, limited)).status).toBe(200);
  });
});

describe("the events of keys", () => {
  interface Event {
    readonly type: string;
    readonly data: object;
  }
  const eventsSince = async (after: number): Promise<Event[]> =>
    bodyOf(await api(`/event?after=${after}`, { key: shop.key }), 200);
  const lastSeq = async (): Promise<number> => {
    const all = await bodyOf<{ seq: number }[]>(await api("/event", { key: shop.key }), 200);
    return all.at(-1)!.seq;
  };

  test("report that a key was made and rotated, without its text", async () => {
    const before = await lastSeq();
    const key = await made({ name: "Announced", scopes: ["mint"] });
    const fresh = await rotated(key.key_uuid);
    await remove(key.key_uuid);
    const events = await eventsSince(before);
    expect(events).toMatchObject([
      { type: "key.created", data: { key_uuid: key.key_uuid, name: "Announced", scopes: ["mint"] } },
      { type: "key.rotated", data: { key_uuid: key.key_uuid, old_key_until: fresh.old_key_until } },
    ]);
    for (const text of [key.api_key, fresh.api_key]) expect(JSON.stringify(events)).not.toContain(text);
  });

  test.each(["before", "after"] as const)(
    "report a key once though the ledger breaks %s it has the event",
    async (failure) => {
      const before = await lastSeq();
      const json = { name: "Announced late", scopes: ["mint"] };
      const WALLET = failingAtEvents(failure);
      await bodyOf((await apiWith({ WALLET }, "/key", { key: shop.key, json })).response, 201);
      await background.reconcile();
      await background.reconcile();
      expect((await eventsSince(before)).map(({ type }) => type)).toEqual(["key.created"]);
    },
  );

  test("report keys that the operator issues, and no refused request", async () => {
    const before = await lastSeq();
    await issued({ role: "read" });
    await bodyOf(await make({ name: "k", scopes: ["none"] }), 400);
    expect((await eventsSince(before)).map(({ type }) => type)).toEqual(["key.created"]);
  });
});

describe("a test key", () => {
  test("is made by a testnet service, works there, and is refused by other networks with an explanation", async () => {
    const testnet = { NEAR_NETWORK: "testnet", PUBLIC_URL: "https://mint.example.com" };
    const json = { name: "Test", scopes: ["read"] };
    const { response } = await apiWith(testnet, "/key", { key: shop.key, json });
    const { api_key: key } = await bodyOf<{ api_key: string }>(response, 201);
    expect(key).toMatch(/^mk_test_[\w-]{43}$/);
    expect((await apiWith(testnet, "/collection", { key })).response.status).toBe(200);
    expect(await bodyOf<Refusal>(await api("/api/v1/collection", { key }), 401)).toMatchObject({
      code: "api_key_invalid",
      message: expect.stringMatching(/test key, and the service is on devchain/),
    });
    expect((await made({ name: "Live", scopes: ["read"] })).api_key).toMatch(/^mk_live_/);
  });
});

test("the operator gives a key either scopes or a role", async () => {
  expect(await issued({ scopes: ["money"] })).toMatchObject({ role: "limited", scopes: ["money"] });
  expect(await issued({ role: "read" })).toMatchObject({ role: "read", scopes: ["read"] });
  expect(await issued({})).toMatchObject({ role: "full", scopes: ["full"] });
  const path = `/integration/${shop.integrationUuid}/key`;
  await bodyOf(await admin(path, { json: { name: "k", role: "read", scopes: ["read"] } }), 400);
});

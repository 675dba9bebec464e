import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { picture } from "../../testing/pictures.ts";
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
import { createCollection, type Finalized } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import type { Break } from "../support/failing-database.ts";
import { background } from "../support/operations.ts";
import { watched } from "../support/trips.ts";
import { formOf } from "../support/uploads.ts";

/** Writes that are no operations keep their answers in the batch that has their effect. */

let shop: TestIntegration;
let stranger: TestIntegration;
let made: Finalized;
let _receiver: string;

beforeAll(async () => {
  shop = await createIntegration("Shop");
  stranger = await createIntegration("Stranger");
  made = await createCollection(shop, { copies: [50] });
  [_receiver] = (await createReceivers(1)) as [string];
});

const HOOK = { url: "https://hooks.example.com/a", types: ["webhook.disabled"] };

afterEach(async () => {
  const hooks = await list<{ webhook_uuid: string }>("/webhook");
  for (const { webhook_uuid: uuid } of hooks)
    await api(`/webhook/${uuid}`, { key: shop.key, method: "DELETE" });
});

const list = async <T>(path: string): Promise<T[]> => bodyOf<T[]>(await api(path, { key: shop.key }), 200);

const rowsOf = async (table: string): Promise<number> =>
  // Inside: a request whose answer is lost must not change any row that the API doesn't show either.
  (await env.DB.prepare(`SELECT count(*) AS rows FROM ${table}`).first<{ rows: number }>())!.rows;

const allOf = async (table: string) => (await env.DB.prepare(`SELECT * FROM ${table}`).all()).results;

const newDraft = async (): Promise<string> => {
  const json = { contract_uuid: shop.contractUuid, title: "Herons" };
  const answer = await api("/collection-draft", { key: shop.key, json });
  const { collection_draft_uuid: uuid } = await bodyOf<{ collection_draft_uuid: string }>(answer, 201);
  return `/collection-draft/${uuid}`;
};

let pictures = 900;

const form = () => {
  pictures += 1;
  return formOf(
    [{ asset_filename: "a.png", copies: 1 }],
    [{ name: "a.png", bytes: picture("png", pictures) }],
  );
};

const newAsset = async (): Promise<string> => {
  const draft = await newDraft();
  const answer = await api(`${draft}/asset-bulk`, { key: shop.key, form: form() });
  const [asset] = await bodyOf<{ asset_uuid: string }[]>(answer, 201);
  return `${draft}/asset/${asset!.asset_uuid}`;
};

const newHook = async (): Promise<string> => {
  const answer = await api("/webhook", { key: shop.key, json: HOOK });
  return `/webhook/${(await bodyOf<{ webhook_uuid: string }>(answer, 201)).webhook_uuid}`;
};

interface Write {
  readonly name: string;
  /** A request that is carried out, and may be sent again. */
  readonly request: () => Promise<readonly [path: string, request: () => ApiRequest]>;
  readonly status: number;
  /** The statement that has the effect. */
  readonly effect: RegExp;
  /** What the effect changes. */
  readonly state: () => Promise<unknown>;
  /** Trips beside the claim's. */
  readonly trips: number;
}

const WRITES: readonly Write[] = [
  {
    name: "POST draft",
    request: async () => {
      const json = { contract_uuid: shop.contractUuid, title: "Herons" };
      return ["/collection-draft", () => ({ json })];
    },
    ...{ status: 201, effect: /insert into "drafts"/, trips: 1 },
    state: () => rowsOf("drafts"),
  },
  {
    name: "PUT draft",
    request: async () => [await newDraft(), () => ({ method: "PUT", json: { title: "Egrets" } })],
    ...{ status: 200, effect: /update "drafts" set/, trips: 2 },
    state: () => allOf("drafts"),
  },
  {
    name: "DELETE draft",
    request: async () => [await newDraft(), () => ({ method: "DELETE" })],
    ...{ status: 204, effect: /delete from "drafts"/, trips: 1 },
    state: () => rowsOf("drafts"),
  },
  {
    name: "POST asset-bulk",
    request: async () => {
      const sent = form();
      return [`${await newDraft()}/asset-bulk`, () => ({ form: sent })];
    },
    ...{ status: 201, effect: /insert into "draft_assets"/, trips: 2 },
    state: () => rowsOf("draft_assets"),
  },
  {
    name: "DELETE asset",
    request: async () => [await newAsset(), () => ({ method: "DELETE" })],
    ...{ status: 204, effect: /delete from "draft_assets"/, trips: 1 },
    state: () => rowsOf("draft_assets"),
  },
  {
    name: "POST webhook",
    request: async () => ["/webhook", () => ({ json: HOOK })],
    ...{ status: 201, effect: /insert into "webhooks"/, trips: 1 },
    state: () => rowsOf("webhooks"),
  },
  {
    name: "PUT webhook",
    request: async () => [await newHook(), () => ({ method: "PUT", json: { description: "Ours" } })],
    ...{ status: 200, effect: /update "webhooks" set/, trips: 2 },
    state: () => allOf("webhooks"),
  },
  {
    name: "POST rotate",
    request: async () => [`${await newHook()}/rotate`, () => ({ method: "POST" })],
    ...{ status: 200, effect: /update "webhooks" set "secret"/, trips: 2 },
    state: () => allOf("webhooks"),
  },
  {
    name: "DELETE webhook",
    request: async () => [await newHook(), () => ({ method: "DELETE" })],
    ...{ status: 204, effect: /delete from "webhooks"/, trips: 1 },
    state: () => rowsOf("webhooks"),
  },
  {
    name: "PUT page",
    request: async () => {
      const json = { slug: `herons-${crypto.randomUUID()}`, enabled: false };
      return [`/collection/${made.collection_uuid}/page`, () => ({ method: "PUT", json })];
    },
    ...{ status: 200, effect: /insert into "collection_pages"/, trips: 2 },
    state: () => allOf("collection_pages"),
  },
];

const withKey = (key: string, request: ApiRequest): ApiRequest => ({
  key: shop.key,
  headers: { "idempotency-key": key },
  ...request,
});

/** The database, in which something happens once to the call that has an effect. */
const once = (effect: RegExp, happens: () => Promise<Break | null>): D1Database => {
  let isOver = false;
  return failingD1(async (sql) => {
    if (isOver || !effect.test(sql)) return null;
    isOver = true;
    return happens();
  });
};

describe.each(WRITES)("$name", ({ request, status, effect, state, trips }) => {
  test("stores its answer in the same database call as its effect", async () => {
    const [path, sent] = await request();
    const { send, trips: asked } = watched();
    asked.length = 0;
    const first = await (await send(path, withKey(crypto.randomUUID(), sent()))).text();
    expect(asked).toHaveLength(1 + trips);
    expect(asked.at(-1)).toMatch(effect);
    expect(asked.at(-1)).toMatch(/insert into "idempotency_keys"/);
    expect(first === "").toBe(status === 204);
  });

  test("is carried out once if the database's answer is lost", async () => {
    const [path, sent] = await request();
    const key = crypto.randomUUID();
    const DB = once(effect, async () => "after");
    const { response } = await apiWith({ DB }, path, withKey(key, sent()));
    await bodyOf(response, 503);
    const after = await state();
    const again = await api(path, withKey(key, sent()));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.status).toBe(status);
    const text = await again.text();
    expect(await state()).toEqual(after);
    const third = await api(path, withKey(key, sent()));
    expect(await third.text()).toBe(text);
  });

  test("sent twice at once is carried out once, and both get its answer", async () => {
    const [path, sent] = await request();
    const key = crypto.randomUUID();
    let first: { readonly status: number; readonly text: string; readonly state: unknown } | undefined;
    const DB = once(effect, async () => {
      const answer = await api(path, withKey(key, sent()));
      first = { status: answer.status, text: await answer.text(), state: await state() };
      return null;
    });
    const { response } = await apiWith({ DB }, path, withKey(key, sent()));
    expect(first?.status).toBe(status);
    expect(response.status).toBe(status);
    expect(response.headers.get("idempotency-replayed")).toBe("true");
    expect(await response.text()).toBe(first?.text);
    expect(await state()).toEqual(first?.state);
  });
});

test("a long answer is returned again after the database's answer to its form was lost", async () => {
  const path = `${await newDraft()}/asset-bulk`;
  const files = [{ name: "a.png", bytes: picture("png", 899) }];
  const details = Array.from({ length: 300 }, () => ({ asset_filename: "a.png", copies: 1 }));
  const send = { form: formOf(details, files) };
  const DB = once(/insert into "draft_assets"/, async () => "after");
  const { response } = await apiWith({ DB }, path, withKey("long", send));
  await bodyOf(response, 503);
  const again = await api(path, withKey("long", send));
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await bodyOf<unknown[]>(again, 201)).toHaveLength(300);
});

test("a long answer to a form that is sent twice at once is stored once", async () => {
  const stored = async () =>
    (await env.BUCKET.list({ prefix: `response/${shop.integrationUuid}/` })).objects.length;
  const path = `${await newDraft()}/asset-bulk`;
  const files = [{ name: "a.png", bytes: picture("png", 898) }];
  const details = Array.from({ length: 300 }, () => ({ asset_filename: "a.png", copies: 1 }));
  const before = await stored();
  const send = () => withKey("twice", { form: formOf(details, files) });
  const DB = once(/insert into "draft_assets"/, async () => {
    await bodyOf(await api(path, send()), 201);
    return null;
  });
  const { response, background } = await apiWith({ DB }, path, send());
  expect(await bodyOf<unknown[]>(response, 201)).toHaveLength(300);
  await background();
  expect(await stored()).toBe(before + 1);
});

test("a long answer is deleted once its key would have expired if no row names it, because the database has failed", async () => {
  const stored = async () =>
    (await env.BUCKET.list({ prefix: `response/${shop.integrationUuid}/` })).objects.length;
  const path = `${await newDraft()}/asset-bulk`;
  const files = [{ name: "a.png", bytes: picture("png", 897) }];
  const details = Array.from({ length: 300 }, () => ({ asset_filename: "a.png", copies: 1 }));
  const send = (key: string) => withKey(key, { form: formOf(details, files) });
  await background.cleanUp(50 * 3_600_000);
  const before = await stored();
  const kept = await bodyOf(await api(path, send("named")), 201);
  const DB = once(/insert into "draft_assets"/, async () => "before");
  const { response, background: rest } = await apiWith({ DB }, path, send("unnamed"));
  await bodyOf(response, 503);
  await rest();
  await background.cleanUp(48 * 3_600_000);
  expect(await stored()).toBe(before + 2);
  await background.cleanUp(50 * 3_600_000);
  expect(await stored()).toBe(before + 1);
  expect(await bodyOf(await api(path, send("named")), 201)).toEqual(kept);
});

test("a draft is created if another one is deleted at the same time to make room for it", async () => {
  const tenant = await createIntegration("Small");
  await bodyOf(
    await admin(`/integration/${tenant.integrationUuid}/limits`, { method: "PUT", json: { drafts: 1 } }),
    200,
  );
  const request = (key: string): ApiRequest => ({
    key: tenant.key,
    json: { contract_uuid: tenant.contractUuid, title: "Herons" },
    headers: { "idempotency-key": key },
  });
  const answer = await api("/collection-draft", request("first"));
  const { collection_draft_uuid: uuid } = await bodyOf<{ collection_draft_uuid: string }>(answer, 201);
  const DB = once(/from "contracts"/, async () => {
    const gone = await api(`/collection-draft/${uuid}`, { key: tenant.key, method: "DELETE" });
    expect(gone.status).toBe(204);
    return null;
  });
  const { response } = await apiWith({ DB }, "/collection-draft", request("second"));
  const made = await bodyOf(response, 201);
  expect(await bodyOf(await api("/collection-draft", request("second")), 201)).toEqual(made);
  await bodyOf(await api("/collection-draft", request("third")), 403);
});

describe("a refusal is not stored under its idempotency key", () => {
  test("of a draft with an unknown contract", async () => {
    const json = { contract_uuid: crypto.randomUUID(), title: "Herons" };
    const send = () => api("/collection-draft", withKey("no-contract", { json }));
    for (const answer of [await send(), await send()]) {
      expect(answer.headers.get("idempotency-replayed")).toBeNull();
      expect(await bodyOf(answer, 400)).toMatchObject({ issues: [{ path: ["contract_uuid"] }] });
    }
  });

  test.each([
    ["draft", newDraft],
    ["asset", newAsset],
    ["webhook", newHook],
  ] as const)("of deleting another integration's %s", async (name, make) => {
    const path = await make();
    const request = { method: "DELETE", headers: { "idempotency-key": `mine-${name}` }, key: stranger.key };
    for (const answer of [await api(path, request), await api(path, request)]) {
      expect(answer.headers.get("idempotency-replayed")).toBeNull();
      await bodyOf(answer, 404);
    }
    expect((await api(path, { key: shop.key, method: "DELETE" })).status).toBe(204);
  });

  test("of a webhook above the maximum, until one is deleted", async () => {
    for (let left = 20; left > 0; left--) await newHook();
    const send = () => api("/webhook", withKey("one-too-many", { json: HOOK }));
    for (const answer of [await send(), await send()]) {
      expect(await bodyOf(answer, 409)).toMatchObject({ code: "conflict" });
    }
    expect(await rowsOf("webhooks")).toBe(20);
    const [first] = await list<{ webhook_uuid: string }>("/webhook");
    await api(`/webhook/${first!.webhook_uuid}`, { key: shop.key, method: "DELETE" });
    await bodyOf(await send(), 201);
  });

  test("of a second deletion", async () => {
    const path = await newDraft();
    expect((await api(path, withKey("first", { method: "DELETE" }))).status).toBe(204);
    await bodyOf(await api(path, withKey("second", { method: "DELETE" })), 404);
    await bodyOf(await api(path, withKey("second", { method: "DELETE" })), 404);
    expect((await api(path, withKey("first", { method: "DELETE" }))).status).toBe(204);
  });
});

test("a rotation's answer includes what another request changed at the same time, also when it is repeated", async () => {
  const path = await newHook();
  const DB = once(/update "webhooks" set "secret"/, async () => {
    const json = { description: "Orders", enabled: false };
    await bodyOf(await api(path, { key: shop.key, method: "PUT", json }), 200);
    return null;
  });
  const { response } = await apiWith({ DB }, `${path}/rotate`, withKey("rotated", { method: "POST" }));
  const rotated = await bodyOf<{ secret: string; updated_at: string }>(response, 200);
  expect(rotated).toMatchObject({ description: "Orders", enabled: false });
  const again = await api(`${path}/rotate`, withKey("rotated", { method: "POST" }));
  expect(await bodyOf(again, 200)).toEqual(rotated);
  const { secret: _, ...shown } = rotated;
  expect(await bodyOf(await api(path, { key: shop.key }), 200)).toEqual(shown);
});

describe("a change's answer includes what another request changed at the same time, also when it is repeated", () => {
  const newPage = async (): Promise<string> => {
    const { collection_uuid: uuid } = await createCollection(shop, { copies: [1] });
    return `/collection/${uuid}/page`;
  };
  const slug = () => `herons-${crypto.randomUUID()}`;

  test.each([
    ["draft", newDraft, /update "drafts" set/, { title: "Egrets" }, { description: "Grey" }],
    ["webhook", newHook, /update "webhooks" set/, { description: "Ours" }, { enabled: false }],
    [
      "page",
      newPage,
      /insert into "collection_pages"/,
      { slug: slug(), enabled: true },
      { slug: slug(), enabled: false, theme: { accent: "#1f6f54" } },
    ],
  ] as const)("of a %s", async (name, make, effect, ours, theirs) => {
    const path = await make();
    for (const round of [1, 2]) {
      const key = `${name}-${round}`;
      const DB = once(effect, async () => {
        await bodyOf(await api(path, { key: shop.key, method: "PUT", json: theirs }), 200);
        return null;
      });
      const { response, background } = await apiWith(
        { DB },
        path,
        withKey(key, { method: "PUT", json: ours }),
      );
      const changed = await bodyOf(response, 200);
      await background();
      expect(changed).toMatchObject({ ...theirs, ...ours });
      expect(await bodyOf(await api(path, { key: shop.key }), 200)).toEqual(changed);
      const again = await api(path, withKey(key, { method: "PUT", json: ours }));
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(await bodyOf(again, 200)).toEqual(changed);
    }
  });

  test("and an invalid change is refused", async () => {
    const page = await newPage();
    const put = (key: string, json: object) => api(page, withKey(key, { method: "PUT", json }));
    const cover = { slug: slug(), enabled: true, cover_asset_uuid: crypto.randomUUID() };
    for (const answer of [await put("cover", cover), await put("cover", cover)]) {
      expect(await bodyOf(answer, 400)).toMatchObject({ issues: [{ path: ["cover_asset_uuid"] }] });
    }
    await bodyOf(await put("slug", { slug: "herons-taken", enabled: false }), 200);
    const other = await newPage();
    const taken = { method: "PUT", json: { slug: "herons-taken", enabled: false } };
    for (const answer of [
      await api(other, withKey("taken", taken)),
      await api(other, withKey("taken", taken)),
    ]) {
      expect(await bodyOf(answer, 409)).toMatchObject({ code: "conflict" });
    }
    const draft = await newDraft();
    const json = { contract_uuid: crypto.randomUUID() };
    const refused = await api(draft, withKey("no-such-contract", { method: "PUT", json }));
    expect(await bodyOf(refused, 400)).toMatchObject({ issues: [{ path: ["contract_uuid"] }] });
    for (const path of [page, draft, await newHook()]) {
      const stolen = { key: stranger.key, method: "PUT", json: { slug: slug(), enabled: true } };
      const request = path === page ? stolen : { ...stolen, json: { description: "Mine" } };
      const headers = { "idempotency-key": `mine-${path}` };
      await bodyOf(await api(path, { ...request, headers }), 404);
    }
    const gone = withKey("gone", { method: "PUT", json: { description: "Mine" } });
    await bodyOf(await api(`/webhook/${crypto.randomUUID()}`, gone), 404);
  });
});

test("a change without an idempotency key is one database call", async () => {
  const { send, trips } = watched();
  for (const [path, json] of [
    [`/collection/${made.collection_uuid}/page`, { slug: "herons-in-one", enabled: false }],
    [await newDraft(), { title: "Egrets" }],
    [await newHook(), { description: "Ours" }],
  ] as const) {
    trips.length = 0;
    await bodyOf(await send(path, { key: shop.key, method: "PUT", json }), 200);
    expect(trips, path).toHaveLength(1);
  }
});

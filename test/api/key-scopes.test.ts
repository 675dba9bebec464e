import { beforeAll, describe, expect, test } from "vitest";
// Inside: the list of endpoints, so that one that is added is tried as well.
import type { Endpoint } from "../../src/api/endpoint.ts";
import { API_ENDPOINTS } from "../../src/api/index.ts";
import { KEY_SCOPES, type KeyScope } from "../../src/domain/key-rights.ts";
import { admin, api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { newIssuer } from "../support/claim-links.ts";
import { createCollection, createDraft } from "../support/collections.ts";
import { operationOver } from "../support/operations.ts";

/**
 * Tries every endpoint with a key of each scope, with a key for another collection, and with a key whose budget is spent.
 */

type Definition = Endpoint["definition"];

/** The scope that the quote of the endpoint's example needs: that of the quoted write. */
const QUOTED: KeyScope = "mint";

let shop: TestIntegration;
/** Ids of all that one collection has, and of the other one. */
let ids: Record<string, string>;
let others: Record<string, string>;
let tokenId: string;

/** A collection with all that paths name. */
const everythingOf = async () => {
  const { collection_uuid: uuid, near_collection: onChain } = await createCollection(shop, { copies: [50] });
  const collection = await bodyOf<{ collection_draft_uuid: string }>(
    await api(`/collection/${uuid}`, { key: shop.key }),
    200,
  );
  const minted = await api(`/collection/${uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [shop.walletAccountId], quantity_per_receiver: 2 },
  });
  const operation = minted.headers.get("x-operation-uuid") ?? "";
  await operationOver(shop.key, operation);
  const issuer = newIssuer().getPublicKey().toString();
  const terms = { issuer_public_key: issuer, links: 2, expires_at: "2030-01-01T00:00:00Z" };
  const { drop } = await bodyOf<{ drop: { drop_id: number } }>(
    await api(`/collection/${uuid}/drop`, { key: shop.key, json: terms }),
    201,
  );
  const assets = await bodyOf<{ asset_uuid: string }[]>(
    await api(`/collection-draft/${collection.collection_draft_uuid}/asset`, { key: shop.key }),
    200,
  );
  const found = {
    collection_uuid: uuid,
    collection_draft_uuid: collection.collection_draft_uuid,
    asset_uuid: assets[0]!.asset_uuid,
    operation_uuid: operation,
    drop_id: String(drop.drop_id),
    account_id: "alice.near",
  };
  return { found, token: `${onChain.collection_id}:1` };
};

beforeAll(async () => {
  shop = await createIntegration("Scopes");
  const [one, two] = [await everythingOf(), await everythingOf()];
  const webhook = await api("/webhook", {
    key: shop.key,
    json: { url: "http://localhost:9/", types: ["webhook.disabled"] },
  });
  const { webhook_uuid } = await bodyOf<{ webhook_uuid: string }>(webhook, 201);
  const { key_uuid } = await issue({ scopes: ["read"] });
  ids = { ...one.found, webhook_uuid, key_uuid };
  others = { ...two.found, webhook_uuid, key_uuid };
  tokenId = one.token;
});

const issue = async (json: object): Promise<{ api_key: string; key_uuid: string }> =>
  bodyOf(await admin(`/integration/${shop.integrationUuid}/key`, { json: { name: "k", ...json } }), 201);

/** Sends an endpoint's example with these ids. */
const send = (
  { method, path, request, rawBody }: Definition,
  key: string,
  values: Record<string, string>,
) => {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  const content = (request?.body as { content?: Record<string, { example?: object }> } | undefined)?.content;
  const example = content?.["application/json"]?.example;
  const text = JSON.stringify(example)
    ?.replace(/"token_id":"[^"]+"/, `"token_id":"${tokenId}"`)
    .replace(/\/collection\/[\w-]{36}\//, `/collection/${values.collection_uuid}/`);
  const form = rawBody === undefined ? undefined : new FormData();
  const json = text === undefined ? undefined : JSON.parse(text);
  return api(address, { method: method.toUpperCase(), key, json, form });
};

const definitions = API_ENDPOINTS.map(({ definition }) => definition);
const byName = definitions.map((definition) => [definition.operationId, definition] as const);

interface Refusal {
  readonly code?: string;
  readonly message?: string;
}

/** What an answer says, whatever it is. */
const saidBy = async (answer: Response) => {
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/") ?? false;
  const body = (isJson && text !== "" ? JSON.parse(text) : {}) as Refusal;
  return { status: answer.status, text, code: body.code, message: body.message };
};

describe("each scope", () => {
  const unknown = () =>
    Object.fromEntries(
      Object.keys(ids).map((name) => [name, name === "drop_id" ? "1" : crypto.randomUUID()]),
    );

  test.each(KEY_SCOPES)("%s: allows the endpoints that name it, and no others", async (scope) => {
    const { api_key: key } = await issue({ scopes: [scope] });
    const reached: string[] = [];
    for (const [name, definition] of byName) {
      const needed = name === "quote" ? QUOTED : definition.scope;
      const said = await saidBy(await send(definition, key, { ...unknown(), account_id: "alice.near" }));
      const allowed = needed === "any" || scope === "full" || scope === needed;
      if (allowed) {
        expect(said.status, name).not.toBe(403);
        reached.push(name);
      } else {
        expect(said, name).toMatchObject({ status: 403, code: "scope_missing" });
        expect(said.message, name).toContain(`\`${needed}\``);
        expect(said.message, name).toMatch(/scope `full`.*the operator/);
      }
    }
    expect(reached).toEqual(expect.arrayContaining(["getMe", "getOperation"]));
    if (scope === "full") expect(reached).toHaveLength(definitions.length);
  });

  test("is named by at least one endpoint", () => {
    const named = new Set(definitions.map(({ scope }) => scope));
    expect([...named].sort()).toEqual([...KEY_SCOPES, "any"].sort());
  });

  test("settings alone changes a collection's settings, and money alone pays out", () => {
    const scopeOf = Object.fromEntries(byName.map(([name, { scope }]) => [name, scope]));
    expect(scopeOf).toMatchObject({
      ...{ updateCollection: "settings", lockCollection: "settings", payOut: "money" },
      ...{ lockNft: "settings", revealCollection: "settings", transferNfts: "mint", burnNfts: "update" },
    });
    expect(definitions.filter(({ scope }) => scope === "money")).toHaveLength(1);
  });
});

describe("a key for one collection", () => {
  /** Endpoints that answer such a key whatever it names: they are about itself, show a part, or are about no collection. */
  const PARTIAL = ["getMe", "createKey", "listKeys", "rotateKey", "deleteKey", "getCurrency"];

  test.each(byName)("can neither read nor change another one by %s", async (name, definition) => {
    const { api_key: key } = await issue({ scopes: ["full"], collections: [ids.collection_uuid] });
    const said = await saidBy(await send(definition, key, others));
    for (const id of [others.collection_uuid, others.collection_draft_uuid, others.operation_uuid])
      expect(said.text, name).not.toContain(id);
    if (definition.path.includes("{collection_uuid}") || !definition.limitsCollections || name === "quote") {
      expect(said, name).toMatchObject({ status: 403, code: "collection_not_allowed" });
      expect(said.message, name).toMatch(/scope `full`.*the operator/);
    } else if (definition.path.includes("{") && !PARTIAL.includes(name)) {
      expect(said, name).toMatchObject({ status: 403, code: "collection_not_allowed" });
    } else {
      expect(said.code, name).toBeOneOf([
        undefined,
        "key_rights_exceeded",
        ...(name === "getCurrency" ? ["not_found"] : []),
      ]);
    }
  });

  test("can read and change its own", async () => {
    const { api_key: key } = await issue({ scopes: ["full"], collections: [ids.collection_uuid] });
    for (const [name, definition] of byName) {
      if (definition.method !== "get" || !definition.path.includes("{collection_uuid}")) continue;
      expect((await saidBy(await send(definition, key, ids))).code, name).not.toBe("collection_not_allowed");
    }
    for (const path of ["/collection", `/collection-draft/${ids.collection_draft_uuid}`, "/operation"]) {
      const said = await saidBy(await api(path, { key }));
      expect(said.status, path).toBe(200);
      expect(said.text, path).toContain(ids.collection_uuid);
    }
    const json = { receiver_addresses: [shop.walletAccountId] };
    const minted = await api(`/collection/${ids.collection_uuid}/mint`, { key, json });
    await bodyOf(minted, 201);
    const shown = await api(`/operation/${minted.headers.get("x-operation-uuid")}`, { key });
    await bodyOf(shown, 200);
  });

  test("can't get around its limit by another spelling of an address", async () => {
    const { api_key: key } = await issue({ scopes: ["full"], collections: [ids.collection_uuid] });
    const theirs = others.collection_uuid!;
    const spellings = [theirs.toUpperCase(), `%${theirs.charCodeAt(0).toString(16)}${theirs.slice(1)}`];
    for (const spelling of spellings) {
      const said = await saidBy(await api(`/collection/${spelling}`, { key }));
      expect(said).toMatchObject({ status: 403, code: "collection_not_allowed" });
    }
    const own = await api(`/collection/${ids.collection_uuid!.toUpperCase()}`, { key });
    await bodyOf(own, 200);
  });

  test("can't get around its limit by the path of a quote", async () => {
    const { api_key: key } = await issue({ scopes: ["full"], collections: [ids.collection_uuid] });
    const body = { receiver_addresses: [shop.walletAccountId] };
    for (const path of [
      `/collection/${others.collection_uuid}/mint`,
      `/api/v1/collection/${others.collection_uuid}/mint`,
    ])
      expect(await saidBy(await api("/quote", { key, json: { method: "POST", path, body } }))).toMatchObject({
        ...{ status: 403, code: "collection_not_allowed" },
      });
  });
});

/** Writes of this scene that are refused before their cost is known: payouts don't count for budgets at all. */
const REFUSED_ANYWAY: Readonly<Record<string, { readonly status: number; readonly code: string }>> = {
  payOut: { status: 409, code: "payout_account_missing" },
  revealCollection: { status: 409, code: "conflict" },
  transferNfts: { status: 400, code: "unknown_account" },
};

describe("a key whose budget is spent", () => {
  test.each(byName.filter(([, definition]) => definition.operation))(
    "sends nothing by %s",
    async (name, definition) => {
      const { api_key: key } = await issue({ scopes: ["full"], spending_per_day: "0" });
      const draft = await createDraft(shop, { copies: [1] });
      const before = await saidBy(await api("/transaction", { key: shop.key }));
      const values = definition.path.includes("/finalize") ? { ...ids, collection_draft_uuid: draft } : ids;
      const said = await saidBy(await send(definition, key, values));
      const own = REFUSED_ANYWAY[name];
      if (own) {
        expect(said).toMatchObject(own);
      } else {
        expect(said, name).toMatchObject({ status: 402, code: "spending_limit_reached" });
        expect(said.message, name).toMatch(/use a key with a higher spending_per_day.*the operator/);
      }
      expect(await saidBy(await api("/transaction", { key: shop.key }))).toEqual(before);
    },
  );
});

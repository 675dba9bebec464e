import { beforeAll, expect, test } from "vitest";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { newIssuer } from "../support/claim-links.ts";
import { createCollection, createDraft } from "../support/collections.ts";
import { type OpenApi, type Operation, operationsOf, readDocument } from "../support/openapi.ts";
import { operationOver } from "../support/operations.ts";
import { until } from "../support/waiting.ts";

/**
 * Tries every operation of the document with another integration's key and ids. What belongs to somebody else has to
 * be answered as if it didn't exist, and must not change.
 */

let document: OpenApi;
let owner: TestIntegration;
let stranger: TestIntegration;
let ids: Record<string, string>;
let tokenId: string;

beforeAll(async () => {
  document = await readDocument();
  [owner, stranger] = [await createIntegration("Owner"), await createIntegration("Stranger")];
  const draft = await createDraft(owner);
  const assets = await read<{ asset_uuid: string }[]>(`/collection-draft/${draft}/asset`);
  const collection = await createCollection(owner);
  const minted = await api(`/collection/${collection.collection_uuid}/mint`, {
    key: owner.key,
    json: { receiver_addresses: [owner.walletAccountId] },
    headers: { prefer: "respond-async" },
  });
  const operation = await bodyOf<{ operation_uuid: string }>(minted, 202);
  const drop = await api(`/collection/${collection.collection_uuid}/drop`, {
    key: owner.key,
    json: {
      issuer_public_key: newIssuer().getPublicKey().toString(),
      links: 2,
      expires_at: "2030-01-01T00:00:00Z",
    },
  });
  const made = await api("/key", { key: owner.key, json: { name: "Mine", scopes: ["read"] } });
  const webhook = await api("/webhook", { key: owner.key, json: { url: "http://localhost:9/" } });
  ids = {
    webhook_uuid: (await bodyOf<{ webhook_uuid: string }>(webhook, 201)).webhook_uuid,
    key_uuid: (await bodyOf<{ key_uuid: string }>(made, 201)).key_uuid,
    collection_draft_uuid: draft,
    asset_uuid: assets[0]!.asset_uuid,
    collection_uuid: collection.collection_uuid,
    operation_uuid: operation.operation_uuid,
    account_id: "alice.near",
    drop_id: String((await bodyOf<{ drop: { drop_id: number } }>(drop, 201)).drop.drop_id),
  };
  tokenId = `${collection.near_collection.collection_id}:1`;
  await settled(operation.operation_uuid);
  // D1, which answers the list, has it within seconds.
  await until(async () => {
    const [shown] = await read<{ minted: number }[]>("/collection");
    return shown?.minted === 1;
  });
});

/** Reads as the owner. */
async function read<T>(path: string): Promise<T> {
  return bodyOf<T>(await api(path, { key: owner.key }), 200);
}

/** Waits until one of the owner's operations is over. */
const settled = (uuid: string): Promise<unknown> => operationOver(owner.key, uuid);

/** Everything that the owner has. */
const everything = async () => {
  const paths = [
    "/collection-draft",
    `/collection-draft/${ids.collection_draft_uuid}/asset`,
    "/collection",
    `/collection/${ids.collection_uuid}/token`,
    `/collection/${ids.collection_uuid}/drop/${ids.drop_id}`,
    "/operation",
    "/transaction",
    `/operation/${ids.operation_uuid}`,
    "/event",
    "/webhook",
    "/key",
    "/audit",
  ];
  return Promise.all(paths.map((path) => read(path)));
};

/** A request to an operation with the example of its body. */
function send({ path, method, requestBody }: Operation, key: string, values: Record<string, string>) {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  const form = requestBody?.content["multipart/form-data"] && new FormData();
  const example = requestBody?.content["application/json"]?.example as Record<string, unknown> | undefined;
  const json = example && "token_id" in example ? { ...example, token_id: tokenId } : example;
  return api(address, { method, key, json, form });
}

const withoutId = ({ request_id: _, ...rest }: Record<string, unknown>) => rest;

test("no operation reads or changes anything of another integration", async () => {
  const before = await everything();
  const tried = operationsOf(document).filter(
    ({ path }) => path.startsWith("/api/v1/") && path.includes("{"),
  );
  expect(tried.length).toBeGreaterThanOrEqual(18);
  const names = tried.flatMap(({ path }) => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!));
  // A token's contract is nobody's; everything else that an address names is the owner's.
  expect([...new Set(names)].filter((name) => !(name in ids))).toEqual(["contract_id"]);
  for (const operation of tried) {
    const theirs = await bodyOf<Record<string, unknown>>(await send(operation, stranger.key, ids), 404);
    const unknown = Object.fromEntries(Object.keys(ids).map((name) => [name, crypto.randomUUID()]));
    const none = await send(operation, stranger.key, { ...unknown, account_id: "alice.near", drop_id: "1" });
    expect(withoutId(theirs), operation.operationId).toEqual(withoutId(await bodyOf(none, 404)));
  }
  expect(await everything()).toEqual(before);
});

test("lists contain nothing of another integration, whatever the cursor", async () => {
  const lists = operationsOf(document).filter(
    ({ path, method }) =>
      method === "GET" && path.startsWith("/api/v1/") && !path.includes("{") && path !== "/api/v1/me",
  );
  expect(lists.map(({ path }) => path)).toEqual([
    "/api/v1/key",
    "/api/v1/audit",
    "/api/v1/collection-draft",
    "/api/v1/collection",
    "/api/v1/operation",
    "/api/v1/transaction",
    "/api/v1/event",
    "/api/v1/webhook",
  ]);
  const listed = async (path: string, key: string) => bodyOf<object[]>(await api(path, { key }), 200);
  for (const { path } of lists) {
    const page = await api(`${path}?limit=1`, { key: owner.key });
    const cursor = /cursor=([^&>]+)/.exec(page.headers.get("link") ?? "")?.[1];
    const mine = (await listed(path, owner.key)).map((item) => JSON.stringify(item));
    const theirs = await listed(path, stranger.key);
    if (cursor !== undefined)
      theirs.push(...(await listed(`${path}?limit=10&cursor=${cursor}`, stranger.key)));
    expect(mine.length, path).toBeGreaterThan(0);
    expect(theirs.filter((item) => mine.includes(JSON.stringify(item)))).toEqual([]);
  }
});

test("a draft can't be made for another integration's contract", async () => {
  const json = { contract_uuid: owner.contractUuid, title: "Mine now" };
  const refused = await bodyOf(await api("/collection-draft", { key: stranger.key, json }), 400);
  expect(refused).toMatchObject({ issues: [{ path: ["contract_uuid"] }] });
  const own = await createDraft(stranger);
  const moved = { contract_uuid: owner.contractUuid };
  await bodyOf(await api(`/collection-draft/${own}`, { method: "PUT", key: stranger.key, json: moved }), 400);
});

test("two integrations may use the same Idempotency-Key", async () => {
  const headers = { "idempotency-key": "the same for both" };
  const create = ({ key, contractUuid }: TestIntegration) =>
    api("/collection-draft", { key, headers, json: { contract_uuid: contractUuid, title: "Twice" } });
  const first = [await create(owner), await create(stranger)];
  expect(first.map((answer) => answer.headers.get("idempotency-replayed"))).toEqual([null, null]);
  const bodies = await Promise.all(first.map((answer) => bodyOf<Record<string, string>>(answer, 201)));
  expect(bodies[0]!.collection_draft_uuid).not.toBe(bodies[1]!.collection_draft_uuid);
  const again = [await create(owner), await create(stranger)];
  expect(again.map((answer) => answer.headers.get("idempotency-replayed"))).toEqual(["true", "true"]);
  expect(await Promise.all(again.map((answer) => bodyOf(answer, 201)))).toEqual(bodies);
});

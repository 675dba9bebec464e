import { beforeAll, describe, expect, test } from "vitest";
import type { Quote } from "../../client/src/index.ts";
import {
  type ApiRequest,
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { newIssuer } from "../support/claim-links.ts";
import { createCollection, createDraft, createHalfSold, type Finalized } from "../support/collections.ts";
import { operationsOf, readDocument, resolved } from "../support/openapi.ts";
import { operationOver } from "../support/operations.ts";

/** A write to the chain carries the caller's `reference`, by which an order finds its NFT. */

interface Operation {
  readonly operation_uuid: string;
  readonly kind: string;
  readonly reference: string | null;
}

interface Event {
  readonly type: string;
  readonly data: { readonly operation_uuid?: string; readonly reference?: string | null };
}

let shop: TestIntegration;
let stranger: TestIntegration;
let receiver: string;
let made: Finalized;

beforeAll(async () => {
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  [receiver] = (await createReceivers(1)) as [string];
  made = await createCollection(shop, { copies: [40] });
});

const at = (rest = "", uuid = made.collection_uuid) => `/collection/${uuid}${rest}`;
const send = (path: string, request: ApiRequest = {}) => api(path, { key: shop.key, ...request });
const put = (path: string, json: object) => send(path, { method: "PUT", json });
const mint = (body: object = {}, request: ApiRequest = {}) =>
  send(at("/mint"), { json: { receiver_addresses: [receiver], ...body }, ...request });
const listed = (query: string, key = shop.key) =>
  api(`/operation?${query}`, { key }).then((answer) => bodyOf<Operation[]>(answer, 200));
const events = async () => bodyOf<(Event & { seq: number })[]>(await send("/event"), 200);
const problem = async (answer: Response, status: number) =>
  bodyOf<{ code: string; issues?: { path: unknown[]; message: string }[] }>(answer, status);
const uuidOf = (answer: Response): string => answer.headers.get("x-operation-uuid")!;

test("every write to the chain takes a reference", async () => {
  const document = await readDocument();
  const writes = operationsOf(document).filter(
    ({ path, responses }) => path.startsWith("/api/v1/") && responses["202"]?.content,
  );
  const taking = writes.filter(({ requestBody }) => {
    const schema = requestBody?.content["application/json"]?.schema;
    return schema && resolved(document, schema).properties?.reference?.maxLength === 64;
  });
  expect(writes.length).toBeGreaterThanOrEqual(11);
  expect(taking.map(({ operationId }) => operationId)).toEqual(writes.map(({ operationId }) => operationId));
});

test("operations of each kind store their reference, show it in lists, and are found by it", async () => {
  await admin(`/integration/${shop.integrationUuid}/payout-account`, {
    method: "PUT",
    json: { account_id: receiver },
  });
  const draft = await createDraft(shop, { copies: [2] });
  const before = (await events()).at(-1)!.seq;
  const names: string[] = [];
  const written = async (name: string, answer: (reference: string) => Promise<Response>, status = 200) => {
    const reference = `${name} "#1" & more`;
    const sent = await answer(reference);
    const body = await bodyOf<object>(sent, status);
    names.push(name);
    const operation = await bodyOf<Operation>(await send(`/operation/${uuidOf(sent)}`), 200);
    expect(operation).toMatchObject({ kind: name, reference });
    const {
      transactions: _,
      answer: __,
      cost: ___,
      ...summary
    } = operation as unknown as Record<string, unknown>;
    expect(await listed(String(new URLSearchParams({ reference })))).toEqual([summary]);
    return body;
  };
  const finalized = (await written(
    "finalize",
    (reference) => send(`/collection-draft/${draft}/finalize`, { json: { reference } }),
    201,
  )) as Finalized;
  const uuid = finalized.collection_uuid;
  await written("collection_update", (reference) => put(at("", uuid), { title: "Herons", reference }));
  const { drop } = (await written(
    "drop_create",
    (reference) =>
      send(at("/drop", uuid), {
        json: {
          issuer_public_key: newIssuer().getPublicKey().toString(),
          links: 1,
          expires_at: "2030-01-01T00:00:00Z",
          reference,
        },
      }),
    201,
  )) as { drop: { drop_id: number } };
  await written("drop_update", (reference) =>
    put(at(`/drop/${drop.drop_id}`, uuid), { links: 2, reference }),
  );
  await written(
    "mint",
    (reference) =>
      send(at("/mint", uuid), {
        json: { receiver_addresses: [receiver], quantity_per_receiver: 2, reference },
      }),
    201,
  );
  await written("drop_close", (reference) =>
    send(at(`/drop/${drop.drop_id}`, uuid), { method: "DELETE", json: { reference } }),
  );
  const token_id = `${finalized.near_collection.collection_id}:1`;
  await written("nft_update", (reference) =>
    put(at("/nft-update", uuid), { token_id, title: "One", reference }),
  );
  await written("allowlist_add", (reference) =>
    put(at("/allowlist-add", uuid), { accounts: [receiver], reference }),
  );
  await written("allowlist_remove", (reference) =>
    put(at("/allowlist-remove", uuid), { accounts: [receiver], reference }),
  );
  await written("allowlist_clear", (reference) => put(at("/allowlist-clear", uuid), { reference }));
  await written("wallet_payout", (reference) =>
    send("/wallet/payout", { json: { amount: `${10n ** 22n}`, reference } }),
  );
  expect(names).toHaveLength(11);

  // What each of them is told as.
  const told = (await events()).filter(({ seq, data }) => seq > before && data.reference);
  const shown = told.map(({ type, data }) => [type, data.reference?.split(" ")[0]]);
  expect(shown).toEqual([
    ["collection.finalized", "finalize"],
    ["operation.succeeded", "finalize"],
    ["collection.updated", "collection_update"],
    ["operation.succeeded", "collection_update"],
    ["operation.succeeded", "drop_create"],
    ["operation.succeeded", "drop_update"],
    ["nft.minted", "mint"],
    ["nft.minted", "mint"],
    ["operation.succeeded", "mint"],
    ["collection.sold_out", "mint"],
    ["operation.succeeded", "drop_close"],
    ["nft.updated", "nft_update"],
    ["operation.succeeded", "nft_update"],
    ["operation.succeeded", "allowlist_add"],
    ["operation.succeeded", "allowlist_remove"],
    ["operation.succeeded", "allowlist_clear"],
    ["operation.succeeded", "wallet_payout"],
  ]);
  for (const { data } of told) {
    const [operation] = await listed(String(new URLSearchParams({ reference: data.reference! })));
    expect(data.operation_uuid).toBe(operation!.operation_uuid);
  }
});

test("without a reference, operation and events have null, and null is accepted as no reference", async () => {
  const before = (await events()).at(-1)!.seq;
  const operations: string[] = [];
  for (const body of [{}, { reference: null }]) {
    const answer = await mint(body);
    await bodyOf(answer, 201);
    operations.push(uuidOf(answer));
  }
  for (const uuid of operations) {
    expect(await bodyOf(await send(`/operation/${uuid}`), 200)).toMatchObject({ reference: null });
  }
  const told = (await events()).filter(({ seq }) => seq > before);
  expect(told.map(({ data }) => [data.operation_uuid, data.reference])).toEqual(
    operations.flatMap((uuid) => [
      [uuid, null],
      [uuid, null],
    ]),
  );
});

test("an operation that is pending or failed shows its reference, and so does its answer of 202", async () => {
  const reference = "order-async";
  const accepted = await mint({ reference }, { headers: { prefer: "respond-async" } });
  expect(await bodyOf(accepted, 202)).toMatchObject({ reference });
  await operationOver(shop.key, uuidOf(accepted));
  const { collection_uuid: halfSold } = await createHalfSold(shop);
  const json = { receiver_addresses: [receiver], quantity_per_receiver: 2, reference: "order-failed" };
  await problem(await send(at("/mint", halfSold), { json }), 409);
  expect((await events()).at(-1)).toMatchObject({
    type: "operation.failed",
    data: { reference: "order-failed", state: "failed" },
  });
});

describe("the list of operations", () => {
  test("can be filtered by reference with other filters, in pages, for its own integration only", async () => {
    const second = await createCollection(shop, { copies: [3] });
    const reference = "several writes";
    const uuids: string[] = [];
    for (const uuid of [made.collection_uuid, second.collection_uuid, made.collection_uuid]) {
      const answer = await send(at("/mint", uuid), { json: { receiver_addresses: [receiver], reference } });
      await bodyOf(answer, 201);
      uuids.unshift(uuidOf(answer));
    }
    const found = async (more: string, key = shop.key) =>
      (await listed(`reference=several+writes${more}`, key)).map(({ operation_uuid }) => operation_uuid);
    expect(await found("")).toEqual(uuids);
    expect(await found(`&subject_uuid=${second.collection_uuid}`)).toEqual([uuids[1]]);
    expect(await found("&kind=mint&state=succeeded")).toEqual(uuids);
    expect(await found("&kind=finalize")).toEqual([]);
    expect(await found("&state=pending")).toEqual([]);
    expect(await found(`&limit=1&cursor=${uuids[0]}`)).toEqual([uuids[1]]);
    expect(await found("", stranger.key)).toEqual([]);
    expect(await listed("reference=several")).toEqual([]);
  });
});

describe("a reference", () => {
  test.each([
    ["empty", ""],
    ["too long", "x".repeat(65)],
    ["not ASCII", "Bestellung 7 für Ä"],
    ["two lines", "order\n7"],
    ["a number", 7],
  ])("is refused by its name if it is %s", async (_name, reference) => {
    for (const answer of [
      await mint({ reference }),
      await put(at("/allowlist-clear"), { reference }),
      ...(typeof reference === "string"
        ? [await send(`/operation?${new URLSearchParams({ reference })}`)]
        : []),
    ]) {
      const { issues } = await problem(answer, 400);
      expect(issues).toMatchObject([{ path: ["reference"] }]);
      if (typeof reference === "string") expect(issues?.[0]?.message).toMatch(/^Give 1 to 64 characters/);
    }
  });

  test("may have 64 characters at most", async () => {
    const reference = `~${"!".repeat(62)} `;
    const answer = await mint({ reference });
    await bodyOf(answer, 201);
    expect(await listed(String(new URLSearchParams({ reference })))).toMatchObject([
      { operation_uuid: uuidOf(answer) },
    ]);
  });

  test("without any other field of a change changes nothing", async () => {
    const before = (await listed("")).length;
    const reference = "changes nothing";
    expect(await bodyOf(await put(at(), { reference }), 200)).toMatchObject({
      collection_uuid: made.collection_uuid,
    });
    await problem(await put(at("/drop/1"), { reference }), 400);
    const token_id = `${made.near_collection.collection_id}:1`;
    await problem(await put(at("/nft-update"), { token_id, reference }), 400);
    expect((await listed("")).length).toBe(before);
  });
});

describe("a reference in a request", () => {
  test("belongs to the Idempotency-Key, which is refused with another reference", async () => {
    const headers = { "idempotency-key": "order-9" };
    const first = await mint({ reference: "order-9" }, { headers });
    const again = await mint({ reference: "order-9" }, { headers });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(await bodyOf(first, 201));
    expect((await problem(await mint({ reference: "order-10" }, { headers }), 422)).code).toBe(
      "idempotency_key_reused",
    );
    expect(await listed("reference=order-9")).toHaveLength(1);
  });

  test("belongs to the quote, which plans the same as without a reference", async () => {
    const quoted = async (more: object) => {
      const body = { receiver_addresses: [receiver], ...more };
      return bodyOf<Quote>(await send("/quote", { json: { method: "POST", path: at("/mint"), body } }), 201);
    };
    const [without, withIt] = [await quoted({}), await quoted({ reference: "order-11" })];
    const { transactions, gas, storage_bytes, cost } = withIt;
    expect(without).toMatchObject({ transactions, gas, storage_bytes, cost });
    expect(without.body_digest).not.toBe(withIt.body_digest);
    const headers = { "mintage-quote": withIt.quote_uuid };
    expect((await problem(await mint({ reference: "order-12" }, { headers }), 422)).code).toBe(
      "quote_mismatch",
    );
    await bodyOf(await mint({ reference: "order-11" }, { headers }), 201);
    expect(await listed("reference=order-11")).toHaveLength(1);
    const refused = await send("/quote", {
      json: { method: "PUT", path: at("/allowlist-clear"), body: { reference: "" } },
    });
    expect((await problem(refused, 400)).issues).toMatchObject([{ path: ["body", "reference"] }]);
  });
});

describe("a write that takes no other field", () => {
  const clear = (request: ApiRequest) => send(at("/allowlist-clear"), { method: "PUT", ...request });

  test.each<[string, ApiRequest]>([
    ["no body", {}],
    ["no body of the type JSON", { headers: { "content-type": "application/json" } }],
    ["an empty body of another type", { body: "", headers: { "content-type": "text/plain" } }],
    ["blanks", { body: " \n", headers: { "content-type": "application/json" } }],
    ["an empty object", { json: {} }],
    ["an empty object without a type", { body: new TextEncoder().encode("{ }") }],
    ["an empty object of another type", { body: "{}", headers: { "content-type": "text/plain" } }],
  ])("is sent with %s", async (_name, request) => {
    const answer = await clear({
      ...request,
      headers: { ...request.headers, "mintage-max-cost": `${10n ** 24n}` },
    });
    await bodyOf(answer, 200);
    expect(await bodyOf(await send(`/operation/${uuidOf(answer)}`), 200)).toMatchObject({ reference: null });
  });

  test.each<[string, ApiRequest, number]>([
    ["another field", { json: { accounts: [] } }, 400],
    ["no object", { json: [] }, 400],
    ["broken JSON", { body: "{", headers: { "content-type": "application/json" } }, 400],
    ["another type", { body: '{"reference":"a"}', headers: { "content-type": "text/plain" } }, 415],
    ["no type", { body: new TextEncoder().encode('{"reference":"a"}') }, 415],
  ])("is refused with %s", async (_name, request, status) => {
    const before = (await listed("")).length;
    await problem(await clear(request), status);
    expect((await listed("")).length).toBe(before);
  });
});

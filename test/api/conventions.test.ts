import { beforeAll, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { createDraft, createHalfSold } from "../support/collections.ts";

/** Conventions of HTTP that callers may choose: RFC 9457, `null` for no body, quoted idempotency keys. */

let shop: TestIntegration;

beforeAll(async () => {
  shop = await createIntegration("Shop");
});

const PROBLEM = "application/problem+json";

interface Problem {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly request_id: string;
}

const problemOf = async (answer: Response, status: number): Promise<Problem> => {
  expect(answer.headers.get("content-type")).toBe(PROBLEM);
  const body = await bodyOf<Problem>(answer, status);
  const { code, message, request_id } = body;
  expect(answer.headers.get("x-request-id")).toBe(request_id);
  expect(body).toMatchObject({
    type: `http://mintage.test/docs/errors.md#${code}`,
    title: expect.stringMatching(/^[A-Z].+\.$/),
    ...{ status, detail: message, instance: `urn:uuid:${request_id}` },
  });
  return body;
};

test.each([PROBLEM, `application/json, ${PROBLEM}`, `application/json;q=0.5, ${PROBLEM};q=0.8`])(
  "errors are problem documents with Accept: %s, and other answers JSON",
  async (accept) => {
    const headers = { accept };
    const send = (path: string, more: object = {}) => api(path, { key: shop.key, headers, ...more });
    expect(await problemOf(await send("/collection-draft", { json: { title: 1 } }), 400)).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["contract_uuid"] }, { path: ["title"] }],
    });
    const keyless = await send("/me", { key: null });
    expect(keyless.headers.get("www-authenticate")).toBe("Api-Key, Bearer");
    await problemOf(keyless, 401);
    await problemOf(await send(`/collection/${shop.contractUuid}`), 404);
    expect((await send("/me", { method: "PATCH" })).headers.get("allow")).toBe("GET, HEAD");
    const found = await send("/me");
    expect(found.headers.get("content-type")).toBe("application/json");
    await bodyOf(found, 200);
  },
);

test.each([
  "application/json",
  "*/*",
  `application/json, ${PROBLEM};q=0.5`,
  `application/json, ${PROBLEM};q=0`,
])("errors have the type application/json with Accept: %s", async (accept) => {
  const answer = await api("/me", { headers: { accept } });
  expect(answer.headers.get("vary")).toContain("Accept");
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(Object.keys(await bodyOf<object>(answer, 401))).toEqual(["message", "code", "request_id"]);
});

test("the stored answer of a failed operation is a problem document too", async () => {
  const sold = await createHalfSold(shop);
  const [receiver] = await createReceivers(1);
  const mint = () =>
    api(`/collection/${sold.collection_uuid}/mint`, {
      key: shop.key,
      json: { receiver_addresses: [receiver], quantity_per_receiver: 2 },
      headers: { accept: PROBLEM, "idempotency-key": "sold-out" },
    });
  const first = await problemOf(await mint(), 409);
  expect(first).toMatchObject({
    code: "sold_out",
    outcome: "failed_on_chain",
    operation_uuid: expect.any(String),
  });
  const again = await mint();
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await bodyOf(again, 409)).toMatchObject({ code: "sold_out" });
});

test("`null` counts as no body if a write needs none, also under its Idempotency-Key", async () => {
  const draft = await createDraft(shop);
  const finalize = (body: string | undefined) =>
    api(`/collection-draft/${draft}/finalize`, {
      ...{
        key: shop.key,
        method: "POST",
        headers: { "idempotency-key": draft, "content-type": "application/json ; charset=utf-8" },
      },
      ...(body !== undefined && { body }),
    });
  const { collection_uuid } = await bodyOf<{ collection_uuid: string }>(await finalize(" null\n"), 201);
  for (const body of [undefined, "{}", "null"]) {
    expect(await bodyOf(await finalize(body), 201)).toMatchObject({ collection_uuid });
  }
  const other = await createDraft(shop);
  const deleted = { key: shop.key, method: "DELETE", body: "null" };
  expect((await api(`/collection-draft/${other}`, deleted)).status).toBe(204);
  const needed = { key: shop.key, body: "null", headers: { "content-type": "application/json" } };
  expect(await bodyOf(await api("/collection-draft", needed), 400)).toMatchObject({
    code: "invalid_request",
  });
});

test.each([
  ["utf-16", 415],
  ["latin1", 415],
  ["UTF-8", 201],
  ['"utf8"', 201],
])("a body whose charset is %s gets %i", async (charset, status) => {
  const answer = await api("/collection-draft", {
    key: shop.key,
    body: JSON.stringify({ contract_uuid: shop.contractUuid, title: "Herons" }),
    headers: { "content-type": `application/json; charset=${charset}` },
  });
  const body = await bodyOf<object>(answer, status);
  if (status === 415) expect(body).toMatchObject({ code: "unsupported_content_type" });
});

test("an Idempotency-Key in quotes, as in the draft standard, equals the one without", async () => {
  const create = (key: string) =>
    api("/collection-draft", {
      key: shop.key,
      json: { contract_uuid: shop.contractUuid, title: "Herons" },
      headers: { "idempotency-key": key },
    });
  const first = await bodyOf(await create('a "key" \\ of mine'), 201);
  const again = await create('"a \\"key\\" \\\\ of mine"');
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await bodyOf(again, 201)).toEqual(first);
  const withParameter = await create('"a \\"key\\" \\\\ of mine"; from=shop');
  expect(withParameter.headers.get("idempotency-replayed")).toBe("true");
  await withParameter.body?.cancel();
  expect(await bodyOf(await create('""'), 400)).toMatchObject({ issues: [{ path: ["Idempotency-Key"] }] });
  // Not a string of the standard, so a key of its own.
  const other = await create('"a "key""');
  expect(other.headers.get("idempotency-replayed")).toBeNull();
  await bodyOf(other, 201);
});

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
  uuidAt,
} from "../support/api.ts";
import { createCollection, createDraft, type Finalized, mintedOnChain } from "../support/collections.ts";
import { inLedgers } from "../support/ledgers.ts";
import { operationsOf, readDocument } from "../support/openapi.ts";
import { background, operationOver } from "../support/operations.ts";
import { later } from "../support/waiting.ts";

/** A quote tells what a write costs at most, and the write that names it costs no more. */

let shop: TestIntegration;
let other: TestIntegration;
let made: Finalized;
let receiver: string;

beforeAll(async () => {
  shop = await createIntegration("Shop");
  other = await createIntegration("Other");
  made = await createCollection(shop, { copies: [2_000] });
  [receiver] = (await createReceivers(1)) as [string];
});

interface Write {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body?: object;
}

const mint = (body: object = {}): Write => ({
  method: "POST",
  path: `/collection/${made.collection_uuid}/mint`,
  body: { receiver_addresses: [receiver], ...body },
});

const ask = (json: unknown, key = shop.key, headers = {}) => api("/quote", { key, json, headers });
/** How long a quote is good. */
const QUOTE_MS = 10 * 60_000;

const quoteOf = async (write: Write): Promise<Quote> => bodyOf<Quote>(await ask(write), 201);

const send = ({ method, path, body }: Write, request: ApiRequest = {}) =>
  api(path, { key: shop.key, method, ...(body && { json: body }), ...request });

interface Operation {
  readonly state: string;
  readonly cost: { readonly quoted: string | null; readonly at_most: string | null; readonly actual: string };
  readonly transactions: readonly { readonly gas_burnt: string }[];
}

/** The operation of an answer, once it is over. */
const operationOf = async (answer: Response): Promise<Operation> => {
  const uuid = answer.headers.get("x-operation-uuid");
  await answer.body?.cancel();
  return (await operationOver(shop.key, uuid!)) as unknown as Operation;
};

const problem = (answer: Response, status: number) =>
  bodyOf<{ code: string; message: string; cost?: object; outcome?: string; issues?: { path: unknown[] }[] }>(
    answer,
    status,
  );

const quoted = (quote_uuid: string): ApiRequest => ({ headers: { "mintage-quote": quote_uuid } });
const atMost = (amount: bigint | string): ApiRequest => ({ headers: { "mintage-max-cost": `${amount}` } });

test("the quote of a write without a body is the same with null and without a body", async () => {
  const draft = await createDraft(shop, { copies: [1] });
  const write: Write = { method: "POST", path: `/collection-draft/${draft}/finalize` };
  const { body_digest: digest } = await quoteOf(write);
  const quote = await bodyOf<Quote>(await ask({ ...write, body: null }), 201);
  expect(quote.body_digest).toBe(digest);
  expect(await bodyOf(await ask({ ...write, body: "none" }), 400)).toMatchObject({
    issues: [{ path: ["body"] }],
  });
  await bodyOf(await ask({ ...write, body: null }, other.key), 404);
  expect((await operationOf(await send(write, quoted(quote.quote_uuid)))).state).toBe("succeeded");
  await bodyOf(await ask({ ...mint(), body: null }), 400);
});

test("a quote shows what a mint costs, and the mint that names it costs no more", async () => {
  await bodyOf(await send(mint()), 201);
  const before = Date.now();
  const quote = await quoteOf(mint());
  expect(Object.keys(quote)).toEqual([
    "quote_uuid",
    "transactions",
    "gas",
    "storage_bytes",
    "cost",
    "top_up",
    "wallet",
    "permanent",
    "valid_until",
    "body_digest",
  ]);
  expect(quote).toMatchObject({ transactions: 1, top_up: "0", wallet: { missing: "0" } });
  expect(Date.parse(quote.valid_until)).toBeGreaterThan(before + 9 * 60_000);
  const operation = await operationOf(await send(mint(), quoted(quote.quote_uuid)));
  expect(operation.cost.quoted).toBe(quote.cost.expected);
  expect(operation.cost.at_most).toBe(quote.cost.at_most);
  expect(BigInt(operation.cost.actual)).toBeLessThanOrEqual(BigInt(quote.cost.at_most));
});

test("a quote sends, accepts and locks nothing", async () => {
  const draft = await createDraft(shop);
  const minted = await mintedOnChain(shop, made);
  const operations = async () => bodyOf<unknown[]>(await api("/operation", { key: shop.key }), 200);
  const before = (await operations()).length;
  await quoteOf(mint());
  await quoteOf({ method: "POST", path: `/collection-draft/${draft}/finalize` });
  expect((await operations()).length).toBe(before);
  expect(await mintedOnChain(shop, made)).toBe(minted);
  const shown = await bodyOf<{ state: string }>(
    await api(`/collection-draft/${draft}`, { key: shop.key }),
    200,
  );
  expect(shown.state).toBe("draft");
});

test("exactly the writes to the chain can be quoted", async () => {
  const document = await readDocument();
  const all = operationsOf(document).filter(({ path }) => path.startsWith("/api/v1/"));
  const found = new Map<string, string>();
  for (const { method, path, operationId } of all) {
    if (method !== "POST" && method !== "PUT" && method !== "DELETE") continue;
    const address = path.replace("/api/v1", "").replaceAll(/\{\w+\}/g, crypto.randomUUID());
    const answer = await ask({ method, path: address });
    found.set(operationId, (await problem(answer, answer.status)).message);
  }
  const refused = [...found].flatMap(([id, message]) =>
    /^Give method and path of a write/.test(message) ? [id] : [],
  );
  const onChain = all
    .filter(({ responses }) => "202" in responses && responses["202"])
    .map((each) => each.operationId);
  expect([...found.keys()].filter((id) => !refused.includes(id)).sort()).toEqual(
    onChain.filter((id) => found.has(id)).sort(),
  );
});

describe("a request for a quote is refused, like its write would be, for", () => {
  test.each<[string, () => unknown, number, string, unknown]>([
    [
      "no write to the chain",
      () => ({ method: "POST", path: "/webhook" }),
      400,
      "invalid_request",
      ["method"],
    ],
    ["another method", () => ({ ...mint(), method: "PUT" }), 400, "invalid_request", ["method"]],
    ["a field that it doesn't know", () => mint({ colour: 1 }), 400, "invalid_request", ["body", "colour"]],
    [
      "a method that isn't a write's",
      () => ({ ...mint(), method: "GET" }),
      400,
      "invalid_request",
      ["method"],
    ],
    [
      "no uuid in the path",
      () => ({ ...mint(), path: "/collection/7/mint" }),
      400,
      "invalid_request",
      ["path"],
    ],
    [
      "no number of a drop in the path",
      () => ({
        method: "PUT",
        path: `/collection/${made.collection_uuid}/drop/first`,
        body: { links: 2 },
      }),
      400,
      "invalid_request",
      ["path"],
    ],
    ["a query", () => ({ ...mint(), path: `${mint().path}?a=1` }), 400, "invalid_request", ["path"]],
    [
      "too many tokens",
      () => mint({ quantity_per_receiver: 26 }),
      400,
      "mint_limit_exceeded",
      ["body", "receiver_addresses"],
    ],
  ])("%s", async (_name, write, status, code, path) => {
    const { issues, ...error } = await problem(await ask(write()), status);
    expect(error.code).toBe(code);
    expect(issues?.[0]?.path).toEqual(path);
  });

  test("a key that may only read", async () => {
    expect((await problem(await ask(mint(), shop.readKey), 403)).code).toBe("scope_missing");
  });

  test("another integration's collection", async () => {
    expect((await problem(await ask(mint(), other.key), 404)).code).toBe("not_found");
  });
});

describe("a write that names a quote", () => {
  test("is refused with another body, method or path, and with another integration's quote", async () => {
    const { quote_uuid: own } = await quoteOf(mint());
    const update: Write = { method: "PUT", path: `/collection/${made.collection_uuid}`, body: mint().body! };
    const foreign = await createCollection(other, { copies: [3] });
    const path = `/collection/${foreign.collection_uuid}/mint`;
    const answers = [
      await send(mint({ quantity_per_receiver: 2 }), quoted(own)),
      await api(path, { key: other.key, json: mint().body, ...quoted(own) }),
      await send(mint(), quoted(crypto.randomUUID().replace(/^./, "f"))),
    ];
    for (const answer of answers) expect((await problem(answer, 422)).code).toBe("quote_mismatch");
    expect((await send({ ...update, body: {} }, quoted(own))).status).toBe(422);
    expect((await send(mint(), { headers: { "mintage-quote": "7" } })).status).toBe(400);
  });

  test("is refused with another integration's quote of the same write", async () => {
    for (const { integrationUuid } of [shop, other]) {
      const json = { account_id: receiver };
      await bodyOf(
        await admin(`/integration/${integrationUuid}/payout-account`, { method: "PUT", json }),
        200,
      );
    }
    const payout: Write = { method: "POST", path: "/wallet/payout", body: { amount: `${10n ** 24n}` } };
    const { quote_uuid: foreign } = await bodyOf<Quote>(await ask(payout, other.key), 201);
    expect((await problem(await send(payout, quoted(foreign)), 422)).code).toBe("quote_mismatch");
    const { quote_uuid: own } = await quoteOf(payout);
    expect((await operationOf(await send(payout, quoted(own)))).state).toBe("succeeded");
  });

  test("is accepted with its fields in any order", async () => {
    const { quote_uuid: uuid } = await quoteOf(mint({ quantity_per_receiver: 1 }));
    const body = { quantity_per_receiver: 1, receiver_addresses: [receiver] };
    expect((await send({ ...mint(), body }, quoted(uuid))).status).toBe(201);
  });

  test("is refused after the quote has expired or was deleted, and its key may be used with a new quote", async () => {
    const { quote_uuid: over } = await quoteOf(mint());
    const withQuote = (uuid: string) => ({ headers: { "mintage-quote": uuid, "idempotency-key": "over" } });
    const refused = () => later(QUOTE_MS + 1_000, () => send(mint(), withQuote(over)));
    expect((await problem(await refused(), 409)).code).toBe("quote_expired");
    await background.reconcile(QUOTE_MS + 1_000);
    // Inside: a quote that is forgotten is refused as before, so that only the table shows that it is gone.
    expect(await inLedgers("SELECT 1 FROM quotes")).toEqual([]);
    const forgotten = uuidAt(Date.now() - QUOTE_MS - 1);
    expect((await problem(await send(mint(), withQuote(forgotten)), 409)).code).toBe("quote_expired");
    const { quote_uuid: fresh } = await quoteOf(mint());
    expect((await send(mint(), withQuote(fresh))).status).toBe(201);
    const again = await send(mint(), withQuote(over));
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  });
});

describe("nothing is signed that could cost more than the maximum", () => {
  const refused = async (answer: Response) => {
    const error = await problem(answer, 402);
    expect(error).toMatchObject({ code: "cost_exceeds_maximum", outcome: "not_submitted" });
    expect(Object.keys(error.cost ?? {})).toEqual(["needed", "at_most"]);
    return BigInt((error.cost as { needed: string }).needed);
  };

  test("in the header, for which exactly the named amount is enough", async () => {
    const minted = await mintedOnChain(shop, made);
    const needed = await refused(await send(mint(), atMost(1n)));
    await refused(await send(mint(), atMost(needed - 1n)));
    expect(await mintedOnChain(shop, made)).toBe(minted);
    const operation = await operationOf(await send(mint(), atMost(needed)));
    expect(operation).toMatchObject({ state: "succeeded", cost: { quoted: null, at_most: `${needed}` } });
    for (const wrong of ["1.5", "-1", "1e3", "0x1", "", "01", 2n ** 128n, 10n ** 50n]) {
      expect(await problem(await send(mint(), atMost(wrong)), 400)).toMatchObject({
        code: "invalid_request",
        issues: [{ path: ["Mintage-Max-Cost"] }],
      });
    }
  });

  test("in the header or the quote, whichever is lower", async () => {
    const { quote_uuid: uuid } = await quoteOf(mint());
    await refused(await send(mint(), { headers: { "mintage-quote": uuid, "mintage-max-cost": "5" } }));
  });

  test("for an empty draft, which is refused as without a maximum", async () => {
    const json = { contract_uuid: shop.contractUuid, title: "Empty" };
    const { collection_draft_uuid: draft } = await bodyOf<{ collection_draft_uuid: string }>(
      await api("/collection-draft", { key: shop.key, json }),
      201,
    );
    const finalize: Write = { method: "POST", path: `/collection-draft/${draft}/finalize` };
    for (const answer of [
      await send(finalize, atMost(10n ** 24n)),
      await send(finalize),
      await ask(finalize),
    ]) {
      expect((await problem(answer, answer.status)).code).toBe("draft_empty");
    }
  });

  test("for a draft that needs more storage than when it was quoted", async () => {
    const draft = await createDraft(shop, { copies: [10] });
    const finalize: Write = { method: "POST", path: `/collection-draft/${draft}/finalize` };
    const { quote_uuid: uuid } = await quoteOf(finalize);
    const many = Array.from({ length: 500 }, (_, place) => `collector-${place}.with-a-long-name.near`);
    const settings = {
      title: "Herons",
      contract_uuid: shop.contractUuid,
      bypass_mint_fee_accounts: many,
    };
    await bodyOf(
      await api(`/collection-draft/${draft}`, { key: shop.key, method: "PUT", json: settings }),
      200,
    );
    await refused(await send(finalize, quoted(uuid)));
    const shown = await bodyOf<{ state: string }>(
      await api(`/collection-draft/${draft}`, { key: shop.key }),
      200,
    );
    expect(shown.state).toBe("draft");
    const { quote_uuid: fresh } = await quoteOf(finalize);
    expect((await operationOf(await send(finalize, quoted(fresh)))).state).toBe("succeeded");
  });
});

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { picture } from "../../testing/pictures.ts";
import {
  type ApiRequest,
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
  whenReachable,
} from "../support/api.ts";
import { newIssuer } from "../support/claim-links.ts";
import { createCollection, createDraft } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { createToken } from "../support/fungible.ts";
import {
  type OpenApi,
  type Operation,
  operationsOf,
  type Parameter,
  readDocument,
  undocumented,
} from "../support/openapi.ts";
import { bodiesFor, valuesOf } from "../support/schema-values.ts";
import { formOf } from "../support/uploads.ts";

/**
 * Sends valid, nearly valid and wrong requests to every operation of the OpenAPI document. Each answer has to be one
 * that the document describes, by status, media type and schema, and never a failure of the service.
 */

/** Requests to each operation. One that reaches the chain takes a block or two. */
const RUNS = 60;
const RUNS_ON_CHAIN = 15;
const DRAFTS = 12;
const RUNS_OF_PROVISIONING = 4;
const SPARE_KEYS = 8;

/** Operations that have nothing to do here, with what they would need. All others have to succeed at least once. */
const WITHOUT_AN_OBJECT: Readonly<Record<string, string>> = {
  adminSettleOperation: "an operation in doubt",
  adminDeleteIntegration: "an integration that is suspended and has nothing under way",
  adminAdoptContract: "a contract that the service doesn't know",
  adminAcceptContract: "a contract that is proposed to the wallet",
  revealCollection: "a collection that hides its assets",
  adminGetHiddenOrder: "a collection that hides its assets",
  closeDrop: "a drop that is over",
  payOut: "sales",
  publicClaimable: "a claim link",
  publicClaimed: "a claim link that was used",
  publicClaim: "a claim link, and its signature for a receiver",
  publicVoucher: "a signed voucher",
  adminHandOverContract: "an account that the contract may go to",
};

let document: OpenApi;
let shop: TestIntegration;
/** A write to the chain, and quotes of it. */
let quotable: Readonly<Record<"method" | "path" | "body", unknown>>;
let quotes: readonly string[];
/** Existing ids, by parameter name. */
let real: Record<string, readonly string[]>;
/** A draft that nothing but requests about its assets names. */
let draftOfAssets: string;
/** Tokens of the collection, and an account that has none. */
let tokens: readonly string[];
let receiver: string;

beforeAll(async () => {
  document = await readDocument();
  shop = await createIntegration("Fuzzed");
  // Some are finalized or deleted on the way.
  const drafts: string[] = [];
  while (drafts.length < DRAFTS) drafts.push(await createDraft(shop));
  draftOfAssets = await createDraft(shop);
  const path = `/collection-draft/${draftOfAssets}/asset`;
  const assets = await bodyOf<{ asset_uuid: string }[]>(await api(path, { key: shop.key }), 200);
  const { collection_uuid: collection } = await createCollection(shop, { copies: [500, 500] });
  const own = { receiver_addresses: [shop.walletAccountId], quantity_per_receiver: 3 };
  const minted = await api(`/collection/${collection}/mint`, { key: shop.key, json: own });
  const operation = minted.headers.get("x-operation-uuid") ?? "";
  tokens = (await bodyOf<{ tokens: { token_id: string }[] }>(minted, 201)).tokens.map(
    (each) => each.token_id,
  );
  const other = await bodyOf<{ integration_uuid: string }>(
    await admin("/integration", { json: { name: "O" } }),
    201,
  );
  [receiver] = (await createReceivers(1)) as [string];
  const treasury = { method: "PUT", json: { account_id: receiver } };
  await bodyOf(await admin(`/integration/${shop.integrationUuid}/payout-account`, treasury), 200);
  const issue = { json: { name: "Fuzzed", role: "read" } };
  const issued = await admin(`/integration/${other.integration_uuid}/key`, issue);
  const webhook = await api("/webhook", { key: shop.key, json: { url: "http://localhost:9/" } });
  // A collection of its own, so that nothing that is tried above changes its page.
  const { collection_uuid: shown } = await createCollection(shop, { copies: [5] });
  await bodyOf(await putPage(shop.key, collection, { slug: "fuzzed-geese", enabled: true }), 200);
  const slug = "fuzzed-herons";
  await bodyOf(await putPage(shop.key, shown, { slug, enabled: true }), 200);
  const terms = {
    issuer_public_key: newIssuer().getPublicKey().toString(),
    links: 5,
    expires_at: "2030-01-01T00:00:00Z",
  };
  const dropped = await api(`/collection/${collection}/drop`, { key: shop.key, json: terms });
  const { drop } = await bodyOf<{ drop: { drop_id: number } }>(dropped, 201);
  const order = { receiver_addresses: ["alice.near"] };
  await bodyOf(await api(`/collection/${shown}/mint`, { key: shop.key, json: order }), 201);
  quotable = { method: "POST", path: `/collection/${collection}/mint`, body: order };
  const quote = await bodyOf<{ quote_uuid: string }>(
    await api("/quote", { key: shop.key, json: quotable }),
    201,
  );
  quotes = [quote.quote_uuid];
  real = {
    slug: [slug],
    drop_id: [String(drop.drop_id)],
    number: ["1"],
    hash: ["6zgh2u9DqHHiXzdy9ouTP7oGky2T4nugqzqt9wJZwNFm"],
    operation_uuid: [operation],
    key_uuid: [(await bodyOf<{ key_uuid: string }>(issued, 201)).key_uuid, ...(await spareKeys())],
    webhook_uuid: [(await bodyOf<{ webhook_uuid: string }>(webhook, 201)).webhook_uuid],
    collection_draft_uuid: drafts,
    asset_uuid: assets.map(({ asset_uuid }) => asset_uuid),
    collection_uuid: [collection],
    account_id: ["alice.near"],
    contract_uuid: [shop.contractUuid],
    contract_id: [(await createToken({ symbol: "USDC", decimals: 6 })).accountId],
    integration_uuid: [other.integration_uuid],
  };
});

/** Keys of the shop's, to rotate and delete. */
const spareKeys = async (): Promise<string[]> => {
  const uuids: string[] = [];
  while (uuids.length < SPARE_KEYS) {
    const made = await api("/key", { key: shop.key, json: { name: "Spare", scopes: ["read"] } });
    uuids.push((await bodyOf<{ key_uuid: string }>(made, 201)).key_uuid);
  }
  return uuids;
};

/** A parameter, encoded for the address. Plain dots would change the address before it is sent. */
const inPath = ({ name }: Parameter): fc.Arbitrary<string> => {
  const anything = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !/^\.+$/.test(text));
  const known = real[name] ?? [crypto.randomUUID()];
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: anything },
  );
};

/** A value in an address; String() fails for an object that has a field named toString. */
const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const inQuery = ({ name, schema = {} }: Parameter): fc.Arbitrary<string> => {
  // Whole seconds of waiting for an event that doesn't come.
  const right = name === "wait" ? fc.constantFrom("0", "1") : valuesOf(document, schema).map(asText);
  const wrong = fc.string({ unit: "grapheme", maxLength: 12 });
  return fc.oneof({ weight: 4, arbitrary: right }, { weight: 1, arbitrary: wrong });
};

/** Text that a header may contain. Most Idempotency-Keys are new. */
const inHeader = ({ name }: Parameter): fc.Arbitrary<string> => {
  const anything = fc.oneof(fc.uuid(), fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/));
  if (name === "Mintage-Quote") return fc.oneof(fc.constantFrom(...quotes), anything);
  if (name !== "Mintage-Max-Cost") return anything;
  const enough = fc.constant(`${10n ** 24n}`);
  return fc.oneof({ weight: 4, arbitrary: enough }, { weight: 1, arbitrary: anything });
};

/** Values for some of the parameters of one kind. */
const parametersIn = (
  operation: Operation,
  place: Parameter["in"],
  values: (p: Parameter) => fc.Arbitrary<string>,
) => {
  const found = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  const record = Object.fromEntries(found.map((parameter) => [parameter.name, values(parameter)]));
  return fc.record(record as Record<string, fc.Arbitrary<string>>, {
    requiredKeys: place === "path" ? Object.keys(record) : [],
  });
};

/** Bodies: JSON by the schema, and sometimes no JSON. */
const bodyFor = ({ requestBody, method }: Operation): fc.Arbitrary<ApiRequest> => {
  if (method === "GET") return fc.constant({});
  const schema = requestBody?.content["application/json"]?.schema;
  const text = { "content-type": "application/json" };
  const noise = fc.string().map((body): ApiRequest => ({ body, headers: text }));
  if (requestBody?.content["multipart/form-data"]) return fc.oneof(forms, noise);
  if (schema === undefined)
    return fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: noise });
  const json = bodiesFor(document, schema).map((value): ApiRequest => ({ json: withReal(value) }));
  return fc.oneof({ weight: 9, arbitrary: json }, { weight: 1, arbitrary: noise });
};

const forms = fc
  .array(fc.tuple(fc.constantFrom("asset_file", "reference_file", "assets_detail", "x"), fc.json()))
  .map((parts): ApiRequest => {
    const form = new FormData();
    for (const [name, text] of parts) {
      form.append(name, name.endsWith("_file") ? new File([text], "a.png") : text);
    }
    return { form };
  });

/** Bodies name what exists, so that the code after that check is reached. Made-up ids stand in addresses. */
const withReal = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  // What a quote is for: without a body of its own, or as in the document, it is a write that there is.
  if (
    "method" in value &&
    "path" in value &&
    (!("body" in value) || (typeof value.path === "string" && value.path.startsWith("/collection/")))
  ) {
    return { ...value, ...quotable };
  }
  const known = {
    contract_uuid: shop.contractUuid,
    token_id: tokens[0],
    // What is transferred or burnt is gone for what comes after.
    token_ids: ["receiver_address" in value ? tokens[1] : tokens[2]],
    receiver_address: receiver,
    updates: [{ token_id: tokens[0], metadata: { title: "Fuzzed" } }],
  };
  const named = Object.entries(known).filter(
    ([name, one]) =>
      typeof Reflect.get(value, name) === typeof one &&
      Array.isArray(Reflect.get(value, name)) === Array.isArray(one),
  );
  return Array.isArray(value) ? value : { ...value, ...Object.fromEntries(named) };
};

/** The plainest right request to an operation: what exists, and the document's own example. */
const plain = ({ parameters = [], requestBody }: Operation): FuzzedRequest => {
  const isOfAsset = parameters.some(({ name }) => name === "asset_uuid");
  const valueFor = ({ name, schema }: Parameter) => {
    if (isOfAsset && name === "collection_draft_uuid") return draftOfAssets;
    return real[name]?.[0] ?? String(schema?.example ?? "alice.near");
  };
  const wanted = (place: Parameter["in"]) =>
    parameters.filter((each) => each.in === place && (place === "path" || each.required));
  const given = (place: Parameter["in"]) =>
    Object.fromEntries(wanted(place).map((each) => [each.name, valueFor(each)]));
  const example = requestBody?.content["application/json"]?.example;
  const form = requestBody?.content["multipart/form-data"] && onePicture();
  const body: ApiRequest = form ? { form } : example === undefined ? {} : { json: withReal(here(example)) };
  return { path: given("path"), query: given("query"), headers: {}, body };
};

/** The document's accounts, as they exist here. */
const here = (example: unknown): unknown =>
  JSON.parse(JSON.stringify(example).replaceAll(/"[a-z-]+\.near"/g, `"${shop.walletAccountId}"`));

const onePicture = (): FormData =>
  formOf([{ asset_filename: "a.png", copies: 1 }], [{ name: "a.png", bytes: picture("png", 31, 500) }]);

interface FuzzedRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ApiRequest;
}

const requestTo = (operation: Operation): fc.Arbitrary<FuzzedRequest> =>
  fc.record({
    path: parametersIn(operation, "path", inPath),
    query: parametersIn(operation, "query", inQuery),
    headers: parametersIn(operation, "header", inHeader),
    body: bodyFor(operation),
  });

/** The request to send. Most writes to the chain ask for an immediate answer. */
function send(operation: Operation, { path, query, headers, body }: FuzzedRequest) {
  const address = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name]!),
  );
  const search = new URLSearchParams(query).toString();
  const [scheme] = Object.keys(operation.security[0] ?? {});
  const authorization = scheme === "OperatorToken" ? `Bearer ${env.ADMIN_TOKEN}` : `Api-Key ${shop.key}`;
  return api(search === "" ? address : `${address}?${search}`, {
    ...body,
    method: operation.method,
    headers: { authorization, ...headers, ...body.headers },
  });
}

const runsOf = ({ operationId, responses }: Operation): number => {
  if (operationId.startsWith("admin") && "202" in responses) return RUNS_OF_PROVISIONING;
  const asksNodes = JSON.stringify(responses["503" as keyof typeof responses])?.includes("chain_unavailable");
  return "202" in responses || asksNodes ? RUNS_ON_CHAIN : RUNS;
};

test("no random request causes an internal error, or an answer that the OpenAPI document doesn't describe", async () => {
  const succeeded = new Set<string>();
  const tried = async (operation: Operation, request: FuzzedRequest) => {
    // What a busy machine's nodes are too late for isn't carried out.
    const response = await whenReachable(() => send(operation, request));
    const name = `${operation.operationId} ${response.status}`;
    if (response.ok) succeeded.add(operation.operationId);
    expect(response.status, name).toBeLessThan(500);
    expect(await undocumented(document, operation, response), name).toEqual([]);
  };
  // What takes something away comes last, so that the others find their resources and the wallet its money.
  const takes = ({ method, operationId }: Operation) => method === "DELETE" || operationId === "payOut";
  const all = operationsOf(document);
  for (const operations of [all.filter((each) => !takes(each)), all.filter(takes)]) {
    for (const operation of operations) await tried(operation, plain(operation));
    for (const operation of operations) {
      // A repetition would change the state for the next request.
      const options = { numRuns: runsOf(operation), endOnFailure: true };
      await fc.assert(
        fc.asyncProperty(requestTo(operation), (request) => tried(operation, request)),
        options,
      );
    }
  }
  const never = all.map(({ operationId }) => operationId).filter((id) => !succeeded.has(id));
  expect(never.filter((id) => !(id in WITHOUT_AN_OBJECT))).toEqual([]);
});

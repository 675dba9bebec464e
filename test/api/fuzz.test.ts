import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
  type ApiRequest,
  admin,
  api,
  bodyOf,
  createIntegration,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection, createDraft } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import {
  type OpenApi,
  type Operation,
  operationsOf,
  type Parameter,
  readDocument,
  undocumented,
} from "../support/openapi.ts";
import { bodiesFor } from "../support/schema-values.ts";

/**
 * Sends valid, nearly valid and wrong requests to every operation of the OpenAPI document. Each answer has to be one
 * that the document describes, by status, media type and schema, and never a failure of the service.
 */

/** Requests to each operation. One that reaches the chain takes a block or two. */
const RUNS = 60;
const RUNS_ON_CHAIN = 15;
const RUNS_OF_PROVISIONING = 4;

let document: OpenApi;
let shop: TestIntegration;
/** Existing ids, by parameter name. */
let real: Record<string, readonly string[]>;

beforeAll(async () => {
  document = await readDocument();
  shop = await createIntegration("Fuzzed");
  const drafts = [await createDraft(shop), await createDraft(shop)];
  const path = `/collection-draft/${drafts[0]}/asset`;
  const assets = await bodyOf<{ asset_uuid: string }[]>(await api(path, { key: shop.key }), 200);
  const { collection_uuid: collection } = await createCollection(shop, { copies: [500, 500] });
  const other = await bodyOf<{ integration_uuid: string }>(
    await admin("/integration", { json: { name: "O" } }),
    201,
  );
  const webhook = await api("/webhook", { key: shop.key, json: { url: "http://localhost:9/" } });
  // A collection of its own, so that nothing that is tried above changes its page.
  const { collection_uuid: shown } = await createCollection(shop, { copies: [5] });
  const slug = "fuzzed-herons";
  await bodyOf(await putPage(shop.key, shown, { slug, enabled: true }), 200);
  const order = { receiver_addresses: ["alice.near"] };
  await bodyOf(await api(`/collection/${shown}/mint`, { key: shop.key, json: order }), 201);
  real = {
    slug: [slug],
    number: ["1"],
    webhook_uuid: [(await bodyOf<{ webhook_uuid: string }>(webhook, 201)).webhook_uuid],
    collection_draft_uuid: drafts,
    asset_uuid: assets.map(({ asset_uuid }) => asset_uuid),
    collection_uuid: [collection],
    account_id: ["alice.near"],
    contract_uuid: [shop.contractUuid],
    integration_uuid: [other.integration_uuid],
  };
});

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

const inQuery = ({ schema = {} }: Parameter): fc.Arbitrary<string> => {
  const right = schema.type === "integer" ? fc.integer({ min: 1, max: 1_000 }).map(String) : fc.uuid();
  const wrong = fc.string({ unit: "grapheme", maxLength: 12 });
  return fc.oneof({ weight: 4, arbitrary: right }, { weight: 1, arbitrary: wrong });
};

/** Text that a header may contain. Most Idempotency-Keys are new. */
const inHeader = fc.oneof(fc.uuid(), fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/));

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

/** Most drafts name an existing contract, so that the code after that check is reached. */
const withReal = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "contract_uuid" in value
    ? { ...value, contract_uuid: shop.contractUuid }
    : value;

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
    headers: parametersIn(operation, "header", () => inHeader),
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
  return "202" in responses || "503" in responses ? RUNS_ON_CHAIN : RUNS;
};

test("no request brings about a failure, or an answer that the document does not describe", async () => {
  const met = new Map<string, number>();
  // Deletions come last, so that the others find their resources.
  const ordered = operationsOf(document).sort(
    (a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"),
  );
  for (const operation of ordered) {
    // A repetition would change the state for the next request.
    const options = { numRuns: runsOf(operation), endOnFailure: true };
    await fc.assert(
      fc.asyncProperty(requestTo(operation), async (request) => {
        const response = await send(operation, request);
        const name = `${operation.operationId} ${response.status}`;
        met.set(name, (met.get(name) ?? 0) + 1);
        expect(response.status, name).toBeLessThan(500);
        expect(await undocumented(document, operation, response), name).toEqual([]);
      }),
      options,
    );
  }
  // Enough requests have to pass the first checks.
  const never = ordered.filter(
    ({ operationId }) => ![...met.keys()].some((name) => name.startsWith(`${operationId} 2`)),
  );
  expect(never.length, never.map(({ operationId }) => operationId).join(", ")).toBeLessThan(
    ordered.length * 0.3,
  );
});

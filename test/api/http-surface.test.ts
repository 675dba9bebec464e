import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { picture } from "../../testing/pictures.ts";
import {
  type ApiRequest,
  admin,
  api,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { chainCall } from "../support/chain-control.ts";
import { type OpenApi, readDocument } from "../support/openapi.ts";
import { operationOver } from "../support/operations.ts";

/**
 * The surface that callers rely on: the OpenAPI document, and the answers to a fixed series of requests with
 * statuses, headers and bodies. Texts are left out; ids, times, hashes and amounts are replaced by their kind. A
 * change here is a change for callers: `npx vitest run --project api test/api/http-surface.test.ts -u` writes the
 * fixtures, and the difference belongs in the review.
 */

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/mk_(live|test)_[\w-]{43}/g, "<key>"],
  [/mk_(live|test)_[\w-]+/g, "<key's start>"],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>"],
  [/ed25519:\w+/g, "<public key>"],
  [/\b[\w-]+(?:\.[\w-]+)*\.test\b/g, "<account>"],
  [/\b[0-9a-f]{64}\b/g, "<digest>"],
  [/\b[1-9A-HJ-NP-Za-km-z]{43,44}\b/g, "<hash>"],
  [/([?&]cursor=)[^&>"]+/g, "$1<cursor>"],
  [/127\.0\.0\.1:\d+/g, "<node>"],
  [/'nonce-[^']+'/g, "'nonce-<nonce>'"],
];

/** Fields whose values are texts or differ between runs. */
const MASKED_FIELDS = new Set(["message", "description", "summary"]);
const VARYING_NUMBERS = new Set([
  "height",
  "age_seconds",
  "latency_ms",
  "size_bytes",
  "used",
  "used_bytes",
  "reset_at",
]);

const maskText = (text: string): string =>
  MASKS.reduce((masked, [pattern, word]) => masked.replaceAll(pattern, word), text);

function maskValue(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) return value.map((entry) => maskValue(entry));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, maskValue(entry, name)]));
  }
  if (typeof value === "number") return VARYING_NUMBERS.has(field) ? "<number>" : value;
  if (typeof value !== "string") return value;
  if (MASKED_FIELDS.has(field)) return "<text>";
  return /^\d{7,}$/.test(value) ? "<amount>" : maskText(value.replace("http://mintage.test", "<origin>"));
}

/** Headers that are compared. Other tests check ids and lengths. */
function maskHeaders(headers: Headers): Record<string, string> {
  const kept = [...headers].filter(([name]) => !["x-request-id", "date", "content-length"].includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === "ratelimit"
        ? value.replace(/r=\d+/, "r=<left>").replace(/t=\d+/, "t=<seconds>")
        : maskText(value.replaceAll("http://mintage.test", "<origin>")),
    ]),
  );
}

async function recorded(title: string, answer: Response): Promise<unknown> {
  expect(answer.headers.get("x-request-id"), title).toBeTruthy();
  const type = answer.headers.get("content-type") ?? "";
  const bytes = await answer.arrayBuffer();
  const body = /json/.test(type)
    ? maskValue(JSON.parse(new TextDecoder().decode(bytes)))
    : type.startsWith("text/html")
      ? "<page>"
      : `${bytes.byteLength} bytes`;
  return { title, status: answer.status, headers: maskHeaders(answer.headers), body };
}

let shop: TestIntegration;
let other: TestIntegration;
let receivers: string[];

beforeAll(async () => {
  shop = await createIntegration("Surface");
  other = await createIntegration("Another");
  receivers = await createReceivers(2);
});

/** Only one asset, so that every mint draws the same. */
function uploadForm(): FormData {
  const form = new FormData();
  form.append("asset_file", new File([picture("png", 1)], "0.png", { type: "image/png" }));
  form.append("reference_file", new File(['{"edition":"first"}'], "0.json", { type: "application/json" }));
  const details = [
    {
      asset_filename: "0.png",
      reference_filename: "0.json",
      copies: 15,
      asset_subtitle: "No. $TOKEN_NUM",
    },
  ];
  form.append("assets_detail", JSON.stringify(details));
  return form;
}

test("a recorded series of requests gets the same answers as before", async () => {
  const answers: unknown[] = [];
  const keep = async (title: string, request: Promise<Response>): Promise<unknown> => {
    const response = await request;
    const copy = response.clone();
    answers.push(await recorded(title, response));
    return /json/.test(copy.headers.get("content-type") ?? "") ? copy.json() : copy.body?.cancel();
  };
  const call = (title: string, path: string, request: ApiRequest = {}) =>
    keep(title, api(path, { key: shop.key, ...request }));

  await call("health", "/health", { key: null });
  await call("readiness", "/ready", { key: null });
  await call("the reference", "/docs", { key: null });
  await call("who am I", "/me");
  await call("no key", "/collection", { key: null });
  await call("an unknown key", "/collection", { key: `mk_live_${"z".repeat(43)}` });
  await call("a read key that writes", "/collection-draft", { key: shop.readKey, json: {} });
  await call("an unknown address", "/nothing");
  await call("another method", "/collection", { method: "PATCH" });
  await call("another media type wanted", "/collection", { headers: { accept: "text/html" } });
  await call("a body of another type", "/collection-draft", {
    body: "a=b",
    headers: { "content-type": "text/plain" },
  });
  await call("half JSON", "/collection-draft", {
    body: "{",
    headers: { "content-type": "application/json" },
  });
  await call("wrong fields", "/collection-draft", { json: { title: "", titel: "x" } });

  const json = { contract_uuid: shop.contractUuid, title: "Herons" };
  const draft = (await call("a draft", "/collection-draft", {
    json,
    headers: { "idempotency-key": "draft" },
  })) as { collection_draft_uuid: string };
  const draftPath = `/collection-draft/${draft.collection_draft_uuid}`;
  await call("the same again", "/collection-draft", { json, headers: { "idempotency-key": "draft" } });
  await call("another request under its key", "/collection-draft", {
    json: { ...json, title: "Egrets" },
    headers: { "idempotency-key": "draft" },
  });
  const doomed = (await call("a second draft", "/collection-draft", { json })) as {
    collection_draft_uuid: string;
  };
  await call("a draft is read", draftPath);
  await call("another's draft", draftPath, { key: other.key });
  await call("drafts, whole", "/collection-draft");
  await call("drafts, a page", "/collection-draft?limit=1");
  await call("a wrong cursor", "/collection-draft?limit=1&cursor=x");
  await call("a draft is changed", draftPath, { method: "PUT", json: { description: "Of the river" } });
  await call("a draft is deleted", `/collection-draft/${doomed.collection_draft_uuid}`, { method: "DELETE" });
  await call("an empty draft is finalized", `${draftPath}/finalize`, { method: "POST" });
  await call("a form without files", `${draftPath}/asset-bulk`, { form: new FormData() });
  await call("an upload", `${draftPath}/asset-bulk`, {
    form: uploadForm(),
    headers: { "idempotency-key": "upload" },
  });
  await call("the upload again", `${draftPath}/asset-bulk`, {
    form: uploadForm(),
    headers: { "idempotency-key": "upload" },
  });
  await call("its assets", `${draftPath}/asset`);
  const finalized = (await call("a draft is finalized", `${draftPath}/finalize`, { method: "POST" })) as {
    collection_uuid: string;
    ipfs_result: { root_cid: string; files: { cid: string }[] };
  };
  await call("it is finalized again", `${draftPath}/finalize`, { method: "POST" });
  await call("it is changed afterwards", draftPath, { method: "PUT", json: { title: "Late" } });

  const collection = `/collection/${finalized.collection_uuid}`;
  await call("a collection", collection);
  await call("collections", "/collection?limit=1");
  await call("another's collection", collection, { key: other.key });
  await call("a wrong id", "/collection/1");
  await call("a collection is changed", collection, {
    method: "PUT",
    json: { public_mint_config: null, description: "Of the lake" },
  });
  const accounts = [receivers[0]];
  await call("the allowlist grows", `${collection}/allowlist-add`, { method: "PUT", json: { accounts } });
  await call("an account is asked for", `${collection}/allowlist-checkaccount`, {
    method: "PUT",
    json: { account: receivers[0] },
  });
  await call("an account may mint", `${collection}/eligibility/${receivers[0]}`);
  await call("the allowlist shrinks", `${collection}/allowlist-remove`, {
    method: "PUT",
    json: { accounts },
  });
  await call("the allowlist ends", `${collection}/allowlist-clear`, { method: "PUT" });

  const mint = { receiver_addresses: receivers, quantity_per_receiver: 1 };
  const minting = { json: mint, headers: { "idempotency-key": "mint" } };
  const minted = (await call("a mint", `${collection}/mint`, minting)) as { tokens: { token_id: string }[] };
  await call("the mint again", `${collection}/mint`, minting);
  await call("too many tokens", `${collection}/mint`, { json: { ...mint, quantity_per_receiver: 25 } });
  await call("an account that nobody has made", `${collection}/mint`, {
    json: { receiver_addresses: ["nobody-is-here.test"] },
  });
  const later = (await call("a mint that nobody waits for", `${collection}/mint`, {
    json: { receiver_addresses: [receivers[0]] },
    headers: { prefer: "respond-async" },
  })) as { operation_uuid: string };
  await call("another's operation", `/operation/${later.operation_uuid}`, { key: other.key });
  await operationOver(shop.key, later.operation_uuid);
  await call("its operation", `/operation/${later.operation_uuid}`);
  // The contract counts in whole seconds and shows `updated_at` only when it is later than `issued_at`.
  await chainCall("devchain_advance", { ms: 1_000, blocks: 1 });
  await call("a token is changed", `${collection}/nft-update`, {
    method: "PUT",
    json: { token_id: minted.tokens[0]!.token_id, title: "Heron at the weir" },
  });
  await call("tokens", `${collection}/token?limit=2`);
  await call("transactions", "/transaction?limit=1");

  const { root_cid: root, files } = finalized.ipfs_result;
  const file = `/ipfs/${files[0]!.cid}`;
  await call("a file", file, { key: null });
  await call("its head", file, { key: null, method: "HEAD" });
  await call("a part of it", file, { key: null, headers: { range: "bytes=0-9" } });
  await call("a part beyond it", file, { key: null, headers: { range: "bytes=99999-" } });
  await call("a file that is known", file, {
    key: null,
    headers: { "if-none-match": `"${files[0]!.cid}"` },
  });
  await call("a directory", `/ipfs/${root}/`, { key: null });
  await call("a file by its name", `/ipfs/${root}/0.png`, { key: null });
  await call("a block", `/ipfs/${root}?format=raw`, { key: null });
  await call("a file that is not kept", `/ipfs/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku`, {
    key: null,
  });

  const authorization = `Bearer ${env.ADMIN_TOKEN}`;
  await call("the operator without a token", "/admin/v1/integration", { key: null });
  await keep("an integration", admin(`/integration/${shop.integrationUuid}`));
  await keep("its wallet", admin(`/integration/${shop.integrationUuid}/wallet`));
  await keep("its keys", admin(`/integration/${shop.integrationUuid}/key`));
  await keep("its contracts", admin(`/integration/${shop.integrationUuid}/contract`));
  await keep("its limits", admin(`/integration/${shop.integrationUuid}/limits`));
  await keep("an operation", admin(`/operation/${later.operation_uuid}`));
  await keep("an unknown integration", admin(`/integration/${crypto.randomUUID()}`));
  await call("stuck transactions", "/admin/v1/transaction/stuck", { key: null, headers: { authorization } });

  expect(answers.length).toBeGreaterThan(50);
  await expect(`${JSON.stringify(answers, null, 1)}\n`).toMatchFileSnapshot("./fixtures/answers.json");
});

/** One line for each operation and schema, so that a difference shows where it is. */
function linesOf({ paths, components, ...rest }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  );
  const entries = [["document", rest], ...operations, ...Object.entries(components.schemas)];
  const lines = entries.map(([name, value]) => JSON.stringify({ [String(name)]: maskValue(value) }));
  return `[\n${lines.join(",\n")}\n]\n`;
}

test("the OpenAPI document describes the same endpoints as before", async () => {
  await expect(linesOf(await readDocument())).toMatchFileSnapshot("./fixtures/openapi.json");
});

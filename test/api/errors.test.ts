import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
// Inside: every code that the service has, also one that is added.
import { ERROR_CODES, ERRORS, type ErrorCode } from "../../src/domain/errors.ts";
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
  uuidAt,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { makeLink, newIssuer } from "../support/claim-links.ts";
import { createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { failingD1 } from "../support/database.ts";
import {
  type OpenApi,
  type Operation,
  operationsOf,
  readDocument,
  undocumented,
} from "../support/openapi.ts";
import { observeCheckpoints } from "../support/operations.ts";
import { counterOf } from "../support/other-isolate.ts";
import { walletOf } from "../support/own-wallets.ts";
import { drain, sendFrom } from "../support/payments.ts";
import { until } from "../support/waiting.ts";
import { loseObject, setWalletSettings } from "../support/wallets.ts";

/**
 * For every code of the closed list, a request to the running service causes it, and the answer is compared with the
 * list and the OpenAPI document. A code that is added without such a request doesn't compile.
 */

let document: OpenApi;
let shop: TestIntegration;
let collection: Finalized;
let receiver: string;

beforeAll(async () => {
  document = await readDocument();
  shop = await createIntegration("Errors");
  collection = await createCollection(shop, { copies: [60] });
  [receiver] = (await createReceivers(1)) as [string];
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await setFaults();
});

/** The code that only results of tools have, never an answer of HTTP (test/api/mcp.test.ts). */
type OfTools = "confirmation_required";

/** An answer with its request, to compare it with the document. */
interface Provoked {
  readonly method: string;
  readonly path: string;
  readonly response: Response;
}

/** A request to the API with the shop's key, unless it says otherwise. */
const ask = async (method: string, path: string, request: ApiRequest = {}): Promise<Provoked> => {
  const response = await api(path, { key: shop.key, ...request, method });
  return { method, path: `/api/v1${path}`, response };
};

const askAdmin = async (method: string, path: string, request: ApiRequest = {}): Promise<Provoked> => ({
  method,
  path: `/admin/v1${path}`,
  response: await admin(path, { ...request, method }),
});

const draftBody = () => ({ contract_uuid: shop.contractUuid, title: "Herons" });
const mintBody = (more: object = {}) => ({ receiver_addresses: [receiver], ...more });

const mint = (
  json: object = mintBody(),
  { key, headers }: ApiRequest = {},
  uuid = collection.collection_uuid,
) => ask("POST", `/collection/${uuid}/mint`, { key: key ?? shop.key, json, headers });

/** A form with one picture, and with details that may differ from it. */
const form = (detail: object, file = new File([picture("png", 1)], "a.png")): FormData => {
  const data = new FormData();
  data.append("asset_file", file);
  data.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies: 1, ...detail }]));
  return data;
};

const upload = async (request: ApiRequest): Promise<Provoked> =>
  ask("POST", `/collection-draft/${await newDraft()}/asset-bulk`, request);

const newDraft = async (): Promise<string> => {
  const { response } = await ask("POST", "/collection-draft", { json: draftBody() });
  return (await bodyOf<{ collection_draft_uuid: string }>(response, 201)).collection_draft_uuid;
};

const issueKey = async (json: object = {}): Promise<{ api_key: string; key_uuid: string }> =>
  bodyOf(await admin(`/integration/${shop.integrationUuid}/key`, { json: { name: "k", ...json } }), 201);

const withHeader = (authorization: string) =>
  ask("GET", "/collection", { key: null, headers: { authorization } });

/** Metadata so long that a full call's tokens need more storage than a new contract can pay for. */
const LARGE = { extra: JSON.stringify({ story: "heron ".repeat(2_500) }) };

const PROVOKED: Readonly<Record<Exclude<ErrorCode, OfTools>, () => Promise<Provoked>>> = {
  invalid_request: () => ask("POST", "/collection-draft", { json: { ...draftBody(), titel: "Herons" } }),
  invalid_json: () =>
    ask("POST", "/collection-draft", { body: "{", headers: { "content-type": "application/json" } }),
  invalid_multipart: () =>
    upload({ body: "--x\r\n", headers: { "content-type": "multipart/form-data; boundary=x" } }),
  invalid_assets: () => upload({ form: form({ asset_filename: "missing.png" }) }),
  unknown_account: () =>
    ask("PUT", `/collection/${collection.collection_uuid}`, {
      json: { initial_royalties: { "nobody-has-this.test": 5 } },
    }),
  payout_account_missing: () => ask("POST", "/wallet/payout", { json: { amount: "1" } }),
  mint_limit_exceeded: () => mint(mintBody({ quantity_per_receiver: 26 })),
  asset_url_failed: () => mint(mintBody({ metadata: { asset_file_url: "https://127.0.0.1/a.png" } })),
  spending_limit_reached: async () => {
    const limit = (spending_per_day: string | null) =>
      admin(`/integration/${shop.integrationUuid}/limits`, { method: "PUT", json: { spending_per_day } });
    await bodyOf(await limit("1"), 200);
    try {
      return await mint(mintBody());
    } finally {
      await bodyOf(await limit(null), 200);
    }
  },
  cost_exceeds_maximum: () => mint(mintBody(), { headers: { "mintage-max-cost": "1" } }),
  quote_expired: () => {
    const old = uuidAt(Date.now() - 60 * 60_000);
    return mint(mintBody(), { headers: { "mintage-quote": old } });
  },
  quote_mismatch: () => mint(mintBody(), { headers: { "mintage-quote": crypto.randomUUID() } }),
  api_key_missing: () => ask("GET", "/collection", { key: null }),
  api_key_invalid: () => withHeader("Api-Key mk_live_"),
  api_key_expired: async () => {
    const { api_key: key } = await issueKey({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    vi.setSystemTime(Date.now() + 60_001);
    return withHeader(`Api-Key ${key}`);
  },
  api_key_revoked: async () => {
    const { api_key: key, key_uuid: uuid } = await issueKey();
    await bodyOf(await admin(`/integration/${shop.integrationUuid}/key/${uuid}`, { method: "DELETE" }), 200);
    return withHeader(`Api-Key ${key}`);
  },
  integration_suspended: async () => {
    const closed = await createIntegration("Closed");
    const json = { suspended: true };
    await bodyOf(await admin(`/integration/${closed.integrationUuid}`, { method: "PUT", json }), 200);
    return ask("GET", "/collection", { key: closed.key });
  },
  admin_token_invalid: () => askAdmin("GET", "/platform", { headers: { authorization: "Bearer guessed" } }),

  insufficient_funds: async () => {
    const poor = await createIntegration("Poor");
    const draft = await createDraft(poor, { copies: [1] });
    await drain(poor.integrationUuid);
    return ask("POST", `/collection-draft/${draft}/finalize`, { key: poor.key });
  },
  contract_storage_unpaid: async () => {
    const poor = await createIntegration("Poor contract");
    const { collection_uuid: uuid } = await createCollection(poor, { copies: [100] });
    // Enough for the mint's gas, too little to top the contract up.
    await drain(poor.integrationUuid, 3n * 10n ** 23n);
    return mint(mintBody({ quantity_per_receiver: 25, metadata: LARGE }), poor, uuid);
  },
  scope_missing: () => mint(mintBody(), { key: shop.readKey }),
  collection_not_allowed: async () => {
    const { collection_uuid: uuid } = await createCollection(shop, { copies: [1] });
    const { api_key: key } = await issueKey({ collections: [uuid] });
    return mint(mintBody(), { key });
  },
  key_rights_exceeded: async () => {
    const { api_key: key } = await issueKey({ spending_per_day: "1" });
    return ask("POST", "/key", { key, json: { name: "More", scopes: ["mint"], spending_per_day: "2" } });
  },
  not_found: () => mint(mintBody(), {}, crypto.randomUUID()),
  method_not_allowed: () => ask("PATCH", "/collection"),
  not_acceptable: () => ask("GET", "/collection", { headers: { accept: "text/html" } }),
  draft_locked: async () => {
    const draft = await finalizedDraft();
    return ask("PUT", `/collection-draft/${draft}`, { json: { title: "Egrets" } });
  },
  draft_finalized: async () => ask("POST", `/collection-draft/${await finalizedDraft()}/finalize`),
  draft_empty: async () => ask("POST", `/collection-draft/${await newDraft()}/finalize`),
  sold_out: async () => {
    const { collection_uuid: uuid } = await createCollection(shop, { copies: [1] });
    return mint(mintBody({ quantity_per_receiver: 2 }), {}, uuid);
  },
  conflict: () =>
    askAdmin("POST", `/integration/${shop.integrationUuid}/contract/adopt`, {
      json: { account_id: shop.contractAccountId },
    }),
  idempotency_key_in_flight: async () => {
    const json = { contract_uuid: shop.contractUuid, title: "Herons" };
    const twin = { key: shop.key, json, headers: { "idempotency-key": "slow" } };
    // Another copy is carried out first, and its key expires before this one has looked for its answer.
    let lookups = 0;
    const DB = failingD1(async (sql) => {
      if (/insert into "drafts"/.test(sql)) await bodyOf(await api("/collection-draft", twin), 201);
      if (/^select .* from "idempotency_keys"/i.test(sql) && ++lookups === 2) {
        // Inside: a key whose first request vanished, and a database that is broken.
        await env.DB.prepare("DELETE FROM idempotency_keys WHERE key = 'slow'").run();
      }
      return null;
    });
    const { response } = await apiWith({ DB }, "/collection-draft", twin);
    return { method: "POST", path: "/api/v1/collection-draft", response };
  },
  payload_too_large: () =>
    ask("POST", "/collection-draft", {
      body: "x".repeat(1_048_577),
      headers: { "content-type": "application/json" },
    }),
  file_too_large: () => upload({ form: form({}, new File([picture("png", 2, 1_048_577)], "a.png")) }),
  unsupported_content_type: () =>
    ask("POST", "/collection-draft", { body: "title=Herons", headers: { "content-type": "text/plain" } }),
  unsupported_media: () => upload({ form: form({}, new File(["<svg/>"], "a.png")) }),
  idempotency_key_reused: async () => {
    const headers = { "idempotency-key": "used" };
    await bodyOf((await ask("POST", "/collection-draft", { json: draftBody(), headers })).response, 201);
    return ask("POST", "/collection-draft", { json: { ...draftBody(), title: "Egrets" }, headers });
  },
  rate_limited: async () => {
    const { api_key: key, key_uuid: uuid } = await issueKey();
    await counterOf(uuid).take({ limit: 1_000, wanted: 1_000 });
    return withHeader(`Api-Key ${key}`);
  },
  wallet_busy: async () => {
    const crowded = await createIntegration("Crowded");
    const { collection_uuid: uuid } = await createCollection(crowded, { copies: [10] });
    const refreshed = await setWalletSettings(crowded.integrationUuid, { MAX_QUEUE: 2, MAX_LANES: 1 });
    // The node takes nothing, so one is signed and two wait.
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const headers = { prefer: "respond-async" };
    let last = await mint(mintBody(), { key: crowded.key, headers }, uuid);
    while (last.response.status === 202) {
      await last.response.body?.cancel();
      last = await mint(mintBody(), { key: crowded.key, headers }, uuid);
    }
    await refreshed();
    return last;
  },
  quota_exceeded: async () => {
    const { integration_uuid: uuid } = await bodyOf<{ integration_uuid: string }>(
      await admin("/integration", { json: { name: "No keys" } }),
      201,
    );
    await bodyOf(await admin(`/integration/${uuid}/limits`, { method: "PUT", json: { keys: 0 } }), 200);
    const path = `/admin/v1/integration/${uuid}/key`;
    return {
      method: "POST",
      path,
      response: await admin(`/integration/${uuid}/key`, { json: { name: "k" } }),
    };
  },
  too_many_operations: async () => {
    const limits = (operations_waiting: number | null) =>
      admin(`/integration/${shop.integrationUuid}/limits`, { method: "PUT", json: { operations_waiting } });
    await bodyOf(await limits(0), 200);
    try {
      return await mint(mintBody());
    } finally {
      await bodyOf(await limits(null), 200);
    }
  },
  internal_error: async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await env.DB.exec("ALTER TABLE drafts RENAME TO drafts_away");
    try {
      return await ask("GET", "/collection-draft");
    } finally {
      await env.DB.exec("ALTER TABLE drafts_away RENAME TO drafts");
    }
  },
  transaction_failed: async () => {
    // The contract gets another owner on the chain, and the service isn't told.
    const former = await createIntegration("Former owner");
    const next = await createIntegration("Next owner");
    const { collection_uuid: uuid } = await createCollection(former, { copies: [10] });
    const call = (method: string, args: object) => ({
      kind: "function_call" as const,
      method,
      args: new TextEncoder().encode(JSON.stringify(args)),
      gas: "30000000000000",
      deposit: "1",
    });
    const contract = former.contractAccountId;
    const propose = call("owner_propose", { account_id: next.walletAccountId });
    await sendFrom(former.integrationUuid, contract, [propose]);
    await sendFrom(next.integrationUuid, contract, [call("owner_accept", {})]);
    return mint(mintBody(), former, uuid);
  },
  outcome_unknown: async () => {
    // The transaction lands and uses its nonce, but no node has its outcome any more. The wallet asks for more than a
    // minute, which passes faster here.
    const unsure = await createIntegration("Unsure");
    const { collection_uuid: uuid } = await createCollection(unsure, { copies: [10] });
    await setFaults({ kind: "unknown_transaction" });
    let isSent = false;
    observeCheckpoints((name) => {
      isSent ||= name === "wallet.sent";
    });
    let later = 0;
    const real = Date.now.bind(Date);
    vi.spyOn(Date, "now").mockImplementation(() => real() + later);
    const asked = mint(mintBody(), unsure, uuid);
    let answered = false;
    void asked.then(() => {
      answered = true;
    });
    await until(async () => isSent);
    observeCheckpoints(null);
    while (!answered) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      later += 31_000;
      // The schedule wakes a wallet that has waited for a long time.
      await walletOf(unsure.integrationUuid).reconcile();
    }
    return asked;
  },
  wallet_inactive: async () => {
    const lost = await createIntegration("Lost wallet");
    const { collection_uuid: uuid } = await createCollection(lost, { copies: [10] });
    await loseObject(lost.integrationUuid);
    return mint(mintBody(), lost, uuid);
  },
  claims_paused: async () => {
    const poor = await createIntegration("Poor issuer");
    const { collection_uuid: uuid } = await createCollection(poor, { copies: [10] });
    const slug = `claims-${crypto.randomUUID().slice(0, 8)}`;
    await bodyOf(await putPage(poor.key, uuid, { slug, enabled: true }), 200);
    const issuer = newIssuer();
    const drop = {
      issuer_public_key: issuer.getPublicKey().toString(),
      links: 1,
      expires_at: "2030-01-01T00:00:00Z",
    };
    const made = await api(`/collection/${uuid}/drop`, { key: poor.key, json: drop });
    const { drop: opened } = await bodyOf<{ drop: { drop_id: number } }>(made, 201);
    await drain(poor.integrationUuid);
    const place = {
      network: env.NEAR_NETWORK,
      contract: poor.contractAccountId,
      drop: opened.drop_id,
      link: 0,
    };
    const link = makeLink(issuer, place);
    const path = "/public/v1/claim";
    return {
      method: "POST",
      path,
      response: await api(path, { json: { slug, ...link.proofFor(receiver) } }),
    };
  },
  not_configured: async () => {
    const { response } = await apiWith({ WALLET_SECRETS: "" }, "/me", { key: shop.key });
    return { method: "GET", path: "/api/v1/me", response };
  },
  database_unavailable: async () => {
    const DB = failingD1(() => "before");
    const { response } = await apiWith({ DB }, "/me", { key: shop.key });
    return { method: "GET", path: "/api/v1/me", response };
  },
  chain_unavailable: async () => {
    await setFaults({ kind: "down" });
    return ask("GET", `/collection/${collection.collection_uuid}/eligibility/alice.near`);
  },
};

const finalizedDraft = async (): Promise<string> => {
  const draft = await createDraft(shop, { copies: [1] });
  const finalize = await ask("POST", `/collection-draft/${draft}/finalize`);
  await bodyOf(finalize.response, 201);
  // D1 has the draft's state within seconds.
  await until(async () => {
    const { response } = await ask("GET", `/collection-draft/${draft}`);
    return (await bodyOf<{ state: string }>(response, 200)).state === "finalized";
  });
  return draft;
};

/** Retry-After is sent where waiting helps. */
const WAITS: readonly ErrorCode[] = [
  "idempotency_key_in_flight",
  "rate_limited",
  "wallet_busy",
  "too_many_operations",
  "wallet_inactive",
  "claims_paused",
  "chain_unavailable",
];
/** How far the operation got on the chain. */
const OUTCOMES: Partial<Readonly<Record<ErrorCode, string>>> = {
  insufficient_funds: "not_submitted",
  contract_storage_unpaid: "not_submitted",
  sold_out: "not_submitted",
  wallet_busy: "not_submitted",
  too_many_operations: "not_submitted",
  transaction_failed: "failed_on_chain",
  outcome_unknown: "unknown",
  wallet_inactive: "not_submitted",
  claims_paused: "not_submitted",
  chain_unavailable: "not_submitted",
};

/** The control that refused the request. */
const LIMITS: Partial<Readonly<Record<ErrorCode, string>>> = {
  spending_limit_reached: "spending",
  quota_exceeded: "storage",
  payload_too_large: "size",
  file_too_large: "size",
  rate_limited: "rate",
  too_many_operations: "rate",
  wallet_busy: "rate",
};

const OF_ENDPOINTS = Object.keys(PROVOKED) as (keyof typeof PROVOKED)[];

test.each(OF_ENDPOINTS)("the error %s is answered as it is documented", async (code) => {
  const { method, path, response } = await PROVOKED[code]();
  const copy = response.clone();
  const body = await bodyOf<{ message: string; limit?: string }>(response, ERRORS[code].status);
  expect(body).toMatchObject({
    code,
    message: expect.stringMatching(/\.$/),
    request_id: response.headers.get("x-request-id"),
  });
  if (OUTCOMES[code]) expect(body).toMatchObject({ outcome: OUTCOMES[code], retryable: expect.any(Boolean) });
  expect(body.limit).toBe(LIMITS[code]);
  // The service hasn't looked up yet what an earlier request under the same Idempotency-Key did.
  if (code === "rate_limited") expect(body).not.toHaveProperty("outcome");
  if (WAITS.includes(code)) expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  if (ERRORS[code].status === 401)
    expect(response.headers.get("www-authenticate")).toBe(
      code === "admin_token_invalid" ? "Bearer" : "Api-Key, Bearer",
    );
  const operation = operationAt(method, path);
  if (operation === undefined) return expect(code).toBe("method_not_allowed");
  expect(await undocumented(document, operation, copy)).toEqual([]);
  expect(operation.responses[String(response.status)]?.description).toContain(`\`${code}\``);
});

/** The document's operation for an address. */
const operationAt = (method: string, path: string): Operation | undefined =>
  operationsOf(document).find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );

test("every code has a cause, a remedy and an error status, and every 429 names its limit", () => {
  for (const code of ERROR_CODES) {
    const { status, cause, remedy } = ERRORS[code];
    if (status === 429) expect(LIMITS[code]).toBe("rate");
    expect(status).toBeGreaterThanOrEqual(400);
    for (const text of [cause, remedy]) expect(text).toMatch(/\.$/);
  }
});

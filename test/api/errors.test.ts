import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { app } from "../../src/app.ts";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../../src/domain/errors.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { chainFailure, refusalFailure, unknownFailure } from "../../src/services/operations/failure.ts";
import type { TransactionRecord } from "../../src/wallet/interface.ts";
import { BASE, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { createCollection } from "../support/collections.ts";

/** Every code of the closed list is brought about by a test: by this one, or by the one that is named. */

const sources = import.meta.glob<string>("./*.test.ts", { query: "?raw", import: "default", eager: true });

/** Where each code is provoked: in the test of that name, or here, where a test below begins with the code. */
const PROVOKED: Readonly<Record<ErrorCode, string>> = {
  invalid_request: "drafts",
  invalid_json: "surface",
  invalid_multipart: "asset-bulk",
  invalid_assets: "asset-bulk",
  unknown_account: "finalize",
  mint_limit_exceeded: "mint",
  asset_url_failed: "asset-url",
  api_key_missing: "authentication",
  api_key_invalid: "authentication",
  api_key_expired: "authentication",
  api_key_revoked: "authentication",
  admin_token_invalid: "surface",
  insufficient_funds: "operations",
  contract_storage_unpaid: "here",
  read_only_key: "authentication",
  not_found: "surface",
  method_not_allowed: "surface",
  not_acceptable: "surface",
  draft_locked: "finalize",
  draft_finalized: "finalize",
  draft_empty: "finalize",
  sold_out: "mint",
  conflict: "here",
  idempotency_key_in_flight: "idempotency",
  payload_too_large: "surface",
  file_too_large: "asset-bulk",
  unsupported_content_type: "surface",
  unsupported_media: "asset-bulk",
  idempotency_key_reused: "idempotency",
  rate_limited: "authentication",
  wallet_busy: "here",
  internal_error: "surface",
  transaction_failed: "here",
  outcome_unknown: "here",
  chain_unavailable: "here",
};

test.each(ERROR_CODES.filter((code) => PROVOKED[code] !== "here"))("%s is provoked by a test", (code) => {
  expect(sources[`./${PROVOKED[code]}.test.ts`]).toContain(code);
});

test("every code has a cause, a remedy and an error status", () => {
  for (const { status, cause, remedy } of Object.values(ERRORS)) {
    expect(status).toBeGreaterThanOrEqual(400);
    for (const text of [cause, remedy]) expect(text).toMatch(/\.$/);
  }
});

let shop: TestIntegration;
let collection: string;

beforeAll(async () => {
  shop = await createIntegration("Errors");
  collection = (await createCollection(shop)).collection_uuid;
});

/** A request to the Worker with other bindings than its own. */
async function withBindings(changes: object, path: string, authorization: string): Promise<Response> {
  const context = createExecutionContext();
  const request = new Request(BASE + path, { headers: { authorization } });
  const response = await app.fetch(request, { ...env, ...changes }, context);
  await waitOnExecutionContext(context);
  return response;
}

test("chain_unavailable: no node answers", async () => {
  const path = `/api/v1/collection/${collection}/eligibility/alice.near`;
  const away = { NEAR_RPC_URL: "http://127.0.0.1:1" };
  const response = await withBindings(away, path, `Api-Key ${shop.key}`);
  expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await bodyOf(response, 503)).toMatchObject({
    code: "chain_unavailable",
    outcome: "not_submitted",
    retryable: true,
  });
});

test("wallet_busy: the platform says that the wallet's object is overloaded", async () => {
  const overloaded = Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });
  const wallets = { getByName: () => ({ status: () => Promise.reject(overloaded) }) };
  const path = `/admin/v1/integration/${shop.integrationUuid}/wallet`;
  const response = await withBindings({ WALLET: wallets }, path, `Bearer ${env.ADMIN_TOKEN}`);
  expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await bodyOf(response, 429)).toMatchObject({ code: "wallet_busy" });
});

test("conflict: a wallet that was never made can't be shown", async () => {
  const json = JSON.stringify({ name: "Unmade" });
  const context = createExecutionContext();
  const headers = { authorization: `Bearer ${env.ADMIN_TOKEN}`, "content-type": "application/json" };
  const broken = { getByName: () => ({ prepareKey: () => Promise.reject(new Error("gone")) }) };
  const request = new Request(`${BASE}/admin/v1/integration`, { method: "POST", headers, body: json });
  await bodyOf(await app.fetch(request, { ...env, WALLET: broken }, context), 500);
  const listed = await withBindings({}, "/admin/v1/integration?limit=1", headers.authorization);
  const [unmade] = await bodyOf<{ integration_uuid: string; wallet_state: string }[]>(listed, 200);
  const path = `/admin/v1/integration/${unmade!.integration_uuid}/wallet`;
  const answer = await bodyOf(await withBindings({}, path, headers.authorization), 409);
  expect(answer).toMatchObject({ code: "conflict" });
});

/** A transaction as the wallet reports it. */
const record = (state: TransactionRecord["state"], contractCode: string | null): TransactionRecord => ({
  operationUuid: crypto.randomUUID() as Uuid,
  step: "mint",
  state,
  result: null,
  value: null,
  contractCode,
});

test("transaction_failed: the contract refused for a reason that has no code of its own", () => {
  expect(chainFailure(record("failed", "E_UNAUTHORIZED"))).toMatchObject({
    code: "transaction_failed",
    outcome: "failed_on_chain",
  });
});

test("outcome_unknown: nobody can prove what became of it, and it is not to be repeated", () => {
  expect(unknownFailure(record("unknown", null))).toMatchObject({
    code: "outcome_unknown",
    outcome: "unknown",
    retryable: false,
  });
});

test("contract_storage_unpaid: the contract is empty, and the wallet can't top it up", () => {
  const refusal = { status: "insufficient_funds", missing: "1", accountId: "shop.test" } as const;
  expect(refusalFailure(refusal, record("failed", "E_STORAGE_BALANCE"))).toMatchObject({
    code: "contract_storage_unpaid",
    message: expect.stringContaining("shop.test"),
  });
});

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { newTenant } from "../support/uploads.ts";

let integration: TestIntegration;
let collection: Finalized;

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration, {
    settings: { private_mint_config: { mint_fee: "0", limit_per_account: 2 } },
  });
});

afterEach(async () => {
  vi.useRealTimers();
  await setFaults();
});

const put = (name: string, json?: unknown, key = integration.key) =>
  api(`/collection/${collection.collection_uuid}/allowlist-${name}`, { key, method: "PUT", json });

const isListed = async (account: string) =>
  (await bodyOf<{ is_allowlisted: boolean }>(await put("checkaccount", { account }), 200)).is_allowlisted;

const listed = async () => {
  const args = { collection_id: collection.near_collection.collection_id };
  return (
    await view<{ allowlisted: number }>(env.NEAR_RPC_URL, integration.contractAccountId, "collection", args)
  ).allowlisted;
};

test("accounts are added, found, removed and cleared, each with one result", async () => {
  const before = await listed();
  const added = await bodyOf<{ message: string; tx_results: { status: string } }>(
    await put("add", { accounts: ["alice.near", "bob.near", "alice.near"] }),
    200,
  );
  expect(added).toMatchObject({ message: "success", tx_results: { status: "success" } });
  expect(await listed()).toBe(before + 2);
  expect(await isListed("alice.near")).toBe(true);
  expect(await isListed("carol.near")).toBe(false);
  await bodyOf(await put("remove", { accounts: ["alice.near", "carol.near"] }), 200);
  expect(await isListed("alice.near")).toBe(false);
  expect(await isListed("bob.near")).toBe(true);
  expect(await bodyOf(await put("clear"), 200)).toMatchObject({ message: "success" });
  expect(await isListed("bob.near")).toBe(false);
  expect(await listed()).toBe(0);
});

test("500 accounts are accepted, and 501 refused by the field's name", async () => {
  const before = await listed();
  const accounts = Array.from({ length: 501 }, (_, index) => `collector-${index}.near`);
  expect(await bodyOf(await put("add", { accounts }), 400)).toMatchObject({
    code: "invalid_request",
    issues: [{ path: ["accounts"] }],
  });
  expect(await listed()).toBe(before);
  await bodyOf(await put("add", { accounts: accounts.slice(0, 500) }), 200);
  expect(await listed()).toBe(before + 500);
  await bodyOf(await put("remove", { accounts: accounts.slice(0, 500) }), 200);
  expect(await listed()).toBe(before);
});

test("what an account may mint follows the allowlist", async () => {
  const eligibility = async () =>
    bodyOf<Record<string, unknown>>(
      await api(`/collection/${collection.collection_uuid}/eligibility/dora.near`, { key: integration.key }),
      200,
    );
  expect(await eligibility()).toMatchObject({
    account_id: "dora.near",
    allowed: false,
    code: "E_NOT_ALLOWLISTED",
  });
  await bodyOf(await put("add", { accounts: ["dora.near"] }), 200);
  expect(await eligibility()).toMatchObject({
    allowed: true,
    via: "private",
    mint_fee: "0",
    remaining_for_account: 2,
    opens_at: null,
  });
});

test("what an account may mint is read from nodes once in five seconds, and again after a write", async () => {
  const address = `/collection/${collection.collection_uuid}/eligibility/erin.near`;
  const allowed = async (key = integration.key) =>
    (await bodyOf<{ allowed: boolean }>(await api(address, { key }), 200)).allowed;
  // The clock stands, so that a slow machine takes no five seconds.
  vi.setSystemTime(Date.now());
  expect(await allowed()).toBe(false);
  await setFaults({ kind: "down", methods: ["query"] });
  expect(await Promise.all([allowed(), allowed(), allowed(integration.readKey)])).toEqual([
    false,
    false,
    false,
  ]);
  expect((await api(address, { key: (await newTenant()).key })).status).toBe(404);
  vi.useRealTimers();
  await setFaults();
  await bodyOf(await put("add", { accounts: ["erin.near"] }), 200);
  expect(await allowed()).toBe(true);
  await bodyOf(await put("remove", { accounts: ["erin.near"] }), 200);
  expect(await allowed()).toBe(false);
  await setFaults({ kind: "down", methods: ["query"] });
  vi.setSystemTime(Date.now() + 5_001);
  expect((await api(address, { key: integration.key })).status).toBe(503);
});

test("a check is repeated under an Idempotency-Key, because a PUT that changes nothing is no write", async () => {
  const path = `/collection/${collection.collection_uuid}/allowlist-checkaccount`;
  const headers = { "idempotency-key": crypto.randomUUID() };
  for (const account of ["alice.near", "carol.near"]) {
    const checked = await api(path, { key: integration.key, method: "PUT", json: { account }, headers });
    expect(checked.status).toBe(200);
  }
});

test("a read key may only check accounts, and an invalid account is named", async () => {
  expect((await put("checkaccount", { account: "alice.near" }, integration.readKey)).status).toBe(200);
  expect((await put("add", { accounts: ["alice.near"] }, integration.readKey)).status).toBe(403);
  expect(await bodyOf(await put("add", { accounts: ["Alice"] }), 400)).toMatchObject({
    issues: [{ path: ["accounts", 0] }],
  });
  const missing = await api(`/collection/${crypto.randomUUID()}/allowlist-clear`, {
    key: integration.key,
    method: "PUT",
  });
  expect(missing.status).toBe(404);
});

import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { admin, api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { account } from "../support/chain.ts";

let shop: TestIntegration;

beforeAll(async () => {
  shop = await createIntegration("Heron shop");
});

const path = (rest = "") => `/integration/${shop.integrationUuid}${rest}`;

test("an integration has a funded wallet whose private key is never returned", async () => {
  // D1 has its state within seconds, here and below.
  const integration = async () => bodyOf<Record<string, string>>(await admin(path()), 200);
  await expect.poll(integration).toEqual({
    integration_uuid: shop.integrationUuid,
    name: "Heron shop",
    state: "active",
    wallet_account_id: shop.walletAccountId,
    wallet_public_key: expect.stringMatching(/^ed25519:[1-9A-HJ-NP-Za-km-z]{43,44}$/),
    wallet_state: "ready",
    payout_account: null,
    created_at: expect.any(String),
  });
  const wallet = await bodyOf<Record<string, unknown>>(await admin(path("/wallet")), 200);
  expect(wallet).toMatchObject({
    account_id: shop.walletAccountId,
    public_key: expect.stringMatching(/^ed25519:/),
    lanes: [expect.objectContaining({ kind: "full_access", open: 0 })],
    queued: 0,
    open: 0,
    stuck: [],
  });
  expect(BigInt(wallet.balance as string)).toBeGreaterThan(10n ** 24n);
  expect(await account(env.NEAR_RPC_URL, shop.walletAccountId)).not.toBeNull();
  // Inside: nobody may see that the database has the wallet's key, sealed.
  const row = await env.DB.prepare("SELECT wallet_secret FROM integrations").first<{
    wallet_secret: unknown[];
  }>();
  // 12 bytes of nonce, 32 of ciphertext, 16 of tag.
  expect(row?.wallet_secret).toHaveLength(60);
});

test("the operator lists integrations, keys and contracts in pages, newest first", async () => {
  await bodyOf(await admin("/integration", { json: { name: "Second" } }), 201);
  const page = await admin("/integration?limit=1");
  expect(page.headers.get("link")).toMatch(
    /^<http:\/\/mintage\.test\/admin\/v1\/integration\?.*>; rel="next"$/,
  );
  expect(await bodyOf(page, 200)).toMatchObject([{ name: "Second" }]);
  const all = await bodyOf<{ name: string }[]>(await admin("/integration"), 200);
  expect(all.map(({ name }) => name)).toEqual(["Second", "Heron shop"]);
  const oldest = async () => (await bodyOf<object[]>(await admin(path("/contract")), 200)).at(-1);
  await expect.poll(oldest).toMatchObject({
    contract_uuid: shop.contractUuid,
    account_id: shop.contractAccountId,
    state: "ready",
  });
  const keys = await bodyOf<{ role: string }[]>(await admin(path("/key")), 200);
  expect(keys.map(({ role }) => role).sort()).toEqual(["full", "read"]);
});

test("lists of keys and contracts are read in pages", async () => {
  await bodyOf(await admin(path("/contract"), { json: { name: "Second", symbol: "TWO" } }), 201);
  for (const list of ["/key", "/contract"]) {
    const all = await bodyOf<object[]>(await admin(path(list)), 200);
    expect(all.length).toBe(2);
    const first = await admin(path(`${list}?limit=1`));
    const next = /admin\/v1([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1];
    const second = await admin(next!);
    expect(second.headers.get("link")).toBeNull();
    expect([...(await bodyOf<object[]>(first, 200)), ...(await bodyOf<object[]>(second, 200))]).toEqual(all);
    await bodyOf(await admin(path(`${list}?cursor=1`)), 400);
  }
});

test("a key with an expiry in the past is rejected, naming the field", async () => {
  const json = { name: "late", expires_at: "2020-01-01T00:00:00Z" };
  expect(await bodyOf(await admin(path("/key"), { json }), 400)).toMatchObject({
    code: "invalid_request",
    issues: [{ path: ["expires_at"] }],
  });
});

test("missing resources return 404, invalid requests 400", async () => {
  const unknown = `/integration/${crypto.randomUUID()}`;
  for (const rest of ["", "/key", "/wallet", "/contract"]) await bodyOf(await admin(unknown + rest), 404);
  await bodyOf(await admin(`${unknown}/key`, { json: { name: "k" } }), 404);
  await bodyOf(await admin(`${unknown}/contract`, { json: { name: "N", symbol: "S" } }), 404);
  for (const rest of ["", "/restore", "/activate"]) {
    await bodyOf(await admin(`${unknown}/wallet${rest}`, { method: "POST" }), 404);
  }
  await bodyOf(await admin(path(`/key/${crypto.randomUUID()}`), { method: "DELETE" }), 404);
  await bodyOf(await admin(`/operation/${crypto.randomUUID()}`), 404);
  await bodyOf(await admin("/integration", { json: { name: "" } }), 400);
  await bodyOf(await admin(path("/key"), { json: { name: "k", role: "owner" } }), 400);
  await bodyOf(await admin(path("/contract/adopt"), { json: { account_id: "nobody-here.test" } }), 400);
});

test("a wallet is created once, and a repeated request returns it", async () => {
  const again = await bodyOf(await admin(path("/wallet"), { method: "POST" }), 200);
  expect(again).toMatchObject({ wallet_account_id: shop.walletAccountId, wallet_state: "ready" });
});

test("restoring a wallet that has its key keeps the key", async () => {
  const before = await bodyOf<{ public_key: string }>(await admin(path("/wallet")), 200);
  const restored = await bodyOf<object>(await admin(path("/wallet/restore"), { method: "POST" }), 200);
  expect(restored).toMatchObject({ public_key: before.public_key });
});

test("rotation without a newer secret does nothing", async () => {
  const first = await bodyOf<object>(await admin("/secret-rotation", { method: "POST" }), 200);
  const none = { resealed: 0, failed: [], remaining: 0 };
  expect(first).toEqual({
    version: 1,
    resealed: [],
    failed: [],
    remaining: 0,
    webhooks: none,
    reveals: none,
  });
});

test("the operator sees the platform's wallet and stuck transactions", async () => {
  expect(await bodyOf(await admin("/platform"), 200)).toMatchObject({ account_id: env.PLATFORM_ACCOUNT_ID });
  expect(await bodyOf(await admin("/transaction/stuck"), 200)).toEqual([]);
});

test("the operator can read an operation of any integration", async () => {
  const json = { contract_uuid: shop.contractUuid, title: "Empty" };
  const draft = await bodyOf<{ collection_draft_uuid: string }>(
    await api("/collection-draft", { key: shop.key, json }),
    201,
  );
  const finalize = `/collection-draft/${draft.collection_draft_uuid}/finalize`;
  await bodyOf(await api(finalize, { method: "POST", key: shop.key }), 409);
  const listed = await api("/operation?kind=contract_deploy", { key: shop.key });
  const [first] = await bodyOf<{ operation_uuid: string }[]>(listed, 200);
  const operation = await bodyOf<{ state: string }>(await admin(`/operation/${first!.operation_uuid}`), 200);
  expect(operation).toMatchObject({ state: "succeeded", answer: { status: 201 } });
});

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Overview } from "../../client/src/index.ts";
import {
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import { chainCall, setFaults } from "../support/chain-control.ts";
import { createCollection, createDraft, type Finalized, mintedOnChain } from "../support/collections.ts";
import { background, type OperationResource, operationOver, readOperation } from "../support/operations.ts";
import { eventually, until } from "../support/waiting.ts";
import {
  endObject,
  loseObject,
  outlastRestoration,
  replaceObject,
  setWalletSettings,
  unprovableMint,
  withSecrets,
} from "../support/wallets.ts";

/** What an operator does if a wallet's object is lost, and to replace the secret that seals keys. */

interface Wallet {
  readonly state: string;
  readonly account_id: string;
  readonly public_key: string;
}
interface Stuck {
  readonly integration_uuid: string | null;
  readonly operation_uuid: string;
  readonly state: string;
}

let alice: string;

beforeAll(async () => {
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(() => setFaults());

const opened = async (name: string): Promise<[TestIntegration, Finalized]> => {
  const shop = await createIntegration(name);
  return [shop, await createCollection(shop, { copies: [50] })];
};

const mint = ({ key }: TestIntegration, { collection_uuid: uuid }: Finalized, headers = {}) =>
  api(`/collection/${uuid}/mint`, { key, json: { receiver_addresses: [alice] }, headers });

const wallet = (shop: TestIntegration, action = "", method = action === "" ? "GET" : "POST") =>
  admin(`/integration/${shop.integrationUuid}/wallet${action}`, { method });

/** For how many heights a transaction is held back: longer than a test takes, and shorter than it is valid. */
const HELD = 50_000;

/** The next transaction that is sent lands once it is let go, and nobody is told. */
async function keepBack(): Promise<void> {
  const held = { kind: "reorder", methods: ["send_tx"], blocks: HELD };
  const set = [held, { kind: "unknown_transaction" }];
  await chainCall("devchain_faults", { set, seed: 1, reset_statistics: true });
}

/** Waits until a node has received a transaction and holds it back. */
const sent = (): Promise<void> =>
  until(async () => {
    const { faults } = await chainCall<{ faults: { injected: Record<string, number> } }>(
      "devchain_status",
      {},
    );
    return (faults.injected["reorder:send_tx"] ?? 0) > 0;
  });

/** Passes the heights for which a transaction is held back. */
const letGo = () => chainCall("devchain_advance", { heights: HELD });

const nextOf = (page: Response): string | undefined =>
  /<http:\/\/mintage\.test\/admin\/v1(\/[^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];

/** What is stuck, an entry a page. */
async function stuckByPages(): Promise<Stuck[]> {
  const paged: Stuck[] = [];
  let next: string | undefined = "/transaction/stuck?limit=1";
  while (next) {
    const page: Response = await admin(next);
    next = nextOf(page);
    const entries = await bodyOf<Stuck[]>(page, 200);
    expect(entries.length).toBeLessThanOrEqual(1);
    paged.push(...entries);
  }
  return paged;
}

describe("a wallet object that is lost", () => {
  test("signs again once restored and activated, and never reports a possibly sent transaction as not sent", async () => {
    const [shop, collection] = await opened("Lost");
    const before = await bodyOf<Wallet>(await wallet(shop), 200);
    // This mint lands, but nobody hears of it before the object is lost.
    await setFaults({ kind: "reply_lost", methods: ["send_tx"] }, { kind: "unknown_transaction" });
    const begun = await bodyOf<OperationResource>(
      await mint(shop, collection, { prefer: "respond-async", "idempotency-key": "begun" }),
      202,
    );
    await until(async () => (await mintedOnChain(shop, collection)) > 0);
    await loseObject(shop.integrationUuid);
    await setFaults();

    expect(await bodyOf<Wallet>(await wallet(shop), 200)).toMatchObject({
      state: "empty",
      account_id: before.account_id,
      public_key: before.public_key,
    });
    expect(await bodyOf(await wallet(shop, "/activate"), 409)).toMatchObject({
      message: "This wallet has lost its key. Restore it first.",
    });
    const refused = await mint(shop, collection, { "idempotency-key": "later" });
    // Its key may have been used before the loss.
    expect(await bodyOf(refused, 503)).toMatchObject({ code: "wallet_inactive", outcome: "unknown" });
    await background.reconcile(60_000);
    const read = () => api(`/operation/${begun.operation_uuid}`, { key: shop.key });
    expect(await bodyOf(await read(), 503)).toMatchObject({ code: "wallet_inactive" });

    const restored = await bodyOf<Wallet>(await wallet(shop, "/restore"), 200);
    expect(restored).toMatchObject({ state: "restored", public_key: before.public_key });
    await bodyOf(await mint(shop, collection, { "idempotency-key": "later" }), 503);
    await background.reconcile(160_000);
    expect(await bodyOf(await read(), 503)).toMatchObject({ code: "wallet_inactive" });

    expect(await bodyOf(await wallet(shop, "/activate"), 200)).toMatchObject({ state: "active" });
    expect(await bodyOf(await wallet(shop, "/activate"), 200)).toMatchObject({ state: "active" });
    await bodyOf(await mint(shop, collection, { "idempotency-key": "later" }), 201);
    await background.reconcile(260_000);
    const settled = await operationOver(shop.key, begun.operation_uuid);
    expect(settled).toMatchObject({
      state: "unknown",
      answer: { status: 502, body: { code: "outcome_unknown", outcome: "unknown", retryable: false } },
    });
    const told = await api("/event?type=operation.unknown", { key: shop.key });
    expect(await bodyOf<object[]>(told, 200)).toMatchObject([
      {
        data: {
          operation_uuid: begun.operation_uuid,
          state: "unknown",
          finished_at: null,
          cost: { actual: null },
          answer: null,
        },
      },
    ]);
    expect(await mintedOnChain(shop, collection)).toBe(2);
  });

  test.each([
    ["and lands later", 100_000],
    ["and never lands", 0],
  ])(
    "while its account is being made is restored, and created again: the transaction is lost %s",
    async (_, landsWithin) => {
      await setFaults({ kind: "request_lost", methods: ["send_tx"] });
      const request = {
        json: { name: `Lost early ${landsWithin}` },
        headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` },
      };
      const { response } = await apiWith({ SYNC_WAIT_MS: "500" }, "/admin/v1/integration", request);
      expect(response.status).toBe(202);
      const [{ integration_uuid: uuid }] = await bodyOf<[{ integration_uuid: string }]>(
        await admin("/integration?limit=1"),
        200,
      );
      const own = (action: string) => admin(`/integration/${uuid}/wallet${action}`, { method: "POST" });
      await background.reconcile();
      await loseObject(uuid);
      if (landsWithin > 0) {
        await setFaults();
        await background.reconcile(landsWithin);
      }
      await bodyOf(await own(""), 503);
      await bodyOf(await own("/restore"), 200);
      await bodyOf(await own("/activate"), 200);
      await setFaults();
      await eventually(async () => {
        expect(await bodyOf(await own(""), 200)).toMatchObject({ wallet_state: "ready" });
      });
      expect(await bodyOf(await admin(`/integration/${uuid}/wallet`), 200)).toMatchObject({
        state: "active",
      });
      await bodyOf(await admin(`/integration/${uuid}/contract`, { json: { name: "A", symbol: "A" } }), 201);
    },
  );

  test("during a request isn't reported as if nothing had been sent", async () => {
    const [shop, collection] = await opened("Lost in the middle");
    const headers = { "idempotency-key": "waits" };
    const request = { key: shop.key, json: { receiver_addresses: [alice] }, headers };
    /** A request that waits shorter than the Worker's own do, because the lost object never answers it. */
    const mintWaiting = async (SYNC_WAIT_MS: string) =>
      (await apiWith({ SYNC_WAIT_MS }, `/collection/${collection.collection_uuid}/mint`, request)).response;
    await setFaults({ kind: "reply_lost", methods: ["send_tx"] }, { kind: "unknown_transaction" });
    const waiting = mintWaiting("30000");
    await until(async () => (await mintedOnChain(shop, collection)) > 0);
    await loseObject(shop.integrationUuid);
    await setFaults();
    const isUnknown = { code: "wallet_inactive", outcome: "unknown", retryable: true };
    expect(await bodyOf(await waiting, 503)).toMatchObject(isUnknown);

    for (const action of ["/restore", "/activate"]) {
      expect(await bodyOf(await mintWaiting("1000"), 503)).toMatchObject(isUnknown);
      await bodyOf(await wallet(shop, action), 200);
    }
    const [begun] = await bodyOf<OperationResource[]>(
      await api("/operation?kind=mint", { key: shop.key }),
      200,
    );
    const uuid = begun!.operation_uuid;
    await background.resume(uuid);
    expect(await operationOver(shop.key, uuid)).toMatchObject({ state: "unknown" });
    const replayed = await mint(shop, collection, headers);
    expect(await bodyOf(replayed, 502)).toMatchObject({ code: "outcome_unknown", operation_uuid: uuid });
    expect(await mintedOnChain(shop, collection)).toBe(1);
  });

  test("lists possibly sent transactions as stuck, page by page", async () => {
    const [shop, collection] = await opened("Stuck");
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const operations: string[] = [];
    for (let count = 0; count < 3; count++) {
      const answer = await mint(shop, collection, { prefer: "respond-async" });
      operations.push((await bodyOf<OperationResource>(answer, 202)).operation_uuid);
    }
    await loseObject(shop.integrationUuid);
    await setFaults();
    for (const action of ["/restore", "/activate"]) {
      // What a lost ledger has isn't known, and hides nothing of the others.
      expect(await stuckByPages()).toEqual(await bodyOf<Stuck[]>(await admin("/transaction/stuck"), 200));
      await bodyOf(await wallet(shop, action), 200);
    }
    for (const uuid of operations) await background.resume(uuid);
    await eventually(async () => {
      const all = await bodyOf<Stuck[]>(await admin("/transaction/stuck"), 200);
      const own = all.filter(({ integration_uuid: uuid }) => uuid === shop.integrationUuid);
      expect(own.map(({ operation_uuid: uuid }) => uuid)).toEqual(operations);
      expect(own.map(({ state }) => state)).toEqual(Array(3).fill("unknown"));
      expect(await stuckByPages()).toEqual(all);
    });
    await bodyOf(await admin("/transaction/stuck?cursor=nowhere"), 400);
  });
});

test("stuck transactions are listed across more wallets than are read at once", async () => {
  // Many integrations with an old operation each, which they have lost. Only the last one's wallet has something to report.
  const [shop, collection] = await opened("Last");
  for (let count = 0; count < 45; count++) {
    const id = crypto.getRandomValues(new Uint8Array(16)).fill(0, 0, 6);
    id[6] = 0x70;
    id[8] = 0x80;
    // Inside: no request makes the database know more of a ledger than it has.
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO integrations (id, name, wallet_state, created_at, updated_at) VALUES (?, 'Quiet', 'new', 1, 1)",
      ).bind(id),
      env.DB.prepare(
        `INSERT INTO ledgers (id, entry, version, flush, flush_tag, events_seq, pending, unknown, open_since, unpaid_sales,
           unshipped, refused, updated_at)
         VALUES (?, 1, 1, 1, 'x', 0, 1, 0, 1, 0, '[]', 0, 1)`,
      ).bind(id),
    ]);
  }
  await setFaults({ kind: "request_lost", methods: ["send_tx"] });
  const answer = await mint(shop, collection, { prefer: "respond-async" });
  const { operation_uuid: uuid } = await bodyOf<OperationResource>(answer, 202);
  await loseObject(shop.integrationUuid);
  await setFaults();
  await bodyOf(await wallet(shop, "/restore"), 200);
  await bodyOf(await wallet(shop, "/activate"), 200);
  await background.resume(uuid);
  await eventually(async () => {
    const all: Stuck[] = [];
    let pages = 0;
    for (let next: string | undefined = "/transaction/stuck?limit=1000"; next; pages += 1) {
      const page = await admin(next);
      next = nextOf(page);
      all.push(...(await bodyOf<Stuck[]>(page, 200)));
    }
    expect(all.map((entry) => entry.operation_uuid)).toContain(uuid);
    expect(pages).toBeGreaterThan(2);
  });
  await env.DB.exec("DELETE FROM ledgers WHERE open_since = 1");
});

describe("an unprovable operation is settled by the operator", () => {
  const settle = (uuid: string, effect: boolean) =>
    admin(`/operation/${uuid}/settle`, { json: { had_effect: effect } });

  test("as without effect: its caller may send it again, and it is no longer stuck", async () => {
    const { shop, collection, operationUuid } = await unprovableMint();
    await eventually(async () => {
      const before = await bodyOf<Stuck[]>(await admin("/transaction/stuck"), 200);
      expect(before.map((entry) => entry.operation_uuid)).toContain(operationUuid);
    });
    const early = await settle(operationUuid, false);
    expect(Number(early.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await bodyOf(early, 409)).toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/^Wait for \d+ (?:seconds|minutes|hours): .* may still land/),
    });
    expect(await readOperation(shop.key, operationUuid)).toMatchObject({ state: "unknown" });
    await outlastRestoration(shop.integrationUuid);
    const settled = await bodyOf<OperationResource>(await settle(operationUuid, false), 200);
    expect(settled).toMatchObject({ state: "failed", answer: { status: 502 } });
    const body = { code: "transaction_failed", outcome: "failed_on_chain", retryable: true };
    expect(settled.answer?.body).toMatchObject(body);
    expect(await readOperation(shop.key, operationUuid)).toEqual(settled);
    const after = await bodyOf<Stuck[]>(await admin("/transaction/stuck"), 200);
    expect(after.map((entry) => entry.operation_uuid)).not.toContain(operationUuid);
    await background.resume(operationUuid);
    expect(await readOperation(shop.key, operationUuid)).toEqual(settled);
    expect(await bodyOf(await settle(operationUuid, true), 409)).toMatchObject({ code: "conflict" });
    await bodyOf(await mint(shop, collection), 201);
    expect(await mintedOnChain(shop, collection)).toBe(1);
  });

  test("as done: the response tells its caller not to send it again", async () => {
    const { shop, operationUuid } = await unprovableMint();
    const settled = await bodyOf<OperationResource>(await settle(operationUuid, true), 200);
    expect(settled.answer).toMatchObject({
      status: 409,
      body: { code: "conflict", outcome: "final", retryable: false },
    });
    expect(await readOperation(shop.key, operationUuid)).toEqual(settled);
  });

  test("as done, for any kind: a change of an allowlist", async () => {
    const [shop, { collection_uuid: uuid }] = await opened("Listed");
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const answer = await api(`/collection/${uuid}/allowlist-add`, {
      method: "PUT",
      key: shop.key,
      json: { accounts: [alice] },
      headers: { prefer: "respond-async" },
    });
    const { operation_uuid: operationUuid } = await bodyOf<OperationResource>(answer, 202);
    await replaceObject(shop.integrationUuid);
    await background.resume(operationUuid);
    const settled = await bodyOf<OperationResource>(await settle(operationUuid, true), 200);
    expect(settled.answer).toMatchObject({ status: 409, body: { code: "conflict", outcome: "final" } });
  });

  test("unless it has ended or doesn't exist", async () => {
    const [shop, collection] = await opened("Settled");
    const over = (await mint(shop, collection)).headers.get("x-operation-uuid")!;
    expect(await bodyOf(await settle(over, false), 409)).toMatchObject({
      message: expect.stringContaining("succeeded"),
    });
    await bodyOf(await settle(crypto.randomUUID(), false), 404);
    await bodyOf(await admin(`/operation/${over}/settle`, { json: {} }), 400);
  });

  const finalize = ({ key }: TestIntegration, draft: string, headers = {}) =>
    api(`/collection-draft/${draft}/finalize`, { method: "POST", key, headers });
  const collections = ({ contractAccountId }: TestIntegration) =>
    view<{ collection_id: number; published: boolean }[]>(
      env.NEAR_RPC_URL,
      contractAccountId,
      "collections",
      {
        limit: 10,
      },
    );

  test("a finalization without effect: the draft becomes a collection with the next call", async () => {
    const shop = await createIntegration("Broken off");
    const draft = await createDraft(shop, { copies: [3] });
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const answer = await finalize(shop, draft, { prefer: "respond-async" });
    const { operation_uuid: uuid } = await bodyOf<OperationResource>(answer, 202);
    await replaceObject(shop.integrationUuid);
    await background.resume(uuid);
    await bodyOf(await finalize(shop, draft), 502);
    expect(await bodyOf(await settle(uuid, true), 409)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("no collection with the external id"),
    });
    expect(await bodyOf(await settle(uuid, false), 409)).toMatchObject({
      message: expect.stringContaining("may still land"),
    });
    await outlastRestoration(shop.integrationUuid);
    // Nobody knows what the chain shows, so nothing is settled.
    await setFaults({ kind: "down" });
    expect([409, 503]).toContain((await settle(uuid, true)).status);
    await setFaults();
    expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "unknown" });
    await bodyOf(await settle(uuid, false), 200);
    await bodyOf(await finalize(shop, draft), 201);
    expect(await collections(shop)).toHaveLength(1);
  });

  test("a finalization whose bytes land late isn't settled as without effect, and is adopted", async () => {
    const shop = await createIntegration("Late");
    const draft = await createDraft(shop, { copies: [3] });
    // A node has the transaction and holds it back. Meanwhile the object that signed it is lost.
    await keepBack();
    const answer = await finalize(shop, draft, { prefer: "respond-async" });
    const { operation_uuid: uuid } = await bodyOf<OperationResource>(answer, 202);
    await sent();
    await replaceObject(shop.integrationUuid);
    await background.resume(uuid);
    expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "unknown" });
    await bodyOf(await settle(uuid, false), 409);
    await bodyOf(await settle(uuid, true), 409);
    await letGo();
    await until(async () => (await collections(shop)).length > 0);
    const settled = await bodyOf<OperationResource<{ collection_uuid: string }>>(
      await settle(uuid, true),
      200,
    );
    expect(settled).toMatchObject({ state: "succeeded", answer: { status: 201 } });
    await eventually(async () =>
      expect(await bodyOf(await finalize(shop, draft), 409)).toMatchObject({ code: "draft_finalized" }),
    );
    const read = await api(`/collection/${settled.answer!.body.collection_uuid}`, { key: shop.key });
    await bodyOf(read, 200);
    expect(await collections(shop)).toMatchObject([{ published: true }]);
  });

  test("a finalization visible on the chain isn't settled as without effect: it continues", async () => {
    const shop = await createIntegration("Shown");
    const draft = await createDraft(shop, { copies: [3] });
    await keepBack();
    const answer = await finalize(shop, draft, { prefer: "respond-async" });
    const { operation_uuid: uuid } = await bodyOf<OperationResource>(answer, 202);
    await sent();
    await replaceObject(shop.integrationUuid);
    await background.resume(uuid);
    expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "unknown" });
    await letGo();
    await until(async () => (await collections(shop)).length > 0);
    await outlastRestoration(shop.integrationUuid);
    expect(await bodyOf(await settle(uuid, false), 409)).toMatchObject({
      // The wallet may have looked at the chain first.
      message: expect.stringMatching(/so it continues|this one is succeeded/),
    });
    expect(await operationOver(shop.key, uuid)).toMatchObject({ state: "succeeded" });
    expect(await collections(shop)).toHaveLength(1);
  });
});

describe("a new version of WALLET_SECRETS", () => {
  test("reseals every key, after which the old version can be removed", async () => {
    const [shop, collection] = await opened("Rotated");
    const lost = await createIntegration("Lost meanwhile");
    const { 1: first } = JSON.parse(env.WALLET_SECRETS) as { 1: string };
    const both = { 1: first, 2: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)))) };
    const second = { 2: both[2] };
    const objects = [shop.integrationUuid, lost.integrationUuid, "platform"];
    const deploy = async (secrets: Readonly<Record<string, string>>) => {
      for (const object of objects) await setWalletSettings(object, { WALLET_SECRETS: secrets });
      for (const object of objects) await endObject(object);
    };

    await deploy(both);
    await loseObject(lost.integrationUuid);
    const round = await bodyOf<{ resealed: string[]; failed: object[]; remaining: number }>(
      await withSecrets(both, "/secret-rotation"),
      200,
    );
    expect(round).toMatchObject({ version: 2, remaining: 1 });
    expect(round.resealed).toContain(shop.integrationUuid);
    expect(round.failed).toMatchObject([{ integration_uuid: lost.integrationUuid }]);
    await bodyOf(await withSecrets(both, `/integration/${lost.integrationUuid}/wallet/restore`), 200);
    await bodyOf(await withSecrets(both, `/integration/${lost.integrationUuid}/wallet/activate`), 200);
    expect(await bodyOf(await withSecrets(both, "/secret-rotation"), 200)).toEqual({
      version: 2,
      resealed: [lost.integrationUuid],
      failed: [],
      remaining: 0,
      webhooks: { resealed: 0, failed: [], remaining: 0 },
      reveals: { resealed: 0, failed: [], remaining: 0 },
    });
    expect(await bodyOf(await withSecrets(both, "/secret-rotation"), 200)).toMatchObject({ resealed: [] });

    await deploy(second);
    await bodyOf(await mint(shop, collection), 201);
    await createIntegration("Made after the rotation");
    // The copy in D1 is under the new version too: a lost object is restored without the old one.
    await loseObject(shop.integrationUuid);
    const path = `/integration/${shop.integrationUuid}/wallet`;
    expect(await bodyOf(await withSecrets({ 1: first }, `${path}/restore`), 409)).toMatchObject({
      message: expect.stringContaining("version 2"),
    });
    await setWalletSettings(shop.integrationUuid, { WALLET_SECRETS: second });
    await bodyOf(await withSecrets(second, `${path}/restore`), 200);
    await bodyOf(await withSecrets(second, `${path}/activate`), 200);
    await bodyOf(await mint(shop, collection), 201);
  });

  test("is named to callers and the operator where the settings lack it, and no mint is lost or done twice", async () => {
    const [shop, collection] = await opened("Unsealed");
    const random = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
    const complete = await setWalletSettings(shop.integrationUuid, { WALLET_SECRETS: { 9: random } });
    await endObject(shop.integrationUuid);
    const key = crypto.randomUUID();
    const mintOnce = () => mint(shop, collection, { "idempotency-key": key });
    const isMissing = {
      code: "not_configured",
      message: expect.stringMatching(/ add version [12] to WALLET_SECRETS/),
    };
    expect(await bodyOf(await mintOnce(), 503)).toMatchObject({ ...isMissing, outcome: "not_submitted" });
    expect(await bodyOf(await wallet(shop), 503)).toMatchObject(isMissing);
    expect(await bodyOf(await wallet(shop, "/restore"), 503)).toMatchObject(isMissing);
    await background.reconcile();
    const { attention } = await bodyOf<Overview>(await admin("/overview"), 200);
    expect(attention).toContainEqual(
      expect.objectContaining({ rule: "wallet_inactive", subject: shop.walletAccountId }),
    );
    const stuck = await bodyOf<object[]>(await admin("/transaction/stuck"), 200);
    expect(stuck).toContainEqual(
      expect.objectContaining({ integration_uuid: shop.integrationUuid, state: "wallet_inactive" }),
    );
    await complete();
    await endObject(shop.integrationUuid);
    await bodyOf(await mintOnce(), 201);
    await background.reconcile();
    const after = await bodyOf<Overview>(await admin("/overview"), 200);
    expect(after.attention.filter(({ subject }) => subject === shop.walletAccountId)).toEqual([]);
  });
});

test("a wallet whose storage can't be read is shown to the operator, with what to do", async () => {
  const shop = await createIntegration("Unreadable");
  const rename = (from: string, to: string) =>
    runInDurableObject(env.WALLET.getByName(shop.integrationUuid), (_, { storage }) =>
      storage.sql.exec(`ALTER TABLE ${from} RENAME TO ${to}`),
    );
  await rename("intents", "unread");
  const fails = {
    code: "database_unavailable",
    message: expect.stringContaining("object fails at each call"),
  };
  expect(await bodyOf(await wallet(shop), 503)).toMatchObject(fails);
  expect(await bodyOf(await wallet(shop, "/restore"), 503)).toMatchObject(fails);
  await background.reconcile();
  const { attention } = await bodyOf<Overview>(await admin("/overview"), 200);
  expect(attention).toContainEqual(
    expect.objectContaining({ rule: "wallet_inactive", subject: shop.walletAccountId }),
  );
  await rename("unread", "intents");
  await bodyOf(await wallet(shop), 200);
});

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { picture } from "../../testing/pictures.ts";
import {
  type ApiRequest,
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import {
  createCollection,
  createDraft,
  createHalfSold,
  type Finalized,
  mintedOnChain,
} from "../support/collections.ts";
import { forgetContract, goBack, takeSnapshot } from "../support/database.ts";
import {
  background,
  killAt,
  killedAt,
  observeCheckpoints,
  operationOver,
  readOperation,
} from "../support/operations.ts";
import { NOTHING, recoverDatabase } from "../support/recovery.ts";
import { acknowledged, loseObject } from "../support/wallets.ts";

let shop: TestIntegration;
let collection: Finalized;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Operations");
  collection = await createCollection(shop, { copies: [1000] });
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(() => observeCheckpoints(null));

const mint = (key: string | null, request: ApiRequest = {}, uuid = collection.collection_uuid) =>
  api(`/collection/${uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [alice] },
    ...request,
    headers: { ...(key !== null && { "idempotency-key": key }), ...request.headers },
  });

const finalize = (draft: string, key: string) =>
  api(`/collection-draft/${draft}/finalize`, {
    key: shop.key,
    method: "POST",
    headers: { "idempotency-key": key },
  });

const minted = () => mintedOnChain(shop, collection);

const replayed = async (answer: Response, status: number): Promise<unknown> => {
  expect(answer.headers.get("idempotency-replayed")).toBe("true");
  return bodyOf(answer, status);
};

describe("an operation that a recovery restores", () => {
  test("with a failure keeps that failure, and is not tried again", async () => {
    const small = await createHalfSold(shop);
    const before = await takeSnapshot();
    const { collection_uuid: uuid } = small;
    const failed = await bodyOf(
      await mint("sold out", { json: { receiver_addresses: [alice, alice] } }, uuid),
      409,
    );
    await bodyOf(await mint("one is left", {}, uuid), 201);
    await acknowledged(shop.integrationUuid);
    await goBack(before);
    expect(await recoverDatabase()).toMatchObject({ operations: 2, idempotency_keys: 2, unrestored: [] });
    const again = await mint("sold out", { json: { receiver_addresses: [alice, alice] } }, uuid);
    expect(await replayed(again, 409)).toEqual({ ...(failed as object), request_id: expect.any(String) });
  });

  test("and that was already accepted in the older database gets its later end", async () => {
    const killed = await killedAt("operation.before_effects", () => mint("accepted"));
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(killed, 202);
    const before = await takeSnapshot();
    await background.resume(uuid);
    const ended = await operationOver(shop.key, uuid);
    await bodyOf(await mint("latest"), 201);
    await goBack(before);
    expect((await readOperation(shop.key, uuid)).state).toBe("pending");
    expect(await recoverDatabase()).toMatchObject({ operations: 2, idempotency_keys: 1 });
    expect(await readOperation(shop.key, uuid)).toEqual({ ...ended, updated_at: expect.any(String) });
    expect(await recoverDatabase()).toEqual(NOTHING);
  });

  test("and that had not ended continues, and is carried out once", async () => {
    const before = await takeSnapshot();
    const count = await minted();
    const ordered = () => mint("not ended", { json: { receiver_addresses: [alice], reference: "order-7" } });
    const found = async () =>
      bodyOf<object[]>(await api("/operation?reference=order-7", { key: shop.key }), 200);
    killAt("operation.before_effects");
    await bodyOf(await ordered(), 202);
    await goBack(before);
    expect(await found()).toEqual([]);
    observeCheckpoints(null);
    await recoverDatabase();
    await replayed(await ordered(), 201);
    expect(await minted()).toBe(count + 1);
    expect(await found()).toMatchObject([{ kind: "mint", state: "succeeded", reference: "order-7" }]);
  });

  test("gets its key back from a request that was accepted after the rollback", async () => {
    const before = await takeSnapshot();
    const first = await bodyOf(await mint("contested"), 201);
    const count = await minted();
    await acknowledged(shop.integrationUuid);
    await goBack(before);
    await bodyOf(await killedAt("operation.accepted", () => mint("contested")), 500);
    await recoverDatabase();
    await background.reconcile(60_000);
    expect(await replayed(await mint("contested"), 201)).toEqual(first);
    expect(await minted()).toBe(count);
    const failed = await bodyOf<{ operation_uuid: string }[]>(
      await api("/operation?kind=mint&state=failed", { key: shop.key }),
      200,
    );
    expect(await readOperation(shop.key, failed[0]!.operation_uuid)).toMatchObject({
      state: "failed",
      answer: { status: 503 },
    });
  });

  test("gets its draft back from a finalization that was accepted after the rollback", async () => {
    const draft = await createDraft(shop, { copies: [2, 2] });
    const before = await takeSnapshot();
    const first = await bodyOf<Finalized>(await finalize(draft, "first"), 201);
    await acknowledged(shop.integrationUuid);
    await goBack(before);
    killAt("operation.accepted");
    await bodyOf(await finalize(draft, "second"), 500);
    observeCheckpoints(null);
    await recoverDatabase();
    await background.reconcile(60_000);
    expect(await replayed(await finalize(draft, "first"), 201)).toEqual(first);
    expect(await bodyOf(await finalize(draft, "third"), 409)).toMatchObject({ code: "draft_finalized" });
    const shown = await view<{ external_id: string }[]>(
      env.NEAR_RPC_URL,
      shop.contractAccountId,
      "collections",
    );
    const external = first.collection_uuid.replaceAll("-", "");
    expect(shown.filter(({ external_id }) => external_id === external)).toHaveLength(1);
  });

  test("doesn't affect other operations accepted after the rollback, which are carried out later", async () => {
    const before = await takeSnapshot();
    await bodyOf(await mint("lost"), 201);
    const count = await minted();
    await goBack(before);
    killAt("operation.accepted");
    await bodyOf(await mint("accepted since"), 500);
    observeCheckpoints(null);
    await background.reconcile(60_000);
    expect(await minted()).toBe(count);
    await recoverDatabase();
    await background.reconcile(180_000);
    expect(await minted()).toBe(count + 1);
    await replayed(await mint("accepted since"), 201);
  });
});

describe("a file that a mint fetched by its URL", () => {
  afterEach(() => vi.restoreAllMocks());

  test.each([
    ["of one block", 20_000],
    ["above one block", 3 * 1_048_576 + 17],
  ])("%s is kept by the collection again after a recovery", async (_, size) => {
    const before = await takeSnapshot();
    const bytes = picture("png", size, size);
    const real = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      const request = new Request(input as RequestInfo, init as RequestInit);
      const isMedia = request.url === "https://media.example/a.png";
      return isMedia ? Promise.resolve(new Response(bytes)) : real(request);
    });
    const metadata = { asset_file_url: "https://media.example/a.png" };
    const request = { json: { receiver_addresses: [alice], metadata } };
    const first = await bodyOf<{ tokens: { metadata: { media: string } }[] }>(
      await mint(`file ${size}`, request),
      201,
    );
    await acknowledged(shop.integrationUuid);
    await goBack(before);
    expect(await recoverDatabase()).toMatchObject({ operations: 1, unrestored: [] });
    expect(await replayed(await mint(`file ${size}`, request), 201)).toEqual(first);
    // The clean-up must not delete it: it has to be referred to, not only exist. No cache has it before.
    for (const hours of [2, 4, 30, 32]) await background.reconcile(hours * 3_600_000);
    const file = await api(`/ipfs/${first.tokens[0]!.metadata.media}`);
    expect(file.status).toBe(200);
    expect((await file.arrayBuffer()).byteLength).toBe(bytes.length);
  });
});

describe("an integration that was created after the restored moment", () => {
  test("is restored with its wallet's key, its contract and its collection", async () => {
    const before = await takeSnapshot();
    const fresh = await createIntegration("Made since");
    const made = await createCollection(fresh, { copies: [5] });
    const request = (key: string) => ({
      key,
      json: { receiver_addresses: [alice] },
      headers: { "idempotency-key": "theirs" },
    });
    const path = `/collection/${made.collection_uuid}/mint`;
    const first = await bodyOf(await api(path, request(fresh.key)), 201);
    const integration = await bodyOf<object>(await admin(`/integration/${fresh.integrationUuid}`), 200);
    await acknowledged(fresh.integrationUuid);
    await goBack(before);
    expect((await admin(`/integration/${fresh.integrationUuid}`)).status).toBe(404);
    expect(await recoverDatabase()).toMatchObject({
      integrations: 1,
      contracts: 1,
      collections: 1,
      unrestored: [],
    });
    expect(await bodyOf(await admin(`/integration/${fresh.integrationUuid}`), 200)).toEqual({
      ...integration,
      created_at: expect.any(String),
    });
    const issued = await bodyOf<{ api_key: string }>(
      await admin(`/integration/${fresh.integrationUuid}/key`, { json: { name: "new", role: "full" } }),
      201,
    );
    expect(await replayed(await api(path, request(issued.api_key)), 201)).toEqual(first);
    // The sealed key is in the database again, so the object may be lost now.
    await loseObject(fresh.integrationUuid);
    for (const action of ["restore", "activate"]) {
      await bodyOf(
        await admin(`/integration/${fresh.integrationUuid}/wallet/${action}`, { method: "POST" }),
        200,
      );
    }
    await bodyOf(await api(path, { key: issued.api_key, json: { receiver_addresses: [alice] } }), 201);
    expect(await recoverDatabase()).toEqual(NOTHING);
  });

  test("has its acceptance of a contract restored", async () => {
    const [from, to] = [await createIntegration("Hands over"), await createIntegration("Accepts")];
    const next = { account_id: to.walletAccountId, keep_admin: false };
    await bodyOf(await admin(`/contract/${from.contractUuid}/hand-over`, { json: next }), 200);
    await forgetContract(from.contractAccountId);
    const before = await takeSnapshot();
    const json = { account_id: from.contractAccountId };
    await bodyOf(await admin(`/integration/${to.integrationUuid}/contract/accept`, { json }), 200);
    await goBack(before);
    expect(await recoverDatabase()).toMatchObject({ operations: 1, unrestored: [] });
    const accepted = await api("/operation?kind=contract_accept", { key: to.key });
    expect(await bodyOf(accepted, 200)).toMatchObject([{ kind: "contract_accept", state: "succeeded" }]);
  });

  test("has the contract that it adopted restored, because its collections need it", async () => {
    const other = await createIntegration("Adopts");
    await forgetContract(other.contractAccountId);
    const before = await takeSnapshot();
    const { contract_uuid: contractUuid } = await bodyOf<{ contract_uuid: string }>(
      await admin(`/integration/${other.integrationUuid}/contract/adopt`, {
        json: { account_id: other.contractAccountId },
      }),
      201,
    );
    const made = await createCollection({ ...other, contractUuid }, { copies: [5] });
    const path = `/collection/${made.collection_uuid}`;
    const shown = await bodyOf<object>(await api(path, { key: other.key }), 200);
    await goBack(before);
    expect(await recoverDatabase()).toMatchObject({ contracts: 0, collections: 1, unrestored: [] });
    expect(await bodyOf(await api(path, { key: other.key }), 200)).toEqual({
      ...shown,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });
});

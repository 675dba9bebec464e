import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import { createDraft, type Finalized } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { background } from "../support/operations.ts";
import { loseObject } from "../support/wallets.ts";

let shop: TestIntegration;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Adopts");
  [alice] = (await createReceivers(1)) as [string];
});

const finalize = (draft: string) =>
  api(`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" });

const read = async (path: string) => bodyOf<Record<string, unknown>>(await api(path, { key: shop.key }), 200);

/** Deletes a finalization's rows from the database, and the wallet's journal. */
const loseBoth = async (work: () => Promise<Finalized>): Promise<Finalized> => {
  const before = await takeSnapshot();
  const finalized = await work();
  await goBack(before);
  await loseObject(shop.integrationUuid);
  for (const action of ["restore", "activate"]) {
    await bodyOf(
      await admin(`/integration/${shop.integrationUuid}/wallet/${action}`, { method: "POST" }),
      200,
    );
  }
  return finalized;
};

const events: { event: string }[] = [];
const reconcile = async () => {
  events.length = 0;
  await background.reconcile(0, (event, fields) => events.push({ event, ...fields }));
};

const forgetManifest = (collectionUuid: string) => env.BUCKET.delete(`manifest/${collectionUuid}`);

describe("a collection that exists on the chain but not in the database", () => {
  test("is added with its draft, even if the database has neither", async () => {
    const finalized = await loseBoth(async () => {
      const draft = await createDraft(shop, { copies: [3, 4], references: true });
      return bodyOf<Finalized>(await finalize(draft), 201);
    });
    const uuid = finalized.collection_uuid;
    expect((await api(`/collection/${uuid}`, { key: shop.key })).status).toBe(404);
    await reconcile();
    expect(events).toContainEqual(
      expect.objectContaining({ event: "reconcile.collection_adopted", collection_uuid: uuid }),
    );
    const { created_at, updated_at, height, ...collection } = finalized.near_collection as Record<
      string,
      unknown
    >;
    expect(await read(`/collection/${uuid}`)).toMatchObject(collection);
    const { root_cid: root, files } = finalized.ipfs_result;
    expect((await api(`/ipfs/${root}/${files[1]!.name}`)).status).toBe(200);
    const mint = await api(`/collection/${uuid}/mint`, {
      key: shop.key,
      json: { receiver_addresses: [alice] },
    });
    await bodyOf(mint, 201);
    await reconcile();
    expect(events.filter(({ event }) => event.startsWith("reconcile.coll"))).toEqual([]);
  });

  test("is added with its draft if R2 has no list of its assets", async () => {
    const draft = await createDraft(shop, { copies: [5] });
    const finalized = await loseBoth(async () => bodyOf<Finalized>(await finalize(draft), 201));
    await forgetManifest(finalized.collection_uuid);
    await reconcile();
    expect(await read(`/collection-draft/${draft}`)).toMatchObject({
      state: "finalized",
      collection_uuid: finalized.collection_uuid,
    });
    expect(await bodyOf(await finalize(draft), 409)).toMatchObject({ code: "draft_finalized" });
  });

  test("is reported if its draft's assets have changed", async () => {
    const draft = await createDraft(shop, { copies: [5] });
    const finalized = await loseBoth(async () => bodyOf<Finalized>(await finalize(draft), 201));
    await forgetManifest(finalized.collection_uuid);
    const [asset] = await bodyOf<{ asset_uuid: string }[]>(
      await api(`/collection-draft/${draft}/asset`, { key: shop.key }),
      200,
    );
    await api(`/collection-draft/${draft}/asset/${asset!.asset_uuid}`, { key: shop.key, method: "DELETE" });
    await reconcile();
    expect(events).toContainEqual(expect.objectContaining({ event: "reconcile.collection_differs" }));
    expect(await read(`/collection-draft/${draft}`)).toMatchObject({ state: "draft" });
  });

  test("is returned if its draft is finalized again before the schedule has added it", async () => {
    const draft = await createDraft(shop, { copies: [5, 6] });
    const finalized = await loseBoth(async () => bodyOf<Finalized>(await finalize(draft), 201));
    const again = await bodyOf<Finalized>(await finalize(draft), 201);
    expect(again).toMatchObject({
      collection_uuid: finalized.collection_uuid,
      ipfs_result: finalized.ipfs_result,
      near_collection: { collection_id: finalized.near_collection.collection_id },
      tx_results: [],
    });
    const shown = await view<{ external_id: string }[]>(
      env.NEAR_RPC_URL,
      shop.contractAccountId,
      "collections",
    );
    const external = finalized.collection_uuid.replaceAll("-", "");
    expect(shown.filter(({ external_id }) => external_id === external)).toHaveLength(1);
  });

  test("is not created a second time with other assets", async () => {
    const draft = await createDraft(shop, { copies: [5, 6] });
    await loseBoth(async () => bodyOf<Finalized>(await finalize(draft), 201));
    const [asset] = await bodyOf<{ asset_uuid: string }[]>(
      await api(`/collection-draft/${draft}/asset`, { key: shop.key }),
      200,
    );
    await api(`/collection-draft/${draft}/asset/${asset!.asset_uuid}`, { key: shop.key, method: "DELETE" });
    expect(await bodyOf(await finalize(draft), 409)).toMatchObject({ code: "conflict" });
  });
});

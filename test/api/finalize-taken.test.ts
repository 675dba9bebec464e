import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { createDraft, type Finalized } from "../support/collections.ts";
import {
  createCollection,
  externalIdOf,
  plannedBatch,
  storedFinalization,
} from "../support/finalize-plans.ts";
import { acceptedOnly, background, observeCheckpoints, operationOver } from "../support/operations.ts";
import { sendFrom } from "../support/payments.ts";

let shop: TestIntegration;

beforeAll(async () => {
  shop = await createIntegration("Taken");
});
afterEach(() => observeCheckpoints(null));

const finalize = (draft: string) =>
  api(`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" });

const collections = () =>
  view<{ external_id: string }[]>(env.NEAR_RPC_URL, shop.contractAccountId, "collections");

/**
 * Accepts a draft's finalization and stops its drive before the first step. Meanwhile somebody else creates the
 * collection under its external id, with the first of the draft's assets. Returns the operation.
 */
const finalizedElsewhere = (draft: string, assets: number, publish: boolean) =>
  acceptedOnly(shop.key, `/collection-draft/${draft}/finalize`, () =>
    createElsewhere(draft, assets, publish),
  );

const createElsewhere = async (draft: string, assets: number, publish: boolean) => {
  const { operation_uuid: operation } = await bodyOf<{ operation_uuid: string }>(
    await api(`/collection-draft/${draft}`, { key: shop.key }),
    200,
  );
  const { settings, collectionUuid } = await storedFinalization(operation);
  const planned = { after: -1, offset: 0, assets, storage: 0 };
  const batch = await plannedBatch(draft, planned);
  const action = createCollection(
    { settings, externalId: externalIdOf(collectionUuid), publish },
    batch,
    10n ** 24n,
  );
  await sendFrom(shop.integrationUuid, shop.contractAccountId, [action]);
  return operation;
};

test("a finalization returns a collection that the contract already has", async () => {
  const draft = await createDraft(shop, { copies: [3, 4] });
  const before = (await collections()).length;
  const operation = await finalizedElsewhere(draft, 2, true);
  await background.reconcile(60_000);
  const { state, answer, transactions } = await operationOver<Finalized>(shop.key, operation);
  expect([state, answer?.status]).toEqual(["succeeded", 201]);
  expect(transactions.map(({ status }) => status)).toEqual(["failure"]);
  expect(await collections()).toHaveLength(before + 1);
  const mint = { receiver_addresses: [shop.walletAccountId] };
  await bodyOf(
    await api(`/collection/${answer!.body.collection_uuid}/mint`, { key: shop.key, json: mint }),
    201,
  );
});

test("a collection with fewer assets than the draft is a conflict, and the next call completes it", async () => {
  const draft = await createDraft(shop, { copies: [3, 4] });
  const before = (await collections()).length;
  const operation = await finalizedElsewhere(draft, 1, false);
  await background.reconcile(60_000);
  const { state, answer } = await operationOver<{ code: string }>(shop.key, operation);
  expect([state, answer?.status, answer?.body.code]).toEqual(["failed", 409, "conflict"]);
  const again = await bodyOf<Finalized>(await finalize(draft), 201);
  expect(again.near_collection.total_copies).toBe(7);
  expect(await collections()).toHaveLength(before + 1);
});

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
import { api, apiWith, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { headHeight, setFaults } from "../support/chain-control.ts";
import type { Finalized } from "../support/collections.ts";
import { addAssets, plannedBatch, storedFinalization, storePlan } from "../support/finalize-plans.ts";
import { LONG_SUBTITLES, largeDraft } from "../support/large-drafts.ts";
import {
  acceptedOnly,
  background,
  killAt,
  observeCheckpoints,
  operationOver,
  readOperation,
} from "../support/operations.ts";
import { drain, pay, sendFrom } from "../support/payments.ts";
import { eventually, until } from "../support/waiting.ts";

let integration: TestIntegration;

beforeAll(async () => {
  integration = await createIntegration();
  await pay("platform", integration.walletAccountId, 10n ** 26n);
});
afterEach(async () => {
  observeCheckpoints(null);
  await setFaults();
});

const finalize = (draft: string) =>
  api(`/collection-draft/${draft}/finalize`, { key: integration.key, method: "POST" });

const onChain = () =>
  view<{ collection_id: number; total: number; assets: number; published: boolean }[]>(
    env.NEAR_RPC_URL,
    integration.contractAccountId,
    "collections",
    { limit: 50 },
  );

const over = async (answer: Response): Promise<Finalized> => {
  if (answer.status === 201) return bodyOf<Finalized>(answer, 201);
  const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
  const operation = await operationOver<Finalized>(integration.key, uuid);
  expect(operation.state).toBe("succeeded");
  return operation.answer!.body;
};

test("10,000 assets with reference files are finalized in one transaction, and the answer lists every file", async () => {
  const draft = await largeDraft(integration, {
    assets: 10_000,
    first: 0,
    subtitle: "'#$TOKEN_NUM'",
    references: true,
  });
  const body = await over(await finalize(draft));
  expect(body.tx_results.map(({ status }) => status)).toEqual(["success"]);
  expect(body.ipfs_result.files).toHaveLength(20_000);
  expect((await onChain()).at(-1)).toMatchObject({ total: 10_000, assets: 10_000, published: true });
  // D1 has the draft's state within seconds. Until then the answer is that of the finalization.
  await eventually(async () =>
    expect(await bodyOf(await finalize(draft), 409)).toMatchObject({ code: "draft_finalized" }),
  );
});

test("a collection of the most assets for its copies can be minted from, and a draft of more is kept", async () => {
  const drafted = { subtitle: "NULL", references: false, copies: 65_536 };
  const draft = await largeDraft(integration, { ...drafted, assets: 16_384, first: 6_000_000 });
  const { collection_uuid: uuid } = await over(await finalize(draft));
  const minted = await api(`/collection/${uuid}/mint`, {
    key: integration.key,
    json: { receiver_addresses: [integration.walletAccountId] },
  });
  await bodyOf(minted, 201);
  const before = await onChain();
  const more = await largeDraft(integration, { ...drafted, assets: 16_385, first: 7_000_000 });
  expect(await bodyOf(await finalize(more), 409)).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("16385 assets. If one has 65536 copies, a collection has at most 16384"),
  });
  expect(await readDraft(more)).toMatchObject({ state: "draft" });
  expect(await onChain()).toEqual(before);
});

/** These need more than one batch. */
const ASSETS = 1_500;

/** Finalizes a draft, and stops that from the nth pass of a point on, until `observeCheckpoints(null)`. Returns the operation. */
const interrupted = async (draft: string, point: string, pass = 1): Promise<string> => {
  const kills = killAt(point, (number) => number >= pass);
  await (await finalize(draft)).body?.cancel();
  // A request that takes long is answered before its work comes to that point.
  await until(async () => kills.count > 0);
  const { operation_uuid: uuid } = await readDraft(draft);
  return uuid!;
};

const readDraft = async (draft: string) =>
  bodyOf<{ state: string; operation_uuid: string | null }>(
    await api(`/collection-draft/${draft}`, { key: integration.key }),
    200,
  );

test("a draft of several transactions becomes one collection, even if its finalization is interrupted", async () => {
  const draft = await largeDraft(integration, { assets: ASSETS, first: 1_000_000, ...LONG_SUBTITLES });
  const before = await onChain();
  // The collection is on the chain, its second batch is not.
  const uuid = await interrupted(draft, "operation.before_submit", 2);
  expect((await onChain()).at(-1)).toMatchObject({ published: false });
  observeCheckpoints(null);
  await background.reconcile(60_000);
  const operation = await operationOver<Finalized>(integration.key, uuid);
  expect(operation.state).toBe("succeeded");
  const body = operation.answer!.body;
  expect(body.tx_results.length).toBe(3);
  expect(new Set(body.tx_results.map(({ transaction_hash }) => transaction_hash)).size).toBe(3);
  expect(body.ipfs_result.files).toHaveLength(ASSETS);
  const after = await onChain();
  expect(after).toHaveLength(before.length + 1);
  expect(after.at(-1)).toMatchObject({ total: ASSETS, assets: ASSETS, published: true });
});

test("a finalization continues with its first plan, whatever plan a later release would make", async () => {
  const draft = await largeDraft(integration, { assets: ASSETS, first: 2_000_000, ...LONG_SUBTITLES });
  // The release that accepted it made three batches; this one would make two.
  const cut = (offset: number, assets: number) => ({
    after: offset - 1,
    offset,
    assets,
    storage: assets * 1_100,
  });
  const plan = { batches: [cut(0, 500), cut(500, 500), cut(1_000, 500)], assets: ASSETS, total: ASSETS };
  const uuid = await acceptedOnly(integration.key, `/collection-draft/${draft}/finalize`, async () => {
    const { operation_uuid: accepted } = await readDraft(draft);
    await storePlan(accepted!, plan);
    return accepted!;
  });
  await background.resume(uuid);
  const operation = await operationOver<Finalized>(integration.key, uuid);
  expect(operation.answer?.body.tx_results).toHaveLength(4);
  expect((await onChain()).at(-1)).toMatchObject({ total: ASSETS, assets: ASSETS, published: true });
});

test("after a failed batch the draft is kept, and the next call continues there, whatever node answers", async () => {
  const draft = await largeDraft(integration, { assets: ASSETS, first: 3_000_000, ...LONG_SUBTITLES });
  const [before, height] = [await onChain(), await headHeight()];
  const first = await interrupted(draft, "operation.before_submit", 2);
  const { plan } = await storedFinalization(first);
  expect(plan?.batches).toHaveLength(2);
  // Somebody else has already added the next batch.
  const { collection_id: collectionId, assets: offset } = (await onChain()).at(-1)!;
  const batch = await plannedBatch(draft, plan!.batches[1]!);
  const deposit = BigInt(plan!.batches[1]!.storage) * 10n ** 19n;
  await sendFrom(integration.integrationUuid, integration.contractAccountId, [
    addAssets(collectionId, offset, batch, deposit),
  ]);
  observeCheckpoints(null);
  await background.resume(first);
  expect(await operationOver(integration.key, first)).toMatchObject({ state: "failed" });
  expect(await readDraft(draft)).toEqual(
    expect.objectContaining({ state: "finalizing", operation_uuid: first }),
  );
  // Another node, which isn't known to be behind the chain.
  await setFaults({ kind: "freeze", node: "/behind", height });
  const NEAR_RPC_URL = new URL("/behind", env.NEAR_RPC_URL).href;
  const { response } = await apiWith({ NEAR_RPC_URL }, `/collection-draft/${draft}/finalize`, {
    key: integration.key,
    method: "POST",
  });
  expect(await bodyOf(response, 503)).toMatchObject({ code: "chain_unavailable", outcome: "not_submitted" });
  await setFaults();
  const body = await over(await finalize(draft));
  expect(body.tx_results).toHaveLength(1);
  const after = await onChain();
  expect(after).toHaveLength(before.length + 1);
  expect(after.at(-1)).toMatchObject({ total: ASSETS, assets: ASSETS, published: true });
  // D1 has the draft's state within seconds.
  await eventually(async () => expect(await readDraft(draft)).toMatchObject({ state: "finalized" }));
});

test("a finalization whose wallet runs out of money stays pending until the wallet is topped up", async () => {
  const poor = await createIntegration("Halfway poor");
  await pay("platform", poor.walletAccountId, 10n ** 26n);
  const draft = await largeDraft(poor, { assets: ASSETS, first: 4_000_000, ...LONG_SUBTITLES });
  const kills = killAt("operation.before_submit", (pass) => pass >= 2);
  const send = () => api(`/collection-draft/${draft}/finalize`, { key: poor.key, method: "POST" });
  const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(await send(), 202);
  await until(async () => kills.count > 0);
  await drain(poor.integrationUuid);
  observeCheckpoints(null);
  await background.resume(uuid);
  expect(await readOperation(poor.key, uuid)).toMatchObject({ state: "pending" });
  await pay("platform", poor.walletAccountId, 10n ** 26n);
  await background.resume(uuid);
  expect(await operationOver(poor.key, uuid)).toMatchObject({ state: "succeeded" });
});

test("the directory of a large draft is stored once, even if several calls finish it", async () => {
  const draft = await largeDraft(integration, {
    assets: 2_000,
    first: 5_000_000,
    subtitle: "NULL",
    references: false,
  });
  const uuid = await interrupted(draft, "operation.settled");
  const ends = killAt("operation.before_effects", () => false);
  await Promise.all([0, 1, 2].map(() => background.resume(uuid)));
  expect(await operationOver(integration.key, uuid)).toMatchObject({ state: "succeeded" });
  expect(ends.passes).toBe(1);
});

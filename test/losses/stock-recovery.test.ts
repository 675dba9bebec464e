import { eq } from "drizzle-orm";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
// Inside: no answer tells which files a collection keeps, and which of them are to be pinned.
import { collectionBlobs } from "../../src/db/schema/index.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { picture } from "../../testing/pictures.ts";
import { admin, api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { createHidden } from "../support/hidden-collections.ts";
import { background, eventsOf, readOperation } from "../support/operations.ts";
import { recoverDatabase } from "../support/recovery.ts";
import { db } from "../support/uploads.ts";
import { acknowledged, replaceObject } from "../support/wallets.ts";

/** Locks, reveals and updates that a rolled-back database has lost: each is reported once, with its operation. */

interface Told {
  readonly data: { readonly operation_uuid: string | null };
}

let shop: TestIntegration;

beforeAll(async () => {
  shop = await createIntegration("Rolled back stock");
});
afterEach(() => vi.restoreAllMocks());

const operationsTold = async (type: string) =>
  (await eventsOf<Told>(shop.key, type)).map(({ data }) => data.operation_uuid);

const writes = {
  "collection.locked": {
    make: async () => (await createCollection(shop, { copies: [5] })).collection_uuid,
    send: (uuid: string) =>
      api(`/collection/${uuid}/lock`, { key: shop.key, method: "PUT", json: { locks: ["supply"] } }),
  },
  "collection.revealed": {
    make: async () => (await createHidden(shop, { copies: [1, 1] })).collection.collection_uuid,
    send: (uuid: string) => api(`/collection/${uuid}/reveal`, { key: shop.key, json: {} }),
  },
} as const;

test.each(Object.keys(writes) as (keyof typeof writes)[])(
  "a %s of before the rollback isn't reported as its owner's",
  async (type) => {
    const { make, send } = writes[type];
    const uuid = await make();
    const before = await takeSnapshot();
    await bodyOf(await send(uuid), 200);
    await acknowledged(shop.integrationUuid);
    await goBack(before);
    await background.reconcile();
    expect(await operationsTold(type)).toEqual([]);
    // A repeated write is refused before it looks at what is shown.
    await send(uuid);
    expect(await operationsTold(type)).toEqual([]);
    await recoverDatabase();
    await background.reconcile();
    expect(await operationsTold(type)).toEqual([expect.any(String)]);
  },
);

test("an update that was settled as having taken effect keeps its files and its event", async () => {
  const url = "https://files.example.com/egret.png";
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
    new Request(input as RequestInfo, init as RequestInit).url === url
      ? Promise.resolve(new Response(picture("png", 71)))
      : real(input, init),
  );
  const { collection_uuid: uuid } = await createCollection(shop, { copies: [5] });
  const mint = { receiver_addresses: [shop.walletAccountId] };
  const answer = await api(`/collection/${uuid}/mint`, { key: shop.key, json: mint });
  const { tokens } = await bodyOf<{ tokens: { token_id: string }[] }>(answer, 201);
  const before = await takeSnapshot();
  await setFaults({ kind: "reply_lost", methods: ["send_tx"] }, { kind: "unknown_transaction" });
  const update = await api(`/collection/${uuid}/nft-update`, {
    ...{ key: shop.key, method: "PUT", headers: { prefer: "respond-async" } },
    json: { token_id: tokens[0]!.token_id, asset_file_url: url },
  });
  const { operation_uuid: operation } = await bodyOf<{ operation_uuid: string }>(update, 202);
  await replaceObject(shop.integrationUuid);
  await background.resume(operation);
  await bodyOf(await admin(`/operation/${operation}/settle`, { json: { had_effect: true } }), 200);
  await setFaults();
  const brought = () =>
    db
      .select({ pinState: collectionBlobs.pinState })
      .from(collectionBlobs)
      .where(eq(collectionBlobs.collectionId, uuid as Uuid));
  const kept = await brought();
  expect(kept).toContainEqual({ pinState: "due" });
  await acknowledged(shop.integrationUuid);
  await goBack(before);
  await recoverDatabase();
  expect(await readOperation(shop.key, operation)).toMatchObject({ state: "failed" });
  expect(await brought()).toEqual(kept);
  expect(await operationsTold("nft.updated")).toEqual([operation]);
});

import { runInDurableObject } from "cloudflare:test";
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
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { putLedger, takeLedger } from "../support/ledgers.ts";
import {
  background,
  eventsOf,
  type OperationResource,
  operationOver,
  readOperation,
} from "../support/operations.ts";
import { endObject, loseObject } from "../support/wallets.ts";

let shop: TestIntegration;
let made: Finalized;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Forgetful");
  made = await createCollection(shop, { copies: [100] });
  [alice] = (await createReceivers(1)) as [string];
});

const mint = (key: string = crypto.randomUUID()) =>
  api(`/collection/${made.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [alice] },
    headers: { "idempotency-key": key },
  });

const minted = () => mintedOnChain(shop, made);

const wallet = async (action: "restore" | "activate") =>
  bodyOf(await admin(`/integration/${shop.integrationUuid}/wallet/${action}`, { method: "POST" }), 200);

describe("a ledger that lost its storage", () => {
  test("accepts nothing until it is restored, and then has its operations, keys and collections again", async () => {
    const key = crypto.randomUUID();
    const first = await mint(key);
    const uuid = first.headers.get("x-operation-uuid")!;
    const answer = await bodyOf<object>(first, 201);
    const events = await eventsOf<{ seq: number }>(shop.key, "nft.minted");
    const before = await minted();
    await loseObject(shop.integrationUuid);
    for (const again of [key, crypto.randomUUID()]) {
      const refused = await mint(again);
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(await bodyOf(refused, 503)).toMatchObject({ outcome: "not_submitted" });
    }
    await wallet("restore");
    expect(await bodyOf(await mint(), 503)).toMatchObject({ code: "wallet_inactive" });
    await wallet("activate");
    const again = await mint(key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(answer);
    expect(await readOperation<object>(shop.key, uuid)).toMatchObject({ state: "succeeded" });
    expect(await minted()).toBe(before);
    await bodyOf(await mint(), 201);
    expect(await minted()).toBe(before + 1);
    const later = await eventsOf<{ seq: number }>(shop.key, "nft.minted");
    expect(later.at(-1)!.seq).toBeGreaterThan(events.at(-1)!.seq);
  });

  test("that is set back by minutes notices it before its first write, and gets back what has ended since", async () => {
    await bodyOf(await mint(), 201);
    await background.reconcile();
    const copy = await takeLedger(shop.integrationUuid, "all");
    const key = crypto.randomUUID();
    const uuid = (await mint(key)).headers.get("x-operation-uuid")!;
    const before = await minted();
    await runInDurableObject(env.WALLET.getByName(shop.integrationUuid), async (instance, { storage }) => {
      storage.sql.exec("UPDATE unshipped SET changed_at = 0");
      await (instance as unknown as { ship(): Promise<void> }).ship();
    });
    await background.reconcile();
    await putLedger(shop.integrationUuid, copy);
    await endObject(shop.integrationUuid);
    expect(await bodyOf(await mint(key), 503)).toMatchObject({ code: "wallet_inactive" });
    const early = await admin(`/integration/${shop.integrationUuid}/wallet/activate`, { method: "POST" });
    expect(await bodyOf(early, 409)).toMatchObject({ code: "conflict" });
    await wallet("restore");
    await wallet("activate");
    const again = await mint(key);
    expect(again.headers.get("x-operation-uuid")).toBe(uuid);
    await bodyOf(again, 201);
    expect(await minted()).toBe(before);
    await bodyOf(await mint(), 201);
    expect(await minted()).toBe(before + 1);
  });

  test.each([
    ["D1 knows more", false],
    ["only the chain knows more", true],
  ])(
    "signs nothing that was queued when it is set back, by its alarm or after its activation: %s",
    async (_, isD1Too) => {
      const object = () => env.WALLET.getByName(shop.integrationUuid);
      const change = (...texts: readonly string[]) =>
        runInDurableObject(object(), (__, { storage: { sql } }) => {
          for (const text of texts) sql.exec(text);
        });
      const before = await minted();
      await change(
        `CREATE TRIGGER held AFTER INSERT ON intents BEGIN
        UPDATE intents SET held_until = 9000000000000 WHERE id = NEW.id; END`,
      );
      const answer = await api(`/collection/${made.collection_uuid}/mint`, {
        key: shop.key,
        json: { receiver_addresses: [alice] },
        headers: { prefer: "respond-async" },
      });
      const { operation_uuid: uuid } = await bodyOf<OperationResource>(answer, 202);
      const release = ["DROP TRIGGER held", "UPDATE intents SET held_until = NULL"];
      await background.reconcile();
      const known = await env.DB.prepare("SELECT * FROM ledgers").all<Record<string, unknown>>();
      const copy = await takeLedger(shop.integrationUuid, "all");
      await change(...release);
      await endObject(shop.integrationUuid);
      await background.reconcile();
      await operationOver(shop.key, uuid);
      expect(await minted()).toBe(before + 1);
      await background.reconcile();
      await putLedger(shop.integrationUuid, copy);
      await change("UPDATE intents SET held_until = NULL");
      if (isD1Too)
        for (const { id, ...row } of known.results) {
          const set = Object.keys(row).map((name) => `${name} = ?`);
          await env.DB.prepare(`UPDATE ledgers SET ${set.join(", ")} WHERE id = ?`)
            .bind(...Object.values(row), id)
            .run();
        }
      await endObject(shop.integrationUuid);
      await background.reconcile();
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      expect(await bodyOf(await mint(), 503)).toMatchObject({ code: "wallet_inactive" });
      await wallet("restore");
      await wallet("activate");
      await background.reconcile();
      await bodyOf(await mint(), 201);
      expect(await minted()).toBe(before + 2);
    },
  );
});

test("a database that was set back gets the collections and drafts that ledgers have", async () => {
  const snapshot = await takeSnapshot();
  const later = await createCollection(shop, { copies: [1] });
  await background.reconcile();
  await goBack(snapshot);
  // Nothing is written: a ledger compares itself when it starts, and now and then.
  await endObject(shop.integrationUuid);
  await background.reconcile();
  const listed = await bodyOf<{ collection_uuid: string }[]>(
    await api("/collection", { key: shop.key }),
    200,
  );
  expect(listed.map(({ collection_uuid: uuid }) => uuid)).toContain(later.collection_uuid);
  const { operation_uuid: uuid } = (
    await bodyOf<OperationResource[]>(await api("/operation?kind=finalize&limit=1", { key: shop.key }), 200)
  )[0]!;
  expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "succeeded" });
  const { subject_uuid: draft } = await readOperation(shop.key, uuid);
  await background.reconcile();
  expect(await bodyOf(await api(`/collection-draft/${draft}`, { key: shop.key }), 200)).toMatchObject({
    state: "finalized",
  });
  const { root_cid: root, files } = later.ipfs_result;
  expect((await api(`/ipfs/${root}/${files[0]!.name}`)).status).toBe(200);
  const json = { receiver_addresses: [alice] };
  await bodyOf(await api(`/collection/${later.collection_uuid}/mint`, { key: shop.key, json }), 201);
});

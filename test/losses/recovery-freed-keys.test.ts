import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { balanceOf, SERVICES_NODE, setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { keyOf, type TestKey } from "../support/keys.ts";
import { operationOver } from "../support/operations.ts";
import { pay, sendFrom } from "../support/payments.ts";
import { recoverDatabase } from "../support/recovery.ts";

/** yoctoNEAR that a wallet keeps: enough for a no-op and its storage, too little for a mint. */
const KEPT = 15n * 10n ** 20n;

let shop: TestIntegration;
let collection: Finalized;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Freed keys");
  collection = await createCollection(shop, { copies: [1000] });
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(() => setFaults());

const mint = (key: string, headers: Record<string, string> = {}) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [alice] },
    headers: { "idempotency-key": key, ...headers },
  });

const minted = async () => {
  const { collection_id } = collection.near_collection;
  const args = { collection_id };
  const shown = await view<{ minted: number }>(env.NEAR_RPC_URL, shop.contractAccountId, "collection", args);
  return shown.minted;
};

/** Takes the wallet's money with another key of its account. Returns the amount. */
const rob = async (key: TestKey): Promise<bigint> => {
  const amount = (await balanceOf(shop.walletAccountId)) - KEPT;
  await key.send(shop.walletAccountId, alice, [{ kind: "transfer", deposit: amount.toString() }]);
  return amount;
};

test("a key that was used again after a failure belongs to its last operation after a recovery", async () => {
  const extra = keyOf();
  await sendFrom(shop.integrationUuid, shop.walletAccountId, [
    { kind: "add_full_access_key", publicKey: extra.publicKey },
  ]);
  await setFaults({ kind: "request_lost", methods: ["send_tx"], node: SERVICES_NODE });
  const accepted = await mint("freed", { prefer: "respond-async" });
  const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(accepted, 202);
  const amount = await rob(extra);
  const before = await takeSnapshot();
  await setFaults();
  expect((await operationOver(shop.key, uuid)).answer?.status).toBe(402);
  await pay("platform", shop.walletAccountId, amount);
  const first = await bodyOf(await mint("freed"), 201);
  const count = await minted();
  await goBack(before);
  expect(await recoverDatabase()).toMatchObject({ operations: 2, unrestored: [] });
  const again = await mint("freed");
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await bodyOf(again, 201)).toEqual(first);
  expect(await minted()).toBe(count);
  expect((await operationOver(shop.key, uuid)).answer?.status).toBe(402);
});

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { createAccount, view } from "../support/chain.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { keyOf, type TestKey } from "../support/keys.ts";
import { finalAnswer, readOperation } from "../support/operations.ts";
import { FORGETFUL, givenUp, mintBatch, walletOf } from "../support/own-wallets.ts";
import { pay, sendFrom } from "../support/payments.ts";
import { unsigned } from "../support/shared-mints.ts";
import { eventually, inOneDay } from "../support/waiting.ts";
import { endObject } from "../support/wallets.ts";

/** The contract's daily quota of mints without a full-access key, which orders never have to wait for. */

let shop: TestIntegration;
let receiver: string;
beforeAll(async () => {
  shop = await createIntegration("Busy shop");
  // What is stored is paid ahead by how fast mints come, so that a wallet's first money isn't always enough.
  await pay("platform", shop.walletAccountId, 10n ** 26n);
  [receiver] = (await createReceivers(1)) as [string];
});
beforeEach(inOneDay);
afterEach(() => setFaults());

interface Operation {
  readonly state: string;
  readonly transactions: readonly { readonly status: string }[];
}

/** Mints 25 tokens a request, and returns the operations. */
const mintMany = async ({ collection_uuid }: Finalized, requests: number): Promise<Operation[]> => {
  const json = { receiver_addresses: [receiver], quantity_per_receiver: 25 };
  const mint = async () => {
    const answer = await api(`/collection/${collection_uuid}/mint`, { key: shop.key, json });
    const uuid = answer.headers.get("x-operation-uuid");
    expect(await finalAnswer(shop.key, answer)).toMatchObject({ status: 201 });
    return bodyOf<Operation>(await api(`/operation/${uuid}`, { key: shop.key }), 200);
  };
  return Promise.all(Array.from({ length: requests }, mint));
};

const left = async (collection: Finalized): Promise<number> => {
  const { collection_id } = collection.near_collection;
  const shown = await view<{ staff_mints_left: number }>(
    env.NEAR_RPC_URL,
    shop.contractAccountId,
    "collection",
    { collection_id },
  );
  return shown.staff_mints_left;
};

test("more mints than the daily quota succeed at once, because the quota is raised in advance", async () => {
  const collection = await createCollection(shop, { copies: [2_000] });
  const before = await left(collection);
  const operations = [...(await mintMany(collection, 22)), ...(await mintMany(collection, 22))];
  expect(operations.length * 25).toBeGreaterThan(before);
  for (const { state, transactions } of operations) {
    expect(state).toBe("succeeded");
    expect(transactions.map(({ status }) => status)).toEqual(["success"]);
  }
  expect(await left(collection)).toBe(before + 1_000 - operations.length * 25);
});

test("a mint above a quota that wasn't raised succeeds", async () => {
  const collection = await createCollection(shop, { copies: [2_000] });
  const operations: Operation[] = [];
  for (let part = 0; part < 3; part += 1) {
    // A restarted object has counted nothing.
    await endObject(shop.integrationUuid);
    operations.push(...(await mintMany(collection, 14)));
  }
  expect(operations.map(({ state }) => state)).toEqual(Array(operations.length).fill("succeeded"));
  const failed = operations.filter(({ transactions }) =>
    transactions.some(({ status }) => status !== "success"),
  );
  expect(failed.length).toBeGreaterThan(0);
});

let stolenLanes = 0;

/** A key of the same rights as the wallet's lanes have, in other hands. The contract can pay for all that it mints. */
const stealLane = async (): Promise<TestKey> => {
  const key = keyOf();
  const { publicKey } = key;
  await sendFrom(shop.integrationUuid, shop.walletAccountId, [
    {
      ...{ kind: "add_function_call_key", publicKey },
      ...{ receiverId: shop.contractAccountId, methods: ["nft_batch_mint"] },
    },
  ]);
  // The contract can pay for all that is minted.
  const payer = `payer-${++stolenLanes}.test`;
  await createAccount(env.NEAR_RPC_URL, payer, key.text);
  await key.send(payer, shop.contractAccountId, [{ kind: "transfer", deposit: `${8n * 10n ** 24n}` }]);
  return key;
};

/** Mints with a key until the contract refuses. @returns the number of tokens */
const mintUntilRefused = async (key: TestKey, { near_collection }: Finalized): Promise<number> => {
  const actions = [mintBatch(near_collection.collection_id, [receiver], 100, null)];
  for (let tokens = 0; ; tokens += 100) {
    const status = await key.send(shop.walletAccountId, shop.contractAccountId, actions);
    if ("SuccessValue" in status) continue;
    expect(JSON.stringify(status)).toContain("E_STAFF_QUOTA");
    return tokens;
  }
};

test("a stolen lane key mints the quota and no more, and the shop's mints succeed", async () => {
  const collection = await createCollection(shop, { copies: [5_000] });
  const quota = await left(collection);
  const thief = await stealLane();
  let stolen = await mintUntilRefused(thief, collection);
  for (let round = 0; round < 3; round += 1) {
    const sold = await mintMany(collection, 4);
    expect(sold.map(({ state }) => state)).toEqual(Array(sold.length).fill("succeeded"));
    stolen += await mintUntilRefused(thief, collection);
  }
  expect(stolen).toBe(quota);
});

test("mints with an unknown outcome succeed once their shared transaction is found to have failed beyond the quota", async () => {
  const collection = await createCollection(shop, { copies: [2_000] });
  const minted = await mintUntilRefused(await stealLane(), collection);
  await setFaults(...FORGETFUL);
  const request = {
    ...{ key: shop.key, headers: { prefer: "respond-async" } },
    ...{ json: { receiver_addresses: [receiver] } },
  };
  const uuids = await unsigned(shop.integrationUuid, () =>
    Promise.all(
      [1, 2, 3].map(async () => {
        const answer = await api(`/collection/${collection.collection_uuid}/mint`, request);
        return (await bodyOf<{ operation_uuid: string }>(answer, 202)).operation_uuid;
      }),
    ),
  );
  await givenUp(shop.integrationUuid, uuids[0]!);
  for (const uuid of uuids) {
    await eventually(async () =>
      expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "unknown" }),
    );
  }
  await setFaults();
  await walletOf(shop.integrationUuid).reconcile();
  for (const uuid of uuids) {
    await eventually(async () =>
      expect(await readOperation(shop.key, uuid)).toMatchObject({
        state: "succeeded",
        transactions: [{ status: "failure" }, { status: "success" }],
      }),
    );
  }
  expect(await mintedOnChain(shop, collection)).toBe(minted + uuids.length);
});

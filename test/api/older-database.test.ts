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
import { createCollection, type Finalized } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";

let shop: TestIntegration;
let collection: Finalized;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Older");
  collection = await createCollection(shop, { copies: [1000] });
  [alice] = (await createReceivers(1)) as [string];
});

const mint = (key?: string) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [alice] },
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });

const minted = async () =>
  (
    await view<{ minted: number }>(env.NEAR_RPC_URL, shop.contractAccountId, "collection", {
      collection_id: collection.near_collection.collection_id,
    })
  ).minted;

const walletState = async () =>
  (await bodyOf<{ state: string }>(await admin(`/integration/${shop.integrationUuid}/wallet`), 200)).state;

describe("a database that is as new as its wallets", () => {
  test("is believed, however many operations come at once and in whatever order", async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => mint()));
    for (const answer of answers) await bodyOf(answer, 201);
    expect(await walletState()).toBe("active");
  });
});

describe("a database that went back in time", () => {
  test("mints nothing a second time under one key", async () => {
    const before = await takeSnapshot();
    await bodyOf(await mint("once"), 201);
    const count = await minted();
    await goBack(before);
    const again = await bodyOf<{ code: string; message: string; outcome: string }>(await mint("once"), 503);
    expect(again).toMatchObject({ code: "wallet_inactive", outcome: "not_submitted" });
    expect(again.message).toContain("Nothing was sent");
    expect(await minted()).toBe(count);
    expect(await walletState()).toBe("behind");
  });
});

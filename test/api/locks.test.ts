import { beforeAll, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { sendFrom } from "../support/payments.ts";

/** Locks are set on the chain by the contract's owner; the API tells them of tokens and with eligibility. */

interface Shown {
  readonly token_id: string;
  readonly locks: readonly string[];
}

let shop: TestIntegration;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Locks");
  [alice] = (await createReceivers(1)) as [string];
});

const lock = (at: TestIntegration, method: string, args: object) =>
  sendFrom(at.integrationUuid, at.contractAccountId, [
    {
      kind: "function_call",
      method,
      args: new TextEncoder().encode(JSON.stringify(args)),
      gas: `${3n * 10n ** 13n}`,
      deposit: "1",
    },
  ]);

const mint = async (at: TestIntegration, { collection_uuid: uuid }: Finalized, quantity: number) => {
  const json = { receiver_addresses: [alice], quantity_per_receiver: quantity };
  const answer = await api(`/collection/${uuid}/mint`, { key: at.key, json });
  return (await bodyOf<{ tokens: Shown[] }>(answer, 201)).tokens;
};

const locksOf = async (at: TestIntegration, { collection_uuid: uuid }: Finalized) =>
  (await bodyOf<Shown[]>(await api(`/collection/${uuid}/token`, { key: at.key }), 200)).map(
    ({ locks }) => locks,
  );

const eligibilityOf = async (at: TestIntegration, { collection_uuid: uuid }: Finalized) =>
  bodyOf<{ allowed: boolean; code: string | null; locks: readonly string[] }>(
    await api(`/collection/${uuid}/eligibility/${alice}`, { key: at.key }),
    200,
  );

const settings = { public_mint_config: { mint_fee: "0" } };

test("locks of a collection and of a token are told of each token, and with eligibility", async () => {
  const collection = await createCollection(shop, { copies: [10], settings });
  const { collection_id } = collection.near_collection;
  const minted = await mint(shop, collection, 2);
  expect(minted.map(({ locks }) => locks)).toEqual([[], []]);
  expect(await eligibilityOf(shop, collection)).toMatchObject({ allowed: true, locks: [] });

  await lock(shop, "collection_lock", { collection_id, locks: ["royalties"] });
  await lock(shop, "nft_lock", { token_id: minted[0]!.token_id });
  expect(await locksOf(shop, collection)).toEqual([["metadata", "royalties"], ["royalties"]]);
  expect((await mint(shop, collection, 1))[0]!.locks).toEqual(["royalties"]);

  await lock(shop, "collection_lock", { collection_id, locks: ["supply"] });
  expect(await eligibilityOf(shop, collection)).toMatchObject({
    allowed: false,
    code: "E_LOCKED",
    locks: ["supply", "royalties"],
  });
});

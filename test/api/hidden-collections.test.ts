import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import type { Finalized } from "../support/collections.ts";
import {
  createHidden,
  createHiddenDraft,
  finalizeDraft,
  type SecretAsset,
} from "../support/hidden-collections.ts";
import { background, finalAnswer, killedAt, OPERATION_POINTS } from "../support/operations.ts";

interface Reveal {
  readonly state: string;
  readonly shown: number;
  readonly commitment: string;
  readonly at: string | null;
}
interface Token {
  readonly token_id: string;
  readonly metadata: { readonly media: string; readonly reference: string | null; readonly title: string };
}
interface Revealed {
  readonly revealed: { readonly reveal: Reveal };
  readonly tx_results: readonly object[];
}

let shop: TestIntegration;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Secrets");
  [alice] = (await createReceivers(1)) as [string];
});

const reveal = ({ collection_uuid: uuid }: Finalized, json: object = {}, key = shop.key) =>
  api(`/collection/${uuid}/reveal`, { key, json });

const read = async ({ collection_uuid: uuid }: Finalized) =>
  bodyOf<{ reveal: Reveal | null; collection_draft_uuid: string }>(
    await api(`/collection/${uuid}`, { key: shop.key }),
    200,
  );

const mint = async ({ collection_uuid: uuid }: Finalized, quantity: number): Promise<Token[]> => {
  const json = { receiver_addresses: [alice], quantity_per_receiver: quantity };
  return (
    await bodyOf<{ tokens: Token[] }>(await api(`/collection/${uuid}/mint`, { key: shop.key, json }), 201)
  ).tokens;
};

const tokensOf = async ({ collection_uuid: uuid }: Finalized): Promise<Token[]> =>
  bodyOf(await api(`/collection/${uuid}/token`, { key: shop.key }), 200);

/** The assets as the contract has them, in its order. */
const onChain = ({ near_collection: { collection_id } }: Finalized) =>
  view<{ media: string; reference: string; copies: number; subtitle: string | null }[]>(
    env.NEAR_RPC_URL,
    shop.contractAccountId,
    "collection_assets",
    { collection_id, limit: 100 },
  );

/** Each token shows an asset of the draft, with all that belongs to it. */
const expectTruth = async (collection: Finalized, assets: readonly SecretAsset[]) => {
  for (const { metadata } of await tokensOf(collection)) {
    const asset = assets.find(({ asset_cid: cid }) => cid === metadata.media);
    expect(asset).toMatchObject({ reference_cid: metadata.reference });
    expect(metadata.title).toBe(`Hidden herons ${asset!.asset_subtitle}`);
  }
};

test("a hidden collection shows its placeholder, then what it was committed to, in a secret order", async () => {
  const { collection, assets, placeholder } = await createHidden(shop, { copies: Array(30).fill(2) });
  const { reveal: made } = await read(collection);
  expect(made).toMatchObject({ state: "hidden", shown: 0, at: null });
  const minted = await mint(collection, 20);
  expect(new Set(minted.map(({ metadata }) => metadata.media))).toEqual(new Set([placeholder]));

  const part = await bodyOf<Revealed>(await reveal(collection, { assets: 7 }), 200);
  expect(part.revealed.reveal).toEqual({ ...made, state: "partly", shown: 7 });
  expect(
    (await onChain(collection)).filter(({ media }) => media !== placeholder && media !== null),
  ).toHaveLength(7);

  const all = await bodyOf<Revealed>(await reveal(collection), 200);
  expect(all.revealed.reveal).toEqual({ ...made, state: "revealed", shown: 30 });
  expect((await read(collection)).reveal).toEqual(all.revealed.reveal);
  await expectTruth(collection, assets);
  const order = (await onChain(collection)).map(({ media }) => media);
  const drafted = assets.map(({ asset_cid: cid }) => cid);
  expect([...order].sort()).toEqual([...drafted].sort());
  // That a random order is the draft's has a chance of 1 to 30!.
  expect(order).not.toEqual(drafted);
  expect(await bodyOf(await reveal(collection), 409)).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("E_ALREADY_REVEALED"),
  });
  const events = await bodyOf<{ data: { reveal: Reveal } }[]>(
    await api("/event?type=collection.revealed", { key: shop.key }),
    200,
  );
  expect(events.map(({ data }) => data.reveal.shown)).toEqual([7, 30]);
});

test("copies stay with their assets, and what needs to know the order knows it after the reveal", async () => {
  const { collection, assets } = await createHidden(shop, { copies: [1, 2, 3, 4, 5] });
  const asset = assets[3]!.asset_uuid;
  const chosen = { receiver_addresses: [alice], asset_uuid: asset };
  const path = `/collection/${collection.collection_uuid}`;
  expect(await bodyOf(await api(`${path}/mint`, { key: shop.key, json: chosen }), 409)).toMatchObject({
    code: "conflict",
    outcome: "not_submitted",
  });
  const lock = (json: object) => api(`${path}/lock`, { key: shop.key, method: "PUT", json });
  for (const body of [{ locks: ["metadata"] }, { asset_uuids: [asset] }])
    expect(await bodyOf(await lock(body), 409)).toMatchObject({ code: "conflict" });
  await bodyOf(await reveal(collection), 200);
  const copies = new Map((await onChain(collection)).map(({ media, copies: count }) => [media, count]));
  expect(assets.map(({ asset_cid: cid }) => copies.get(cid))).toEqual([1, 2, 3, 4, 5]);
  const minted = await bodyOf<{ tokens: Token[] }>(
    await api(`${path}/mint`, { key: shop.key, json: chosen }),
    201,
  );
  expect(minted.tokens[0]!.metadata.media).toBe(assets[3]!.asset_cid);
  await bodyOf(await lock({ asset_uuids: [asset] }), 200);
  expect(await tokensOf(collection)).toMatchObject([{ locks: ["metadata"] }]);
});

test("a draft that hides its assets needs a placeholder, and says what it has", async () => {
  const { key, contractUuid } = shop;
  const create = (json: object) =>
    api("/collection-draft", { key, json: { contract_uuid: contractUuid, title: "Eggs", ...json } });
  const made = await bodyOf<{ collection_draft_uuid: string }>(await create({ reveal: true }), 201);
  expect(made).toMatchObject({ reveal: true, asset_placeholder: null });
  const path = `/collection-draft/${made.collection_draft_uuid}`;
  const put = async (json: object) => bodyOf(await api(path, { key, method: "PUT", json }), 200);
  expect(await put({ reveal: "2030-12-24T19:00:00+01:00" })).toMatchObject({
    reveal: "2030-12-24T18:00:00.000Z",
  });
  expect(await put({ reveal: null })).toMatchObject({ reveal: false });
  expect(await bodyOf(await create({ reveal: "soon" }), 400)).toMatchObject({
    issues: [{ path: ["reveal"] }],
  });

  const { draft } = await createHiddenDraft(shop, { copies: [1] });
  const bare = await bodyOf<{ collection_draft_uuid: string }>(await create({ reveal: true }), 201);
  const form = new FormData();
  const file = (await (await api(`/collection-draft/${draft}/asset`, { key })).json()) as {
    asset_url: string;
  }[];
  const bytes = await (await api(new URL(file[0]!.asset_url).pathname, { key: null as never })).arrayBuffer();
  form.append("asset_file", new File([bytes], "a.png"));
  form.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies: 1 }]));
  await bodyOf(await api(`/collection-draft/${bare.collection_draft_uuid}/asset-bulk`, { key, form }), 201);
  expect(await bodyOf(await finalizeDraft(key, bare.collection_draft_uuid), 409)).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("asset_placeholder"),
  });
});

describe("a kill", () => {
  test.each(OPERATION_POINTS)(
    "at %s of finalize and of reveal leaves a collection that can be revealed",
    async (point) => {
      const { draft, assets } = await createHiddenDraft(shop, { copies: [2, 2, 2] });
      await (
        await killedAt(
          point,
          () => finalizeDraft(shop.key, draft),
          (pass) => pass === 1,
        )
      ).body?.cancel();
      const { body: collection } = await finalAnswer<Finalized>(
        shop.key,
        await finalizeDraft(shop.key, draft),
      ).catch(async () => ({ body: await finalizedOf(draft) }));
      const made = "near_collection" in collection ? collection : await finalizedOf(draft);
      await mint(made, 3);
      await (
        await killedAt(
          point,
          () => reveal(made, { assets: 1 }),
          (pass) => pass === 1,
        )
      ).body?.cancel();
      for (;;) {
        const [open] = await bodyOf<{ operation_uuid: string }[]>(
          await api(`/operation?kind=collection_reveal&state=pending`, { key: shop.key }),
          200,
        );
        if (!open) break;
        await background.resume(open.operation_uuid);
      }
      expect((await read(made)).reveal).toMatchObject({ state: "partly", shown: 1 });
      await bodyOf(await reveal(made), 200);
      await expectTruth(made, assets);
    },
  );
});

const finalizedOf = async (draft: string): Promise<Finalized> => {
  const { collection_uuid: uuid } = await bodyOf<{ collection_uuid: string }>(
    await api(`/collection-draft/${draft}`, { key: shop.key }),
    200,
  );
  const near_collection = await bodyOf<Finalized["near_collection"]>(
    await api(`/collection/${uuid}`, { key: shop.key }),
    200,
  );
  return { collection_uuid: uuid, near_collection } as Finalized;
};

test("neither another integration nor a key that reads reveals anything", async () => {
  const { collection } = await createHidden(shop, { copies: [1, 1] });
  const { key } = await createIntegration("Curious");
  expect(await bodyOf(await reveal(collection, {}, key), 404)).toMatchObject({ code: "not_found" });
  expect(await bodyOf(await reveal(collection, {}, shop.readKey), 403)).toMatchObject({
    code: "read_only_key",
  });
  expect((await read(collection)).reveal).toMatchObject({ state: "hidden" });
});

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import { createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import { operationOver } from "../support/operations.ts";
import { pay } from "../support/payments.ts";
import { unsigned } from "../support/shared-mints.ts";
import { setWalletSettings } from "../support/wallets.ts";

interface Asset {
  readonly asset_uuid: string;
  readonly copies: number;
  readonly asset_cid: string;
}

interface Minted {
  readonly tokens: readonly { readonly token_id: string; readonly metadata: { readonly media: string } }[];
}

let shop: TestIntegration;
let made: Finalized;
let assets: readonly Asset[];
let receiver: string;

const assetsOf = async (draft: string) =>
  bodyOf<Asset[]>(await api(`/collection-draft/${draft}/asset`, { key: shop.key }), 200);

/** A collection, and its assets. */
const open = async () => {
  // The place of an asset on the chain isn't its position in the draft: the first one is deleted.
  const draft = await createDraft(shop, { copies: [1, 2, 40, 3] });
  const [first] = (await assetsOf(draft)).toReversed();
  const path = `/collection-draft/${draft}/asset/${first!.asset_uuid}`;
  expect((await api(path, { key: shop.key, method: "DELETE" })).status).toBe(204);
  const finalize = await api(`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" });
  return { made: await bodyOf<Finalized>(finalize, 201), assets: await assetsOf(draft) };
};

beforeAll(async () => {
  shop = await createIntegration("Shop");
  ({ made, assets } = await open());
  [receiver] = (await createReceivers(1)) as [string];
});

const mint = (json: object, key = shop.key, { collection_uuid: uuid } = made) =>
  api(`/collection/${uuid}/mint`, { key, json: { receiver_addresses: [receiver], ...json } });
const minted = async ({ near_collection } = made) => {
  const args = { collection_id: near_collection.collection_id };
  const shown = await view<{ minted: number }>(env.NEAR_RPC_URL, shop.contractAccountId, "collection", args);
  return shown.minted;
};

describe("a mint of a chosen asset", () => {
  test("takes its copies until none is left, which is refused before anything is sent", async () => {
    const own = await open();
    const send = (json: object) => mint(json, shop.key, own.made);
    for (const { asset_uuid, copies, asset_cid } of own.assets.filter((asset) => asset.copies < 10)) {
      const { tokens } = await bodyOf<Minted>(await send({ asset_uuid, quantity_per_receiver: copies }), 201);
      expect(tokens.map(({ metadata }) => metadata.media)).toEqual(Array(copies).fill(asset_cid));
      const before = await minted(own.made);
      const refused = await send({ asset_uuid });
      expect(await bodyOf(refused, 409)).toMatchObject({
        code: "sold_out",
        outcome: "not_submitted",
        retryable: false,
      });
      expect(refused.headers.get("x-operation-uuid")).toBeNull();
      expect(await minted(own.made)).toBe(before);
    }
  });

  test("that is too late for the last copies is refused on the chain, with the request's name of the asset", async () => {
    const draft = await createDraft(shop, { copies: [10, 100] });
    const { asset_uuid } = (await assetsOf(draft)).find(({ copies }) => copies === 10)!;
    const { collection_uuid: uuid } = await bodyOf<Finalized>(
      await api(`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" }),
      201,
    );
    const json = { receiver_addresses: [receiver], asset_uuid, quantity_per_receiver: 6 };
    const answers = await unsigned(shop.integrationUuid, () =>
      Promise.all(
        [1, 2].map(() =>
          api(`/collection/${uuid}/mint`, { key: shop.key, json, headers: { prefer: "respond-async" } }),
        ),
      ),
    );
    const over = await Promise.all(
      answers.map((answer) => operationOver(shop.key, answer.headers.get("x-operation-uuid")!)),
    );
    const failed = over.filter(({ state }) => state === "failed");
    expect(failed).toHaveLength(1);
    expect(failed[0]!.answer).toMatchObject({
      status: 409,
      body: {
        code: "sold_out",
        message: expect.stringContaining("asset_uuid: the asset has too few copies left: 4"),
      },
    });
  });

  /** A mint that has to be tried again, beside the draw of its block: it asks for all copies of an asset. */
  const hiddenByDraw = async (
    headersOf: (path: string, chosen: object) => Promise<Record<string, string>>,
  ) => {
    // Of one key, in the order of their nonces: with a key each, or one after the other, they could be in two blocks for ever.
    const setBack = await setWalletSettings(shop.integrationUuid, { LANE_DEPTH: 2 });
    try {
      for (let copies = 2; ; copies++) {
        await pay("platform", shop.walletAccountId, 10n ** 24n);
        const draft = await createDraft(shop, { copies: [copies, 20] });
        const { asset_uuid } = (await assetsOf(draft)).find((asset) => asset.copies === copies)!;
        const { collection_uuid: uuid } = await bodyOf<Finalized>(
          await api(`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" }),
          201,
        );
        const path = `/collection/${uuid}/mint`;
        const chosenBody = { receiver_addresses: [receiver], asset_uuid, quantity_per_receiver: copies };
        const headers = await headersOf(path, chosenBody);
        const answers = await unsigned(shop.integrationUuid, () =>
          Promise.all(
            [{ json: { receiver_addresses: [receiver] } }, { json: chosenBody, headers }].map((order) =>
              api(path, { key: shop.key, ...order, headers: { ...order.headers, prefer: "respond-async" } }),
            ),
          ),
        );
        const [drawn, chosen] = await Promise.all(
          answers.map((answer) => operationOver(shop.key, answer.headers.get("x-operation-uuid")!)),
        );
        expect(drawn).toMatchObject({ state: "succeeded", transactions: [{}] });
        const [first, ...later] = chosen!.transactions as unknown as readonly {
          failure_message: string | null;
        }[];
        if (first!.failure_message?.includes("later block")) return { chosen: chosen!, later };
      }
    } finally {
      await setBack();
    }
  };

  test("whose copies may have been drawn in the same block is tried again in a later block", async () => {
    const { chosen, later } = await hiddenByDraw(async () => ({}));
    const isTaken = chosen.state === "failed";
    if (isTaken) expect(chosen.answer).toMatchObject({ status: 409, body: { code: "sold_out" } });
    expect(later).toEqual([
      expect.objectContaining({
        failure_message: isTaken ? expect.stringContaining("too few copies") : null,
      }),
    ]);
  });

  test("isn't tried again beyond its maximum cost, and fails for the chain's reason", async () => {
    // Then no top-up is planned, from which a second mint could be paid.
    await pay("platform", shop.contractAccountId, 5n * 10n ** 24n);
    const { chosen, later } = await hiddenByDraw(async (path, body) => {
      const json = { method: "POST", path: `/api/v1${path}`, body };
      const quote = await api("/quote", { key: shop.key, json });
      const { cost } = await bodyOf<{ cost: { at_most: string } }>(quote, 201);
      // A quote counts gas at twice its price: this is enough for one mint.
      return { "mintage-max-cost": (BigInt(cost.at_most) / 2n).toString() };
    });
    expect(later).toEqual([]);
    expect(chosen.answer).toMatchObject({
      status: 409,
      body: {
        code: "conflict",
        outcome: "failed_on_chain",
        retryable: true,
        message: expect.stringContaining("Send it as a new request"),
      },
    });
  });

  test("reads the positions of the assets before it once, however often it is minted", async () => {
    const { asset_uuid } = assets.find(({ copies }) => copies === 40)!;
    const counts: string[] = [];
    const DB = failingD1(async (sql) => {
      if (/count\(\*\) FROM draft_assets/.test(sql)) counts.push(sql);
      return null;
    });
    for (const _mint of [1, 2]) {
      const { response, background } = await apiWith({ DB }, `/collection/${made.collection_uuid}/mint`, {
        key: shop.key,
        json: { receiver_addresses: [receiver], asset_uuid },
      });
      await bodyOf(response, 201);
      await background();
    }
    expect(counts).toHaveLength(1);
  });

  test("is refused for an asset that doesn't exist or is in another collection or integration", async () => {
    const other = await createDraft(shop, { copies: [5] });
    await bodyOf(await api(`/collection-draft/${other}/finalize`, { key: shop.key, method: "POST" }), 201);
    const [foreign] = await assetsOf(other);
    for (const uuid of [foreign!.asset_uuid, crypto.randomUUID()]) {
      expect(await bodyOf(await mint({ asset_uuid: uuid }), 404)).toMatchObject({ code: "not_found" });
    }
    expect(await bodyOf(await mint({ asset_uuid: "7" }), 400)).toMatchObject({
      issues: [{ path: ["asset_uuid"] }],
    });
    const stranger = await createIntegration("Stranger");
    await bodyOf(await mint({ asset_uuid: assets[0]!.asset_uuid }, stranger.key), 404);
    await bodyOf(await mint({ asset_uuid: assets[0]!.asset_uuid }, shop.readKey), 403);
  });
});

describe("receivers that have to exist", () => {
  test("are all named if they don't, and nothing is sent", async () => {
    const before = await minted();
    const implicit = "ab".repeat(32);
    const receiver_addresses = ["nobody.test", receiver, "no-one.test", implicit, "nobody.test"];
    const refused = await mint({ receiver_addresses, receivers_must_exist: true });
    const { issues, ...rest } = await bodyOf<{ issues: { path: unknown[] }[] }>(refused, 400);
    expect(rest).toMatchObject({
      code: "unknown_account",
      outcome: "not_submitted",
      message: "Create these accounts, or correct their ids: nobody.test, no-one.test.",
    });
    expect(issues.map(({ path }) => path)).toEqual([
      ["receiver_addresses", 0],
      ["receiver_addresses", 2],
      ["receiver_addresses", 4],
    ]);
    expect(await minted()).toBe(before);
    await bodyOf(await mint({ receiver_addresses: [receiver, implicit], receivers_must_exist: true }), 201);
  });

  test("may be missing if the request allows it", async () => {
    await bodyOf(await mint({ receiver_addresses: ["nobody.test"] }), 201);
    await bodyOf(await mint({ receiver_addresses: ["nobody.test"], receivers_must_exist: false }), 201);
  });
});

test("an asset can be chosen in a collection with another way of drawing", async () => {
  const { collection_uuid: uuid } = await createCollection(shop, { copies: [3, 3] });
  const json = { receiver_addresses: [receiver], quantity_per_receiver: 2 };
  await bodyOf(await api(`/collection/${uuid}/mint`, { key: shop.key, json }), 201);
});

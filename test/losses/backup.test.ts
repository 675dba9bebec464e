import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { admin, api, bodyOf, createIntegration, createReceivers } from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { background } from "../support/operations.ts";
import { loseObject } from "../support/wallets.ts";

/**
 * docs/running.md, "Backup and restore": database, bucket and wallets are all lost at once, and come back from a copy of
 * the first two and the sealed keys in it.
 */

interface Minted {
  readonly tokens: readonly { readonly token_id: string }[];
  readonly tx_results: readonly { readonly transaction_hash: string }[];
}

type Events = readonly {
  readonly seq: number;
  readonly type: string;
  readonly data: { readonly token_id?: string };
}[];

/** A copy of the bucket, object by object. */
async function copyBucket(): Promise<
  Map<string, { bytes: ArrayBuffer; metadata: R2HTTPMetadata | undefined }>
> {
  const copy = new Map<string, { bytes: ArrayBuffer; metadata: R2HTTPMetadata | undefined }>();
  let cursor: string | undefined;
  do {
    const page = await env.BUCKET.list({ cursor });
    for (const { key } of page.objects) {
      const object = await env.BUCKET.get(key);
      if (object) copy.set(key, { bytes: await object.arrayBuffer(), metadata: object.httpMetadata });
    }
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return copy;
}

test("a service that lost its database, bucket and wallets is restored from its backup", async () => {
  const shop = await createIntegration("Backed up");
  const { collection_uuid: uuid } = await createCollection(shop, { copies: [20] });
  const [alice] = await createReceivers(1);
  const mint = (headers: Record<string, string> = {}) =>
    api(`/collection/${uuid}/mint`, { key: shop.key, json: { receiver_addresses: [alice] }, headers });
  const headers = { "idempotency-key": crypto.randomUUID() };
  const first = await bodyOf<Minted>(await mint(headers), 201);
  const assets = await bodyOf<{ asset_url: string }[]>(
    await api(
      `/collection-draft/${(await bodyOf<{ collection_draft_uuid: string }>(await api(`/collection/${uuid}`, { key: shop.key }), 200)).collection_draft_uuid}/asset`,
      { key: shop.key },
    ),
    200,
  );
  const file = new URL(assets[0]?.asset_url ?? "").pathname;
  const bytes = await (await api(file)).arrayBuffer();

  // The backup: a copy of the database, then one of the bucket, which has all that the first refers to.
  const database = await takeSnapshot();
  const bucket = await copyBucket();
  expect(bucket.size).toBeGreaterThan(0);

  // After it another token is minted, of which the backup knows nothing.
  const second = await bodyOf<Minted>(await mint(), 201);

  const told = await bodyOf<Events>(await api("/event", { key: shop.key }), 200);
  const reached = told.at(-1)?.seq ?? 0;
  await loseObject(shop.integrationUuid);
  await loseObject("platform");
  for (const key of bucket.keys()) await env.BUCKET.delete(key);
  await goBack(new Map());
  expect((await api(`/collection/${uuid}`, { key: shop.key })).status).toBeGreaterThanOrEqual(401);

  await goBack(database);
  for (const [key, { bytes: content, metadata }] of bucket) {
    await env.BUCKET.put(key, content, { httpMetadata: metadata });
  }
  const wallet = (action: string) =>
    admin(`/integration/${shop.integrationUuid}/wallet/${action}`, { method: "POST" });
  expect(await bodyOf(await wallet("restore"), 200)).toMatchObject({ state: "restored" });
  expect(await bodyOf(await mint(), 503)).toMatchObject({ code: "wallet_inactive" });
  expect(await bodyOf(await wallet("activate"), 200)).toMatchObject({ state: "active" });

  // What was answered before is answered again, and nothing is minted for it.
  const replayed = await mint(headers);
  expect(replayed.headers.get("idempotency-replayed")).toBe("true");
  expect(await bodyOf<Minted>(replayed, 201)).toEqual(first);
  expect(new Uint8Array(await (await api(file)).arrayBuffer())).toEqual(new Uint8Array(bytes));
  // The chain has the token that the backup lacks: the next one has another number.
  const third = await bodyOf<Minted>(await mint(), 201);
  // A reader of events who came further than the copy misses none of what is told from now on.
  const news = await bodyOf<Events>(await api(`/event?after=${reached}`, { key: shop.key }), 200);
  expect(news.map(({ type, data }) => [type, data.token_id])).toContainEqual([
    "nft.minted",
    third.tokens[0]?.token_id,
  ]);
  const afterwards = await bodyOf<Events>(await api("/event", { key: shop.key }), 200);
  expect(new Set(afterwards.map(({ seq }) => seq)).size).toBe(afterwards.length);
  // The platform's wallet has its key from the secret, and goes on by itself.
  await createIntegration("Made after the loss");
  const ids = [first, second, third].flatMap(({ tokens }) => tokens.map(({ token_id }) => token_id));
  expect(new Set(ids).size).toBe(3);
  await background.reconcile();
  expect(await bodyOf(await api(`/collection/${uuid}`, { key: shop.key }), 200)).toMatchObject({ minted: 3 });
});

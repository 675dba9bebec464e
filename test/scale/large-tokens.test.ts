import { expect, test } from "vitest";
import { api, bodyOf, createIntegration } from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { finalAnswer } from "../support/operations.ts";
import { pay } from "../support/payments.ts";

/** The longest `extra`, with three bytes a character. 100 such tokens are 4.9 MB; a view returns at most 3 MB. */
const EXTRA = JSON.stringify("鷺".repeat(16_382));

test("tokens whose metadata exceeds one view's answer are all listed", async () => {
  const shop = await createIntegration("Long stories");
  await pay("platform", shop.walletAccountId, 10n ** 26n);
  const { collection_uuid: uuid } = await createCollection(shop, { copies: [80] });
  for (let call = 0; call < 3; call++) {
    const json = {
      receiver_addresses: [shop.walletAccountId],
      quantity_per_receiver: 25,
      metadata: { extra: EXTRA },
    };
    const minted = await finalAnswer(
      shop.key,
      await api(`/collection/${uuid}/mint`, { key: shop.key, json }),
    );
    expect(minted.status).toBe(201);
  }
  const listed = await bodyOf<{ token_id: string; metadata: { extra: string } }[]>(
    await api(`/collection/${uuid}/token`, { key: shop.key }),
    200,
  );
  expect(listed).toHaveLength(75);
  expect(new Set(listed.map(({ token_id }) => token_id)).size).toBe(75);
  expect(listed.every(({ metadata }) => metadata.extra === EXTRA)).toBe(true);

  // For anybody, a read looks at no more behind a megabyte of them, whatever it looks for.
  await bodyOf(await putPage(shop.key, uuid, { slug: "long-stories", enabled: true }), 200);
  let path: string | undefined = "/public/v1/page/long-stories/token?trait=Sky%3DBlue";
  let reads = 0;
  for (; path !== undefined; reads++) {
    const read: Response = await api(path);
    expect(await bodyOf(read, 200)).toEqual([]);
    path = read.headers.get("link")?.match(/<[^>]*(\/public[^>]*)>/)?.[1];
  }
  expect(reads).toBeGreaterThan(1);
});

import { expect, test } from "vitest";
import type { PublicToken } from "../../client/src/index.ts";
import { api, bodyOf, createIntegration } from "../support/api.ts";
import { createShown, putPage } from "../support/collectors.ts";
import { finalAnswer } from "../support/operations.ts";
import { eventually } from "../support/waiting.ts";

/** More than one request reads. */
const MINTED = 2_250;
const MOONS = ["Full", "Half", "New", "None"];

test("a collection that one request can't read is sorted by rarity once the service has read it", async () => {
  const shop = await createIntegration("Moons");
  const shown = await createShown(
    shop,
    { title: "Moons" },
    MOONS.map((value, index) => ({
      copies: [1_450, 700, 90, 10][index]!,
      reference: { attributes: [{ trait_type: "Moon", value }] },
    })),
  );
  const slug = `moons-${crypto.randomUUID().slice(0, 8)}`;
  const tokens = `/public/v1/page/${slug}/token`;
  await bodyOf(await putPage(shop.key, shown.collection_uuid, { slug, enabled: true }), 200);
  const mint = (receiver: string) =>
    api(`/collection/${shown.collection_uuid}/mint`, {
      key: shop.key,
      json: { receiver_addresses: [receiver], receivers_must_exist: false, quantity_per_receiver: 25 },
    });
  for (let minted = 0; minted < MINTED; minted += 250) {
    const receivers = Array.from({ length: 10 }, (_, index) => `c${minted + index}.near`);
    for (const answer of await Promise.all(receivers.map(mint)))
      expect(await finalAnswer(shop.key, answer)).toMatchObject({ status: 201 });
  }
  const gallery = async () => (await api(`/g/${slug}`)).text();
  await eventually(async () => {
    const [token] = await bodyOf<PublicToken[]>(await api(`${tokens}?limit=1`), 200);
    expect(token?.rarity_rank).not.toBeNull();
  });
  // The first question has the service read them all.
  const refused = await api(`${tokens}?sort=rarity`);
  expect(await bodyOf<{ message: string }>(refused, 400)).toMatchObject({
    message: expect.stringMatching(/^Choose another order, or ask again in a minute/),
  });
  await eventually(async () => expect(await gallery()).toContain("Rarest first"));
  const all: PublicToken[] = [];
  for (let next: string | undefined = `${tokens}?limit=100&sort=rarity`; next; ) {
    const answer = await api(next);
    all.push(...(await bodyOf<PublicToken[]>(answer, 200)));
    next = /^<http:\/\/mintage\.test([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  expect(new Set(all.map(({ number }) => number)).size).toBe(MINTED);
  const ranks = all.map(({ rarity_rank: rank }) => rank!);
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  expect([ranks[0], ranks[10], ranks[100], ranks[800]]).toEqual([1, 2, 3, 4]);
  const [full] = await bodyOf<PublicToken[]>(
    await api(`${tokens}?limit=1&sort=rarity&trait=Moon%3DHalf`),
    200,
  );
  expect(full).toMatchObject({ rarity_rank: 3, traits: [{ type: "Moon", value: "Half" }] });
});

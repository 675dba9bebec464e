import { env, exports } from "cloudflare:workers";
import { imageSize } from "image-size";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type {
  PublicEligibility,
  PublicMint,
  PublicToken,
  PublicTokenDetail,
  PublicTrait,
} from "../../client/src/index.ts";
import { createHidden, revealAll } from "../../testing/hidden-collection.ts";
import { picture } from "../../testing/pictures.ts";
import { api, apiWith, BASE, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { createCollection, createDraft } from "../support/collections.ts";
import { type Collector, createCollector, createShown, putPage } from "../support/collectors.ts";
import { inLedgers } from "../support/ledgers.ts";
import { MEDIA } from "../support/media.ts";
import { sendFrom } from "../support/payments.ts";
import { eventually } from "../support/waiting.ts";

const FEE = "1000000000000000000000000";
const settings = {
  title: "Night Herons",
  description: "After dark.",
  public_mint_config: { mint_fee: FEE, limit_per_account: 5 },
  private_mint_config: { mint_fee: "0", starts_at: "2099-01-01T00:00:00Z" },
};
const attributes = (sky: string, moon?: string) => ({
  attributes: [
    { trait_type: "Sky", value: sky },
    ...(moon === undefined ? [] : [{ trait_type: "Moon", value: moon }]),
  ],
});

let shop: TestIntegration;
let stranger: TestIntegration;
/** A collection of which all is minted, and the mint of most. */
let shown: Awaited<ReturnType<typeof createShown>>;
let minted: Awaited<ReturnType<typeof mint>>;
let slug: string;
/** The first collection of its contract, of which tests mint by wallets. */
let onSale: Awaited<ReturnType<typeof createShown>>;
let saleSlug: string;
let collector: Collector;

/** A UUID as D1 has it. */
const bytesOfUuid = (uuid: string) => Buffer.from(uuid.replaceAll("-", ""), "hex");

const newSlug = () => `herons-${crypto.randomUUID().slice(0, 8)}`;
const read = async <T>(path: string, status = 200) => bodyOf<T>(await api(`/public/v1/page/${path}`), status);
/** Reads until it is as wanted: reads may be two seconds behind, and traits are worked out beside the answer. */
async function readUntil<T>(path: string, wanted: (value: T) => boolean): Promise<T> {
  let value = await read<T>(path);
  for (let times = 0; !wanted(value); times++) {
    if (times === 100) throw new Error(`${path} still answers ${JSON.stringify(value).slice(0, 1_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
    value = await read<T>(path);
  }
  return value;
}
const mint = async (uuid: string, receiver: string, quantity: number) =>
  bodyOf<{ tokens: { token_id: string }[]; tx_results: { transaction_hash: string }[] }>(
    await api(`/collection/${uuid}/mint`, {
      key: shop.key,
      json: { receiver_addresses: [receiver], quantity_per_receiver: quantity },
    }),
    201,
  );

beforeAll(async () => {
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  collector = await createCollector();
  const assets = [
    { copies: 10, reference: attributes("Day", "Full") },
    { copies: 5, reference: attributes("Day") },
    { copies: 1, reference: attributes("Night") },
  ];
  [slug, saleSlug] = [newSlug(), newSlug()];
  onSale = await createShown(shop, settings, assets);
  shown = await createShown(shop, settings, assets);
  await bodyOf(await putPage(shop.key, onSale.collection_uuid, { slug: saleSlug, enabled: true }), 200);
  await bodyOf(await putPage(shop.key, shown.collection_uuid, { slug, enabled: true }), 200);
  minted = await mint(shown.collection_uuid, collector.accountId, 14);
  await mint(shown.collection_uuid, "other.near", 2);
});

afterEach(() => vi.unstubAllGlobals());

describe("PUT /collection/{uuid}/page", () => {
  test("creates the page, absent fields stay, and null clears a field", async () => {
    const { collection_uuid: uuid } = await createCollection(shop);
    const path = `/collection/${uuid}/page`;
    await bodyOf(await api(path, { key: shop.key }), 404);
    const mine = newSlug();
    const theme = { accent: "#AA00FF" };
    const links = [{ label: "Artist", url: "https://example.com/a" }];
    const made = await bodyOf(
      await putPage(shop.key, uuid, { slug: mine, theme, links, enabled: false }),
      200,
    );
    expect(made).toMatchObject({
      collection_uuid: uuid,
      slug: mine,
      cover_asset_uuid: null,
      theme: { accent: "#aa00ff" },
      links,
      enabled: false,
      mint_url: `http://mintage.test/m/${mine}`,
      gallery_url: `http://mintage.test/g/${mine}`,
      claim_url: `http://mintage.test/c/${mine}`,
    });
    expect(await bodyOf(await api(path, { key: shop.readKey }), 200)).toEqual(made);
    const changed = await bodyOf(
      await putPage(shop.key, uuid, { slug: mine, links: null, enabled: true }),
      200,
    );
    expect(changed).toMatchObject({ theme: { accent: "#aa00ff" }, links: [], enabled: true });
    expect(await read<object>(mine)).toMatchObject({ slug: mine, title: "Herons", left: 20 });
  });

  test("names the creator with a picture, and says more in Markdown; absent fields of a creator stay", async () => {
    const { collection_uuid: uuid } = await createCollection(shop);
    const own = newSlug();
    const put = async (json: object) =>
      bodyOf<{ creator: { picture_url: string } | null }>(
        await putPage(shop.key, uuid, { slug: own, enabled: true, ...json }),
        200,
      );
    const face = picture("png", 5);
    const creator = { name: "Ada <b>Heron", url: "https://example.com/ada" };
    const about = "# Why\n\nPainted **after dark** <script>x</script>, [more](https://example.com/x).";
    const made = await put({ creator: { ...creator, picture: Buffer.from(face).toString("base64") }, about });
    expect(made).toMatchObject({ creator, about });
    const address = made.creator!.picture_url;
    const open = (url: string) => exports.default.fetch(url);
    const shown = await open(address);
    expect(shown.headers.get("Content-Type")).toBe("image/png");
    expect(shown.headers.get("Cache-Control")).toContain("immutable");
    expect(shown.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(Buffer.from(face));
    expect(await read(own)).toMatchObject({ creator: { ...creator, picture_url: address }, about });
    const html = await (await open(`${BASE}/m/${own}`)).text();
    expect(html).toContain(`<img src="${address}" alt=""`);
    expect(html).toContain(
      '<a href="https://example.com/ada" rel="noopener nofollow"><bdi>Ada &lt;b&gt;Heron</bdi></a>',
    );
    expect(html).toContain('<h3 dir="auto">Why</h3>');
    expect(html).toContain('Painted <strong>after dark</strong> x, <a href="https://example.com/x"');
    // Nothing but the name changes; the same request under its key gets the same answer.
    const renamed = await put({ creator: { name: "Ada" } });
    expect(renamed).toMatchObject({ creator: { ...creator, name: "Ada", picture_url: address }, about });
    const keyed = () =>
      api(`/collection/${uuid}/page`, {
        key: shop.key,
        method: "PUT",
        json: { slug: own, enabled: true, creator: { name: "A.", url: null }, about: null },
        headers: { "Idempotency-Key": `page-${own}` },
      });
    const kept = await bodyOf(await keyed(), 200);
    expect(kept).toMatchObject({ creator: { name: "A.", url: null, picture_url: address }, about: null });
    expect(await bodyOf(await keyed(), 200)).toEqual(kept);
    expect(await bodyOf(await api(`/collection/${uuid}/page`, { key: shop.key }), 200)).toEqual(kept);
    // Nothing of a page that is switched off is shown.
    await put({ enabled: false });
    expect((await open(address)).status).toBe(404);
    expect(await put({ enabled: true })).toMatchObject({ creator: { picture_url: address } });
    expect((await open(address)).status).toBe(200);
    expect(await put({ creator: { name: "A.", picture: null } })).toMatchObject({
      creator: { name: "A.", url: null, picture_url: null },
    });
    expect((await open(address)).status).toBe(404);
    expect(await put({ creator: null })).toMatchObject({ creator: null });
    // What was read may be two seconds old.
    await eventually(async () => {
      const without = await (await open(`${BASE}/m/${own}`)).text();
      expect(without).toMatch(/By <\/span><bdi>[^<]+<\/bdi>/);
    });
  });

  test.each([
    [{ slug: "herons", enabled: true, creator: { url: "https://example.com" } }, "creator"],
    [{ slug: "herons", enabled: true, creator: { name: "A", picture: "bm90IGEgcGljdHVyZQ==" } }, "creator"],
    [{ slug: "herons", enabled: true, creator: { name: "A", picture: "A".repeat(43_696) } }, "creator"],
    [{ slug: "herons", enabled: true, creator: { name: "A", url: "javascript:alert(1)" } }, "creator"],
    [{ slug: "herons", enabled: true, about: "*a_".repeat(251) }, "about"],
    [{ slug: "herons", enabled: true, about: "x".repeat(4_001) }, "about"],
    [{ slug: "ab", enabled: true }, "slug"],
    [{ slug: "Herons", enabled: true }, "slug"],
    [{ slug: "a--b", enabled: true }, "slug"],
    [{ enabled: true }, "slug"],
    [{ slug: "herons" }, "enabled"],
    [{ slug: "herons", enabled: true, theme: { accent: "red;}" } }, "theme"],
    [{ slug: "herons", enabled: true, links: [{ label: "x", url: "javascript:alert(1)" }] }, "links"],
    [{ slug: "herons", enabled: true, links: [{ label: "x", url: "https://u:p@example.com" }] }, "links"],
    [{ slug: "herons", enabled: true, cover_asset_uuid: crypto.randomUUID() }, "cover_asset_uuid"],
    [{ slug: "herons", enabled: true, titel: "x" }, "titel"],
  ])("refuses %j", async (json, field) => {
    const refused = await bodyOf<{ issues: { path: string[] }[] }>(
      await putPage(shop.key, shown.collection_uuid, json),
      400,
    );
    expect(refused.issues[0]!.path[0]).toBe(field);
  });

  test("accepts only an asset of this collection as the cover", async () => {
    const json = { slug, enabled: true };
    const own = await putPage(shop.key, shown.collection_uuid, {
      ...json,
      cover_asset_uuid: shown.assetUuids[1],
    });
    expect(await bodyOf(own, 200)).toMatchObject({ cover_asset_uuid: shown.assetUuids[1] });
    const draft = await createDraft(shop);
    const [asset] = await bodyOf<{ asset_uuid: string }[]>(
      await api(`/collection-draft/${draft}/asset`, { key: shop.key }),
      200,
    );
    const other = { ...json, cover_asset_uuid: asset!.asset_uuid };
    await bodyOf(await putPage(shop.key, shown.collection_uuid, other), 400);
  });

  test("refuses an address of another page, and another integration's collection", async () => {
    const { collection_uuid: uuid } = await createCollection(shop);
    expect(await bodyOf(await putPage(shop.key, uuid, { slug, enabled: true }), 409)).toMatchObject({
      code: "conflict",
    });
    await bodyOf(await putPage(stranger.key, shown.collection_uuid, { slug: newSlug(), enabled: true }), 404);
    await bodyOf(await api(`/collection/${shown.collection_uuid}/page`, { key: stranger.key }), 404);
    await bodyOf(await putPage(shop.readKey, uuid, { slug: newSlug(), enabled: true }), 403);
  });
});

describe("GET /public/v1/page/{slug}", () => {
  test("returns the contract's state, and no internal data", async () => {
    const page = await read<Record<string, unknown>>(slug);
    expect(page).toMatchObject({
      title: "Night Herons",
      description: "After dark.",
      contract_address: shown.contract_address,
      collection_id: shown.near_collection.collection_id,
      phases: [
        { kind: "allowlist", mint_fee: "0", starts_at: "2099-01-01T00:00:00.000Z" },
        { kind: "public", mint_fee: FEE, limit_per_account: 5 },
      ],
      total_copies: 16,
      hidden: false,
    });
    expect(JSON.stringify(page)).not.toContain(shop.integrationUuid);
    expect(JSON.stringify(page)).not.toContain(shown.collection_uuid);
    const picture = await api(new URL((page.cover as { url: string }).url).pathname);
    expect(picture.headers.get("content-type")).toBe("image/png");
  });

  test("returns the same error for disabled, unknown and invalid pages", async () => {
    const { collection_uuid: uuid } = await createCollection(shop);
    const hidden = newSlug();
    await bodyOf(await putPage(shop.key, uuid, { slug: hidden, enabled: false }), 200);
    const answers = [];
    for (const name of [hidden, newSlug(), "A", "%00", "x".repeat(300)]) {
      const answer = await api(`/public/v1/page/${name}`);
      answers.push([answer.status, ((await answer.json()) as { code: string }).code]);
    }
    expect(answers.slice(0, 4)).toEqual(Array(4).fill([404, "not_found"]));
    expect(answers[4]).toEqual([400, "invalid_request"]);
    for (const rest of ["/token", "/trait", "/token/1", "/eligibility/alice.near"]) {
      await read(`${hidden}${rest}`, 404);
    }
  });

  test("is cached for two seconds, and uncached reads count towards the address's limit", async () => {
    const answer = await api(`/public/v1/page/${slug}`);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=2");
    const none = { limit: async () => ({ success: false }) };
    const elsewhere = { PAGE_LIMIT: none };
    const { response } = await apiWith(elsewhere, `/public/v1/page/${slug}/eligibility/bob.near`);
    expect(await bodyOf(response, 429)).toMatchObject({ code: "rate_limited" });
    expect(response.headers.get("retry-after")).toBe("10");
    // No cache may keep a refusal (RFC 6585, section 4).
    expect(response.headers.get("cache-control")).toBe("no-store");
    const first = await apiWith({}, `/public/v1/page/${slug}/token?limit=1`);
    await bodyOf(first.response, 200);
    await first.background();
    const kept = await apiWith(elsewhere, `/public/v1/page/${slug}/token?limit=1`);
    await bodyOf(kept.response, 200);
  });
});

describe("a mint from a wallet", () => {
  test("shows an account's price and balance before the mint", async () => {
    const { accountId } = await createCollector();
    const open = await readUntil<{ available: string | null }>(
      `${saleSlug}/eligibility/${accountId}?quantity=3`,
      ({ available }) => available !== null,
    );
    expect(open).toMatchObject({
      allowed: true,
      via: "public",
      mint_fee: FEE,
      total_fee: `3${"0".repeat(24)}`,
      remaining_for_account: 5,
      available: expect.stringMatching(/^\d{25,26}$/),
    });
    expect(await read<object>(`${saleSlug}/eligibility/${accountId}?quantity=6`)).toMatchObject({
      allowed: false,
      code: "E_MINT_LIMIT",
    });
    expect(
      await read<object>(`${saleSlug}/eligibility/nobody-${crypto.randomUUID().slice(0, 8)}.near`),
    ).toMatchObject({
      available: null,
    });
    for (const quantity of ["0", "26", "x"])
      await read(`${saleSlug}/eligibility/a.near?quantity=${quantity}`, 400);
  });

  test("succeeds with the price and the balance that the page asks for, and not with 0.001 NEAR less", async () => {
    const [, setAside] = /Up to ([0-9.]+) NEAR is/.exec(await (await api(`/m/${saleSlug}`)).text())!;
    const needed = BigInt(FEE) + BigInt(Math.round(Number(setAside) * 1_000)) * 10n ** 21n;
    const args = { collection_id: onSale.near_collection.collection_id };
    const [poor, able] = await Promise.all([createCollector(needed - 10n ** 21n), createCollector(needed)]);
    for (const { accountId } of [poor, able])
      await readUntil<PublicEligibility>(
        `${saleSlug}/eligibility/${accountId}`,
        ({ available }) => available !== null,
      );
    await poor.call(onSale.contract_address, "nft_mint", args, FEE);
    const hash = await able.call(onSale.contract_address, "nft_mint", args, FEE);
    const done = await readUntil<PublicMint>(
      `${saleSlug}/mint/${hash}?account_id=${able.accountId}`,
      ({ state }) => state === "succeeded",
    );
    expect(done.token_ids).toHaveLength(1);
    expect(await read(`${saleSlug}/token?owner=${poor.accountId}`)).toEqual([]);
  });

  test("succeeds once it is final, with the tokens of the contract's events", async () => {
    const friend = await createCollector();
    const args = {
      collection_id: onSale.near_collection.collection_id,
      quantity: 2,
      receiver_id: friend.accountId,
    };
    const hash = await collector.call(onSale.contract_address, "nft_mint", args, `2${"0".repeat(24)}`);
    const path = `${saleSlug}/mint/${hash}?account_id=${collector.accountId}`;
    const done = await readUntil<PublicMint>(
      path,
      ({ state, tokens }) => state !== "unknown" && state !== "pending" && tokens.length > 0,
    );
    expect(done).toMatchObject({ state: "succeeded", code: null, message: null });
    expect(done.token_ids).toHaveLength(2);
    expect(done.tokens.map(({ owner_id: owner }) => owner)).toEqual([friend.accountId, friend.accountId]);
    const own = await readUntil<PublicToken[]>(
      `${saleSlug}/token?owner=${friend.accountId}`,
      (list) => list.length === 2,
    );
    expect(own.map(({ token_id: id }) => id).sort()).toEqual([...done.token_ids].sort());
    // The pages of such NFTs name the transaction from then on.
    const [one, two] = own.map(({ number }) => number);
    expect(
      await readUntil<PublicTokenDetail>(
        `${saleSlug}/token/${one}`,
        ({ transaction_hash: known }) => !!known,
      ),
    ).toMatchObject({ transaction_hash: hash, explorer_url: null });
    const explored = { EXPLORER_URL: "https://explorer.example.com/tx/{hash}" };
    await eventually(async () => {
      const { response } = await apiWith(explored, `/g/${saleSlug}/${two}`);
      expect(await response.text()).toContain(
        `<a href="https://explorer.example.com/tx/${hash}" rel="noopener"><code>${hash}</code></a>`,
      );
    });
    // The same transaction is no mint of another collection. What that one minted before it had a page isn't known.
    const { collection_uuid: uuid } = await createCollection(shop);
    await mint(uuid, collector.accountId, 1);
    const other = newSlug();
    await bodyOf(await putPage(shop.key, uuid, { slug: other, enabled: true }), 200);
    expect(await read<PublicTokenDetail>(`${other}/token/1`)).toMatchObject({ transaction_hash: null });
    const elsewhere = await read<PublicMint>(`${other}/mint/${hash}?account_id=${collector.accountId}`);
    expect(elsewhere).toMatchObject({ state: "failed", tokens: [] });
  });

  test("isn't found if it was made on another contract with the same collection number", async () => {
    const foreign = await createCollection(stranger, { copies: [2] });
    expect(foreign.near_collection.collection_id).toBe(onSale.near_collection.collection_id);
    const minted = await api(`/collection/${foreign.collection_uuid}/mint`, {
      key: stranger.key,
      json: { receiver_addresses: [collector.accountId] },
    });
    const { tx_results: results } = await bodyOf<{ tx_results: { transaction_hash: string }[] }>(minted, 201);
    const path = `${saleSlug}/mint/${results[0]!.transaction_hash}?account_id=${stranger.walletAccountId}`;
    const done = await readUntil<PublicMint>(path, ({ state }) => state !== "unknown" && state !== "pending");
    expect(done).toMatchObject({ state: "failed", token_ids: [], tokens: [] });
  });

  test.each(["no JSON", "null"])(
    "isn't found if the contract's code logs %s as its events",
    async (logged) => {
      const made = await createCollection(shop, { settings: { public_mint_config: { mint_fee: FEE } } });
      const own = newSlug();
      await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: own, enabled: true }), 200);
      const args = { collection_id: made.near_collection.collection_id };
      const hash = await collector.call(made.contract_address, "nft_mint", args, FEE);
      const real = globalThis.fetch;
      vi.stubGlobal("fetch", async (to: string, init?: RequestInit) => {
        const answer = await real(to, init);
        if (typeof init?.body !== "string" || !init.body.includes(hash)) return answer;
        const text = await answer.text();
        return new Response(
          text.replaceAll(/"EVENT_JSON:(?:[^"\\]|\\.)*"/g, `"EVENT_JSON:${logged}"`),
          answer,
        );
      });
      const path = `${own}/mint/${hash}?account_id=${collector.accountId}`;
      const done = await readUntil<PublicMint>(
        path,
        ({ state }) => state !== "unknown" && state !== "pending",
      );
      expect(done).toMatchObject({ state: "failed", token_ids: [], tokens: [] });
    },
  );

  test("fails with the contract's code and message, and is unknown if its outcome can't be proven", async () => {
    const args = { collection_id: onSale.near_collection.collection_id };
    const hash = await collector.call(onSale.contract_address, "nft_mint", args, "1");
    const path = `${saleSlug}/mint/${hash}?account_id=${collector.accountId}`;
    const done = await readUntil<PublicMint>(
      path,
      ({ state }) => state === "failed" || state === "succeeded",
    );
    expect(done).toMatchObject({ state: "failed", code: "E_DEPOSIT_TOO_SMALL", tokens: [] });
    expect(done.message).toBeTruthy();
    const nowhere = await read<PublicMint>(
      `${saleSlug}/mint/${"1".repeat(43)}2?account_id=${collector.accountId}`,
    );
    expect(nowhere.state).toBe("unknown");
    await read(`${saleSlug}/mint/0OIl?account_id=${collector.accountId}`, 400);
    await read(`${saleSlug}/mint/${hash}`, 400);
  });
});

describe("the page of an NFT", () => {
  test("keeps showing the NFT's mint transaction, however many mints follow", async () => {
    const { collection_uuid: uuid } = await createCollection(shop, { copies: [400] });
    await mint(uuid, collector.accountId, 2);
    const own = newSlug();
    await bodyOf(await putPage(shop.key, uuid, { slug: own, enabled: true }), 200);
    const hashes: [number: number, hash: string | null][] = [
      [1, null],
      [2, null],
    ];
    for (let count = 0; count < 50; count += 1) {
      const { tokens, tx_results: results } = await mint(uuid, collector.accountId, count % 5 === 0 ? 19 : 1);
      for (const { token_id: id } of tokens) {
        hashes.push([Number(id.split(":")[1]), results[0]!.transaction_hash]);
      }
    }
    // The page has the last mint within seconds.
    const [last, newest] = hashes.at(-1)!;
    await readUntil<PublicTokenDetail>(
      `${own}/token/${last}`,
      ({ transaction_hash: known }) => known === newest,
    );
    // Inside: no answer shows the rows from which pages are made, and no request makes every collection that pages meet.
    const rows = await env.DB.prepare("SELECT hundred FROM minted_hundreds WHERE collection_id = ?")
      .bind(bytesOfUuid(uuid))
      .all();
    expect(rows.results.map(({ hundred }) => hundred)).toEqual(expect.arrayContaining([0, 1]));
    // Ends of runs and hundreds, tokens that the row has and such that it had.
    const looked = hashes.filter(
      ([number]) => number < 4 || number % 20 < 2 || number % 100 > 97 || number > 190,
    );
    for (const [number, hash] of looked) {
      expect(await read<PublicTokenDetail>(`${own}/token/${number}`)).toMatchObject({
        number,
        transaction_hash: hash,
      });
    }
  });
});

describe("the gallery's API", () => {
  test("lists traits with their copies, ranks by rarity, and filters by both", async () => {
    const counted = await readUntil<PublicTrait[]>(`${slug}/trait`, (list) => list.length > 0);
    expect(counted).toEqual([
      { type: "Moon", values: [{ value: "Full", copies: 10 }] },
      {
        type: "Sky",
        values: [
          { value: "Day", copies: 15 },
          { value: "Night", copies: 1 },
        ],
      },
    ]);
    const { tokens, tx_results: results } = minted;
    const hash = results[0]!.transaction_hash;
    for (const { token_id: id } of [tokens[0]!, tokens[13]!]) {
      const path = `${slug}/token/${id.split(":")[1]}`;
      await readUntil<PublicTokenDetail>(path, ({ transaction_hash: known }) => known === hash);
    }
    const all = await readUntil<PublicToken[]>(`${slug}/token?limit=100`, (list) => list.length === 16);
    const skies = Map.groupBy(all, ({ traits }) => traits.map(({ value }) => value).join());
    expect([...skies].map(([name, list]) => [name, list.length, list[0]!.rarity_rank]).sort()).toEqual([
      ["Day", 5, 2],
      ["Day,Full", 10, 3],
      ["Night", 1, 1],
    ]);
    const fitting = await read<PublicToken[]>(`${slug}/token?trait=Sky%3DNight`);
    expect(fitting).toEqual(skies.get("Night"));
    expect(await read<PublicToken[]>(`${slug}/token?trait=Sky%3DNight&trait=Sky%3DDay&trait=`)).toEqual(all);
    expect(await read<PublicToken[]>(`${slug}/token?trait=Sky%3DNight&trait=Moon%3DFull`)).toEqual([]);
    expect(all[0]).toMatchObject({
      token_id: `${shown.near_collection.collection_id}:1`,
      number: 1,
      media_type: "image/png",
      media_cid: expect.stringMatching(/^bafkrei/),
      media_hash: expect.stringMatching(/=$/),
    });
    expect(await read<PublicTokenDetail>(`${slug}/token/1`)).toMatchObject(all[0]!);
    await read(`${slug}/token/17`, 404);
    await read(`${slug}/token/0`, 400);
  });

  test("links to the address by which the service was called", async () => {
    const { collection_uuid: uuid } = await createCollection(shop);
    await mint(uuid, collector.accountId, 1);
    const own = newSlug();
    await bodyOf(await putPage(shop.key, uuid, { slug: own, enabled: true }), 200);
    for (const origin of [BASE, "http://other.test", BASE]) {
      const answer = await exports.default.fetch(new Request(`${origin}/public/v1/page/${own}/token/1`));
      const { media_url: url } = await bodyOf<PublicTokenDetail>(answer, 200);
      expect(url).toMatch(new RegExp(`^${origin}/ipfs/`));
    }
  });

  test("counts the copies of both assets that share a reference file", async () => {
    const shared = newSlug();
    const { collection_uuid: uuid } = await createShown(shop, { title: "Twins" }, [
      { copies: 2, reference: attributes("Day") },
      { copies: 3, reference: attributes("Night") },
      { copies: 5, reference: attributes("Day") },
    ]);
    await bodyOf(await putPage(shop.key, uuid, { slug: shared, enabled: true }), 200);
    const values = [
      { value: "Day", copies: 7 },
      { value: "Night", copies: 3 },
    ];
    expect(await readUntil<PublicTrait[]>(`${shared}/trait`, (list) => list.length > 0)).toEqual([
      { type: "Sky", values },
    ]);
  });

  test("shows traits with each NFT only, if they are too many to count", async () => {
    // What one file's traits may be at most: 32 of 64 and 128 characters. 350 of them are above 8 MB.
    const long = (seed: string, length: number) => `${seed} ${"𐍈".repeat(length)}`;
    const reference = (file: number) => ({
      attributes: Array.from({ length: 32 }, (_, type) => ({
        trait_type: long(`${type}`, 60),
        value: long(`${file}`, 120),
      })),
    });
    const many = Array.from({ length: 350 }, (_, file) => ({ copies: 1, reference: reference(file) }));
    const large = await createShown(shop, { title: "Epics" }, many);
    const address = newSlug();
    await bodyOf(await putPage(shop.key, large.collection_uuid, { slug: address, enabled: true }), 200);
    await mint(large.collection_uuid, collector.accountId, 1);
    const [token] = await readUntil<PublicToken[]>(
      `${address}/token`,
      ([found]) => found !== undefined && found.traits.length > 0,
    );
    expect(token).toMatchObject({ rarity_rank: null });
    expect(token!.traits).toHaveLength(32);
    expect(await read(`${address}/trait`)).toEqual([]);
    // All were read, and the scheduled job doesn't go on with them.
    const { traits_cursor: cursor } = (await env.DB.prepare(
      "SELECT traits_cursor FROM collection_pages WHERE slug = ?",
    )
      .bind(address)
      .first<{ traits_cursor: number | null }>())!;
    expect(cursor).toBeNull();
  });

  test("lists each NFT once over all pages, also with filters", async () => {
    for (const filter of ["", "&trait=Sky%3DDay", `&owner=${collector.accountId}`]) {
      const all = await read<PublicToken[]>(`${slug}/token?limit=100${filter}`);
      const paged: PublicToken[] = [];
      let next: string | null = `/public/v1/page/${slug}/token?limit=3${filter}`;
      while (next !== null) {
        const answer: Response = await api(next);
        next =
          /^<http:\/\/mintage\.test([^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1] ?? null;
        paged.push(...(await bodyOf<PublicToken[]>(answer, 200)));
      }
      expect(paged, filter).toEqual(all);
    }
    for (const query of [
      "cursor=x",
      "limit=101",
      "owner=A",
      "trait=Sky",
      "trait=a%3Db%3Dc",
      "trait=%25=x",
      "nothing=1",
    ]) {
      await read(`${slug}/token?${query}`, 400);
    }
  });

  test("shows no drafts, even during their finalization", async () => {
    const draft = await createDraft(shop);
    await bodyOf(await putPage(shop.key, draft, { slug: newSlug(), enabled: true }), 404);
    const rows = await env.DB.prepare("SELECT COUNT(*) AS rows FROM collection_pages").first<{
      rows: number;
    }>();
    expect(rows!.rows).toBeGreaterThan(0);
  });
});

test("NFTs are sorted by number, with the latest first, or with the rarest first", async () => {
  const made = await createShown(shop, settings, [
    { copies: 4, reference: attributes("Day", "Full") },
    { copies: 2, reference: attributes("Night", "New") },
    { copies: 1, reference: attributes("Dusk") },
  ]);
  const mine = newSlug();
  await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: mine, enabled: true }), 200);
  await mint(made.collection_uuid, collector.accountId, 6);
  await mint(made.collection_uuid, "other.near", 1);
  await readUntil<PublicToken[]>(
    `${mine}/token`,
    (list) => list.length === 7 && list.every(({ rarity_rank: rank }) => rank !== null),
  );
  /** All pages of a list, of two NFTs each. */
  const all = async (query: string): Promise<PublicToken[]> => {
    const found: PublicToken[] = [];
    for (let next: string | undefined = `/public/v1/page/${mine}/token?limit=2&${query}`; next; ) {
      const answer = await api(next);
      found.push(...(await bodyOf<PublicToken[]>(answer, 200)));
      next = /^<http:\/\/mintage\.test([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    return found;
  };
  const numbers = (list: PublicToken[]) => list.map(({ number }) => number);
  expect(numbers(await all("sort=number"))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(numbers(await all("sort=latest"))).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(numbers(await all(`sort=latest&owner=${collector.accountId}`))).toEqual([6, 5, 4, 3, 2, 1]);
  const ranks = (await all("sort=rarity")).map(({ rarity_rank: rank }) => rank!);
  expect(ranks).toEqual([1, 2, 2, 3, 3, 3, 3]);
  const days = await all("sort=latest&trait=Sky%3DDay");
  expect(days.map(({ rarity_rank: rank }) => rank)).toEqual([3, 3, 3, 3]);
  expect(numbers(days)).toEqual(numbers(days).toSorted((a, b) => b - a));
  expect(await all(`sort=rarity&trait=Sky%3DDay&owner=${collector.accountId}`)).toHaveLength(
    days.filter(({ owner_id: owner }) => owner === collector.accountId).length,
  );
  await read(`${mine}/token?sort=price`, 400);
  const page = await (await api(`/g/${mine}?limit=2&sort=rarity`)).text();
  expect(page).toContain('<option value="rarity" selected="">Rarest first</option>');
  expect(page).toMatch(/rel="next" href="\?cursor=2&amp;sort=rarity"/);
});

test("before the reveal the gallery shows only the placeholder, and filters find nothing", async () => {
  const made = await createShown(shop, { title: "Sealed" }, [
    { copies: 2, reference: attributes("Day") },
    { copies: 2, reference: attributes("Night") },
  ]);
  const { results } = await env.DB.prepare(
    `SELECT sha256, reference_sha256 FROM draft_assets
     WHERE draft_id = (SELECT draft_id FROM collections WHERE id = ?) ORDER BY position`,
  )
    .bind(bytesOfUuid(made.collection_uuid))
    .all<{ sha256: number[]; reference_sha256: number[] }>();
  const assets = results.map(({ sha256: file, reference_sha256: reference }) => ({
    sha256: Uint8Array.from(file),
    reference: Uint8Array.from(reference),
  }));
  const placeholder = new Uint8Array(32).fill(9);
  const contract = made.contract_address;
  const settings = { title: "Sealed", public_mint_config: { mint_fee: "0" } };
  const number = Number(
    await sendFrom(shop.integrationUuid, contract, [
      createHidden(settings, assets, { copies: 2, placeholder }),
    ]),
  );
  // Inside: the row of a collection that shows everything gets the number of one that hides its assets.
  await inLedgers(
    "UPDATE collections SET on_chain_id = ? WHERE id = ?",
    number,
    bytesOfUuid(made.collection_uuid),
  );
  const sealed = newSlug();
  const cover_asset_uuid = made.assetUuids[1];
  await bodyOf(
    await putPage(shop.key, made.collection_uuid, { slug: sealed, cover_asset_uuid, enabled: true }),
    200,
  );
  const { tokens } = await mint(made.collection_uuid, collector.accountId, 4);
  const page = await readUntil<{ cover: { url: string }; hidden: boolean }>(sealed, ({ hidden }) => hidden);
  const list = await readUntil<PublicToken[]>(`${sealed}/token`, ({ length }) => length === tokens.length);
  expect(new Set(list.map(({ media_url: url }) => url))).toEqual(new Set([page.cover.url]));
  expect(list.map(({ traits, rarity_rank: rank }) => [traits, rank])).toEqual(list.map(() => [[], null]));
  expect(await read<PublicTrait[]>(`${sealed}/trait`)).toEqual([]);
  expect(await read<PublicToken[]>(`${sealed}/token?trait=Sky%3DDay`)).toEqual([]);
  await sendFrom(shop.integrationUuid, contract, [revealAll(number, assets)]);
  const counted = await readUntil<PublicTrait[]>(`${sealed}/trait`, ({ length }) => length > 0);
  expect(counted[0]!.values.map(({ value }) => value)).toEqual(["Day", "Night"]);
  const shownOnes = await readUntil<PublicToken[]>(
    `${sealed}/token?trait=Sky%3DDay`,
    ({ length }) => length > 0,
  );
  // Both are as rare as all others, which no rank tells.
  expect(shownOnes.map(({ rarity_rank: rank }) => rank)).toEqual([null, null]);
  expect(new Set(shownOnes.map(({ media_url: url }) => url)).size).toBe(1);
});

describe("the gallery in a browser", () => {
  const html = async (path: string, status = 200) => {
    const answer = await api(path);
    const text = await answer.text();
    expect(answer.status, text.slice(0, 500)).toBe(status);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=UTF-8");
    return { text, headers: answer.headers };
  };

  test("runs only scripts and styles with the response's nonce, and calls no other host", async () => {
    const [one, other] = [await html(`/g/${slug}`), await html(`/g/${slug}`)];
    const policy = one.headers.get("content-security-policy") ?? "";
    const nonce = /script-src 'nonce-([0-9a-f]{32})';/.exec(policy)?.[1] ?? "";
    expect(policy).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; ` +
        "img-src 'self' http://mintage.test data:; media-src 'self' http://mintage.test; font-src 'self'; " +
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(other.headers.get("content-security-policy")).not.toBe(policy);
    expect(one.headers.get("cache-control")).toBe("no-store");
    const tags = one.text.match(/<(?:script|style)[^>]*>/g) ?? [];
    expect(tags).toHaveLength(2);
    for (const tag of tags) expect(tag).toContain(`nonce="${nonce}"`);
    expect(one.text).not.toMatch(/ style=| on[a-z]+=/);
    for (const [, address] of one.text.matchAll(/(?:src|href)="(https?:[^"]+)"/g)) {
      expect(new URL(address!).origin).toBe("http://mintage.test");
    }
    const script = /<script[^>]* src="([^"]+)"/.exec(one.text)?.[1] ?? "";
    const served = await api(script);
    expect(served.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(served.headers.get("cache-control")).toContain("immutable");
    await served.body?.cancel();
  });

  test("shows NFTs, filters and the next page without scripts", async () => {
    const { text } = await html(`/g/${slug}?limit=3&trait=Sky%3DDay&owner=`);
    expect(text.match(/<li>/g)).toHaveLength(3);
    expect(text).toContain('<option value="Sky=Day" selected="">Day · 94 %</option>');
    const next = /<a class="button" rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
    expect(next).toMatch(/^\?cursor=\d+&trait=Sky%3DDay$/);
    const { text: following } = await html(`/g/${slug}${next}`);
    expect(following.match(/<li>/g)).toHaveLength(12);
    expect((await html(`/g/${slug}?owner=nobody.near`)).text).toContain("nobody.near owns none of these.");
  });

  test("a trait with many values offers a hundred, and any other one while it is chosen", async () => {
    const values = Array.from({ length: 101 }, (_, index) => `Plume ${index}`);
    const made = await createShown(
      shop,
      settings,
      values.map((value) => ({ copies: 1, reference: { attributes: [{ trait_type: "Plume", value }] } })),
    );
    const own = newSlug();
    await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: own, enabled: true }), 200);
    const json = { receiver_addresses: [collector.accountId] };
    await bodyOf(await api(`/collection/${made.collection_uuid}/mint`, { key: shop.key, json }), 201);
    const offered = async (query = "") =>
      [...(await html(`/g/${own}${query}`)).text.matchAll(/<option value="Plume=([^"]+)"/g)].map(
        ([, value]) => decodeURIComponent(value!),
      );
    const first = await offered();
    expect(first).toHaveLength(100);
    const [other] = values.filter((value) => !first.includes(value));
    const trait = `Plume=${encodeURIComponent(other!)}`;
    expect(await offered(`?${new URLSearchParams({ trait })}`)).toEqual([...first, other]);
  });

  test("ignores unknown query parameters, and accepts an owner with a phone's capital letter", async () => {
    const { text } = await html(`/g/${slug}?fbclid=x&utm_source=a&utm_source=b&trait=Sky%3DDay&limit=3`);
    expect(text.match(/<li>/g)).toHaveLength(3);
    const owner = (await read<PublicToken>(`${slug}/token/1`)).owner_id;
    const typed = ` ${owner.slice(0, 1).toUpperCase()}${owner.slice(1)} `;
    const found = await html(`/g/${slug}?${new URLSearchParams({ owner: typed })}`);
    expect(found.text).toContain(`href="/g/${slug}/1"`);
    expect(found.text).toMatch(new RegExp(`<input[^>]* value="${owner}"[^>]* autocapitalize="none"`));
  });

  test("shows an NFT's proof, and links to NFTs with the same traits", async () => {
    const shownToken = await read<PublicToken>(`${slug}/token/1`);
    const { text } = await html(`/g/${slug}/1`);
    const { media_hash: hash, media_cid: cid, media_url: url, owner_id: owner } = shownToken;
    for (const proof of [hash!, cid!, `href="${url}"`, shown.contract_address, shownToken.token_id, owner]) {
      expect(text).toContain(proof);
    }
    for (const [name, content] of [
      ["width", "1200"],
      ["height", "630"],
      ["type", "image/webp"],
    ])
      expect(text).toContain(`<meta property="og:image:${name}" content="${content}"`);
    const link = new RegExp(`href="(/g/${slug}\\?trait=[^"]+)"`).exec(text)?.[1] ?? "";
    expect((await html(link)).text).toContain(`href="/g/${slug}/1"`);
  });

  /** The picture that other sites show of a page. */
  const cardOf = async (text: string) => {
    const address = /<meta property="og:image" content="([^"]+)"/.exec(text)?.[1] ?? "";
    const { pathname, search } = new URL(address);
    const answer = await api(`${pathname}${search}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    expect(imageSize(bytes)).toMatchObject({ width: 1_200, height: 630 });
    return { address, bytes };
  };

  test("an NFT and its collection have cards of their own, which change with what they show", async () => {
    const cards: Awaited<ReturnType<typeof cardOf>>[] = [];
    for (const path of [`/m/${slug}`, `/g/${slug}/1`, `/g/${slug}/2`])
      cards.push(await cardOf((await html(path)).text));
    expect(new Set(cards.map(({ address }) => address)).size).toBe(3);
    expect(new Set(cards.map(({ bytes }) => Buffer.from(bytes).toString("base64"))).size).toBe(3);
    const addresses = [cards[0]!.address];
    for (const change of [{ theme: { accent: "#aa3300" } }, { cover_asset_uuid: shown.assetUuids[2] }]) {
      const json = { slug, enabled: true, ...change };
      await bodyOf(await putPage(shop.key, shown.collection_uuid, json), 200);
      await eventually(async () => {
        const { address, bytes } = await cardOf((await html(`/m/${slug}`)).text);
        expect(addresses).not.toContain(address);
        // The test's pictures look alike.
        expect(bytes).not.toEqual(cards[0]!.bytes);
        addresses.push(address);
      });
    }
    for (const name of ["0", "x", "999"])
      expect((await api(`/public/v1/card/${slug}/${name}`)).status).toBe(404);
  });

  test("a film has a card with its sign", async () => {
    const made = await createShown(shop, settings, [
      { copies: 1, reference: {} },
      { copies: 1, reference: {}, bytes: MEDIA.mp4.bytes },
    ]);
    const own = newSlug();
    await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: own, enabled: true }), 200);
    const json = { receiver_addresses: [collector.accountId], asset_uuid: made.assetUuids[1] };
    await bodyOf(await api(`/collection/${made.collection_uuid}/mint`, { key: shop.key, json }), 201);
    const { text } = await html(`/g/${own}/1`);
    expect(text).toContain("<video");
    await cardOf(text);
    expect(text).toContain('<meta property="og:image:alt" content="Night Herons, No. 1"');
  });

  test("shows errors as pages, with their status", async () => {
    for (const path of [`/g/${newSlug()}`, `/g/${slug}/999`, "/g/x"]) {
      const { text, headers } = await html(path, 404);
      expect(text).toContain(
        path.endsWith("999") ? "<h1>This NFT isn&#39;t here</h1>" : "<h1>There is nothing here</h1>",
      );
      // The collection's own header.
      expect(text.includes(`href="/m/${slug}"`)).toBe(path.endsWith("999"));
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    for (const path of [`/g/${slug}/0x1`, `/g/${slug}?cursor=x`, `/g/${slug}?trait=%25`])
      await html(path, 400);
    const limited = { PAGE_LIMIT: { limit: async () => ({ success: false }) } };
    const { response } = await apiWith(limited, `/g/${slug}?cursor=1`);
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("10");
    expect(await response.text()).toContain("Too many visits at once");
  });
});

test("bidirectional control characters affect only the text that contains them", async () => {
  const turned = "Herons \u202egpj.exe";
  const ended = `\u2069${turned}`;
  const made = await createShown(
    shop,
    { title: turned, description: turned, public_mint_config: { mint_fee: FEE } },
    [{ copies: 2, reference: { attributes: [{ trait_type: turned, value: ended }] } }],
  );
  const mine = newSlug();
  await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: mine, enabled: true }), 200);
  await mint(made.collection_uuid, collector.accountId, 1);
  await readUntil<PublicTrait[]>(`${mine}/trait`, (list) => list.length > 0);
  const contained = `\u2068${turned}\u2069`;
  for (const [path, head] of [
    [`/m/${mine}`, contained],
    [`/c/${mine}`, `${contained}: claim`],
    [`/g/${mine}`, `${contained}: gallery`],
    [`/g/${mine}/1`, `${contained} No. 1`],
  ] as const) {
    const text = await (await api(path)).text();
    expect(text).toContain(`<title>${head}</title>`);
    expect(text).toContain(`<meta property="og:title" content="${head}"`);
    // Blocks contain what they say by themselves. A title stands once on a page.
    const titles = text.matchAll(/<h1 dir="auto">([^<]+)<|<a href="\/m\/[^"]*"><bdi>([^<]*)</g);
    expect([...titles].flat().filter((title) => title === turned)).toHaveLength(1);
  }
  expect(await (await api(`/g/${mine}`)).text()).toContain(`>${contained} · 100 %</option>`);
  const page = encodeURIComponent(`${BASE}/m/${mine}`);
  const { html: embedded } = await bodyOf<{ html: string }>(await api(`/public/v1/oembed?url=${page}`), 200);
  expect(embedded).toContain(`<bdi>${turned}</bdi>`);
  // A site says how wide its place is; what is no width, or more than the picture has, is as if it said nothing.
  for (const [asked, wanted] of [
    ["1", 1],
    ["299", 299],
    ["300", 300],
    ["301", 300],
    ["99999", 300],
    ["100000", 300],
    ["0", 300],
    ["-5", 300],
    ["wide", 300],
  ] as const) {
    const answer = await api(`/public/v1/oembed?url=${page}&maxwidth=${asked}`);
    expect(await bodyOf<{ width: number }>(answer, 200), asked).toMatchObject({ width: wanted });
  }
});

test("a site may embed this service's pages by their addresses, and no page of another host under the same path", async () => {
  const embed = (page: string) => api(`/public/v1/oembed?url=${encodeURIComponent(page)}`);
  for (const path of [`/m/${slug}`, `/g/${slug}/1?from=x`])
    expect(await bodyOf(await embed(BASE + path), 200)).toMatchObject({ type: "rich", provider_url: BASE });
  for (const page of [`https://elsewhere.example/m/${slug}`, `${BASE}.example/m/${slug}`, `/m/${slug}`])
    expect(await bodyOf(await embed(page), 404), page).toMatchObject({ code: "not_found" });
});

test.each(["/m/SLUG", "/c/SLUG", "/g/SLUG", "/g/SLUG/1", "/operator"])(
  "an address with a slash after %s redirects to the page",
  async (name) => {
    const path = name.replace("SLUG", slug);
    for (const [asked, wanted] of [
      [`${path}/`, path],
      [`${path}//?wallet=a%2Fb&x`, `${path}?wallet=a%2Fb&x`],
    ] as const) {
      const { response } = await apiWith({}, asked);
      await response.body?.cancel();
      expect([response.status, response.headers.get("location")]).toEqual([308, wanted]);
    }
  },
);

test("an unknown address leads to an error page", async () => {
  for (const path of [
    "/m",
    "/m/",
    "/m//",
    "/g/",
    `/m/${slug}/1`,
    `/c/${slug}/x/`,
    `/g/${slug}/1/2`,
    "/operator/x",
  ]) {
    const answer = await api(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(await answer.text()).toContain("<h1>There is nothing here</h1>");
  }
  expect(await bodyOf(await api("/public/v1/page/"), 404)).toMatchObject({ code: "not_found" });
  await bodyOf(await api(`/m/${slug}/`, { method: "POST" }), 404);
  await bodyOf(await api(`/m/${slug}`, { method: "POST" }), 405);
});

test("titles, descriptions, traits and links are escaped", async () => {
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
  const made = await createShown(shop, { title: evil, description: evil }, [
    { copies: 2, reference: { attributes: [{ trait_type: evil, value: evil }] } },
  ]);
  const mine = newSlug();
  const links = [{ label: evil, url: `https://example.com/?${encodeURIComponent(evil)}` }];
  await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: mine, links, enabled: true }), 200);
  await mint(made.collection_uuid, collector.accountId, 1);
  await readUntil<PublicTrait[]>(`${mine}/trait`, (list) => list.length > 0);
  const texts = await Promise.all(
    [`/g/${mine}`, `/g/${mine}/1`].map(async (path) => (await api(path)).text()),
  );
  for (const text of texts) {
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).not.toContain("<script>alert");
    expect(text).not.toContain("<img src=x");
  }
});

describe("the mint page", () => {
  const html = async (name: string) => {
    const answer = await api(`/m/${name}`);
    expect(answer.status).toBe(200);
    return { text: await answer.text(), policy: answer.headers.get("content-security-policy") ?? "" };
  };

  test("shows the offer, the price and the signed transaction without scripts", async () => {
    const made = await createShown(shop, settings, [{ copies: 1_600, reference: {} }]);
    const mine = newSlug();
    await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: mine, enabled: true }), 200);
    const { text, policy } = await html(mine);
    expect(text).toContain('<h1 dir="auto">Night Herons</h1>');
    expect(text).toContain('<p class="price">1 NEAR</p>');
    expect(text).toContain("At most 5 for an account");
    expect(text).toContain('<p class="price">Free</p>');
    expect(text).toContain("2099-01-01 00:00 UTC");
    expect(text).toContain("0 of 1,600 minted, 1,600 left.");
    expect(text).toMatch(/Live.*1 NEAR.*For everybody/s);
    expect(text).toMatch(/Upcoming.*Free.*For accounts on the allowlist.*Opens/s);
    expect(text).toMatch(
      /Royalties<\/dt><dd>None<.*What can still change<\/summary><p>By the artist, or admins that they name: titles and pictures, prices and phases of the mint, royalties, who can receive and sell\.</s,
    );
    expect(text).toContain(`nft_mint</code> on <code>${made.contract_address}</code>`);
    expect(text).toContain(
      `{&quot;collection_id&quot;:${made.near_collection.collection_id},&quot;quantity&quot;:1}`,
    );
    expect(text).toContain("Up to 0.101 NEAR is");
    expect(text).toContain("<noscript>");
    expect(text).toContain('<meta property="og:title" content="Night Herons"');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https:|unsafe|\*/);
  });

  test("of a collection that is sold out links to the gallery, without a price or a wallet", async () => {
    const made = await createShown(shop, settings, [{ copies: 1, reference: {} }]);
    const mine = newSlug();
    await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: mine, enabled: true }), 200);
    await mint(made.collection_uuid, collector.accountId, 1);
    const { text } = await html(mine);
    expect(text).toContain("Sold out.");
    expect(text).toMatch(new RegExp(`<a class="button" href="/g/${mine}">\\s*See the gallery`));
    expect(text).not.toMatch(/class="price"|Connect a wallet|1 NEAR/);
    // The works that there are.
    expect(text).toContain(`<a href="/g/${mine}/1">`);
  });

  test("of a mint that has ended has no wallet either, and says what was minted and where it is traded", async () => {
    const over = {
      ...settings,
      private_mint_config: null,
      public_mint_config: { mint_fee: "0", ends_at: "2020-01-01T00:00:00Z" },
    };
    const made = await createShown(shop, over, [{ copies: 3, reference: {} }]);
    const mine = newSlug();
    const creator = { name: "Ada", url: "https://example.com/ada" };
    await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: mine, enabled: true, creator }), 200);
    // An empty gallery has nothing to see, and would lead back.
    const unused = await html(mine);
    expect(unused.text).toContain("The mint has ended, and nobody has minted.");
    expect(unused.text).not.toContain("See the gallery");
    expect(unused.text).toContain(
      '<a class="button" href="https://example.com/ada" rel="noopener nofollow">',
    );
    expect(await (await api(`/g/${mine}`)).text()).not.toContain("See the mint");
    await mint(made.collection_uuid, collector.accountId, 1);
    await eventually(async () => expect((await html(mine)).text).toContain("1 of 3 minted"));
    const { text } = await html(mine);
    expect(text).toContain('<p id="left">1 of 3 minted.</p>');
    expect(text).toContain("The mint has ended.");
    expect(text).toMatch(/id="connect"[^>]*hidden/);
    expect(text).toMatch(/id="signs"[^>]*hidden/);
    expect(text).not.toContain("Traded on");
    const market = { name: "Bazaar", contract: "https://bazaar.example/{contract}" };
    const shown = { MARKETPLACES: JSON.stringify([{ ...market, token: `${market.contract}/{token}` }]) };
    const { contract_address: account } = made;
    const closed = await (await apiWith(shown, `/m/${mine}`)).response.text();
    expect(closed).toContain(`<a href="https://bazaar.example/${account}" rel="noopener">Bazaar</a>`);
    const token = await (await apiWith(shown, `/g/${mine}/1`)).response.text();
    const id = encodeURIComponent(`${made.near_collection.collection_id}:1`);
    expect(token).toContain(`<a href="https://bazaar.example/${account}/${id}" rel="noopener">Bazaar</a>`);
    const forbid = { key: shop.key, method: "PUT", json: { allow_approvals: false } };
    await bodyOf(await api(`/collection/${made.collection_uuid}`, forbid), 200);
    await eventually(async () => {
      expect(await (await apiWith(shown, `/g/${mine}/1`)).response.text()).not.toContain("Bazaar");
    });
  });

  test("of a locked supply says that no more are minted, not that all are", async () => {
    const made = await createShown(shop, settings, [{ copies: 3, reference: {} }]);
    const mine = newSlug();
    await bodyOf(await putPage(shop.key, made.collection_uuid, { slug: mine, enabled: true }), 200);
    await mint(made.collection_uuid, collector.accountId, 1);
    const lock = { key: shop.key, method: "PUT", json: { locks: ["supply"] } };
    await bodyOf(await api(`/collection/${made.collection_uuid}/lock`, lock), 200);
    const { text } = await html(mine);
    expect(text).toContain('<p id="left">No more can be minted.</p>');
    expect(text).toContain("The supply is locked: no more NFTs are ever minted.");
    expect(text).not.toMatch(/Sold out|have been minted|class="price"|Connect a wallet/);
  });

  test("has readable text on the accent colour, and colours nothing else", async () => {
    const { collection_uuid: uuid } = await createCollection(shop);
    const mine = newSlug();
    const json = { slug: mine, theme: { accent: "#ffe000" }, enabled: true };
    await bodyOf(await putPage(shop.key, uuid, json), 200);
    const { text } = await html(mine);
    expect(text).toContain(":root { --accent: #ffe000; --on-accent: #000000;");
    expect(text).toContain("Nobody mints this collection from a wallet.");
  });

  test("offers the development wallet only if npm start enables it on its own chain", async () => {
    const key = {
      account_id: `collector-${crypto.randomUUID().slice(-12)}.near`,
      public_key: "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847",
    };
    const path = "/public/v1/development/account";
    const scripts = async (changes: object) =>
      (await (await apiWith({ ...changes }, `/m/${slug}`)).response.text()).match(/<script[^>]*>/g)?.length;
    expect(await scripts({})).toBe(1);
    await bodyOf(await api(path, { json: key }), 404);
    const foreign = {
      DEVELOPMENT_WALLET: "on",
      NEAR_NETWORK: "testnet",
      PUBLIC_URL: "https://mint.example.com",
    };
    await bodyOf((await apiWith(foreign, path, { json: key })).response, 404);
    const local = { DEVELOPMENT_WALLET: "on" };
    expect(await scripts(local)).toBe(2);
    await bodyOf((await apiWith(local, path, { json: key })).response, 200);
    // A sub-account is made by the account above it.
    for (const name of ["x.mint.near", "near", "a--b.near"]) {
      const refused = await apiWith(local, path, { json: { ...key, account_id: name } });
      expect(await bodyOf(refused.response, 400)).toMatchObject({ issues: [{ path: ["account_id"] }] });
    }
    const unused = { ...key, public_key: "ed25519:11111111111111111111111111111111" };
    const other = await apiWith(local, path, { json: unused });
    expect(await bodyOf(other.response, 400)).toMatchObject({ issues: [{ path: ["public_key"] }] });
    const found = await apiWith(local, "/public/v1/development/key", { json: key });
    expect(await bodyOf(found.response, 200)).toMatchObject({
      nonce: expect.stringMatching(/^\d+$/),
      block_hash: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{40,44}$/),
    });
    for (const unknown of [{ ...key, account_id: "nobody-here.near" }, unused]) {
      const refused = await apiWith(local, "/public/v1/development/key", { json: unknown });
      expect(await bodyOf(refused.response, 400)).toMatchObject({ issues: [{ path: ["public_key"] }] });
    }
    const noise = await apiWith(local, "/public/v1/development/transaction", {
      json: { signed_transaction: "AAAA" },
    });
    await bodyOf(noise.response, 400);
    const form = await apiWith(local, path, { body: "{}", headers: { "content-type": "text/plain" } });
    expect(form.response.status).toBeGreaterThanOrEqual(400);
    await form.response.body?.cancel();
  });
});

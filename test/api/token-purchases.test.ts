import { beforeAll, describe, expect, test } from "vitest";
import type { PublicCollection, PublicMint } from "../../client/src/index.ts";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { type Collector, createCollector, putPage } from "../support/collectors.ts";
import { createToken, type Token } from "../support/fungible.ts";

const PRICE = 5_000_000n;
const WEALTH = 100n * PRICE;

let shop: TestIntegration;
let token: Token;
/** What nothing is sold for any more. */
let former: Token;
let buyer: Collector;
let collection: Finalized;
let slug: string;

beforeAll(async () => {
  shop = await createIntegration("Shop");
  token = await createToken({ symbol: "USDC", decimals: 6 });
  former = await createToken({ symbol: "OLD", decimals: 6 });
  buyer = await createCollector();
  await token.give(buyer.accountId, WEALTH);
  const phases = [
    { phase: 2, mint_fee: `${PRICE}`, currency: token.accountId, limit_per_account: 3 },
    { phase: 3, mint_fee: `${10n ** 24n}`, starts_at: "2099-01-01T00:00:00Z" },
    { phase: 4, mint_fee: "1", currency: former.accountId, ends_at: "2020-01-01T00:00:00Z" },
  ];
  collection = await createCollection(shop, { settings: { title: "Herons", phases } });
  slug = `herons-${crypto.randomUUID().slice(0, 8)}`;
  await bodyOf(await putPage(shop.key, collection.collection_uuid, { slug, enabled: true }), 200);
});

const read = async <T>(path: string, status = 200) =>
  bodyOf<T>(await api(`/public/v1/page/${slug}${path}`), status);

/** A purchase as the page's script sends it. */
const buy = (
  units: bigint,
  more: object = {},
  { to = collection.near_collection.collection_id, by = buyer } = {},
) => {
  const msg = JSON.stringify({ collection_id: to, quantity: 1, max_price: `${PRICE}`, ...more });
  const args = { receiver_id: shop.contractAccountId, amount: `${units}`, msg };
  return by.call(token.accountId, "ft_transfer_call", args, "1");
};

const ended = async (hash: string, { accountId } = buyer): Promise<PublicMint> => {
  for (;;) {
    const found = await read<PublicMint>(`/mint/${hash}?account_id=${accountId}`);
    if (found.state === "failed" || (found.state === "succeeded" && found.tokens.length > 0)) return found;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
};

describe("a collection that is sold for a token", () => {
  test("shows its phases with their currency", async () => {
    const usdc = { contract_id: token.accountId, symbol: "USDC", decimals: 6 };
    const bought = expect.any(Number);
    expect((await read<PublicCollection>("")).phases).toMatchObject([
      { phase: 2, kind: "public", mint_fee: `${PRICE}`, currency: usdc, supply: null, minted: bought },
      { phase: 3, currency: null },
      { phase: 4, currency: { ...usdc, contract_id: former.accountId, symbol: "OLD" } },
    ]);
  });

  test("has a page with the token's amounts as they are, and no others", async () => {
    const page = await (await api(`/m/${slug}`)).text();
    expect(page).toContain("5 USDC");
    expect(page).toContain("1 NEAR");
    expect(page).toContain("0.000001 OLD");
    expect(page).toContain("ft_transfer_call");
    expect(page).toContain(token.accountId);
    expect(page).not.toMatch(/\$\s?\d|≈|about \d/);
    const states = [...page.matchAll(/class="state">([^<]+)</g)].map(([, state]) => state);
    expect(states).toEqual(["Live", "Upcoming", "Ended"]);
    const [, payable = ""] = /<select id="currency">(.*?)<\/select>/s.exec(page) ?? [];
    expect([...payable.matchAll(/value="([^"]*)"/g)].map(([, id]) => id)).toEqual(["", token.accountId]);
  });

  test("says what an account may mint in the token, and what it has of it", async () => {
    const available = await token.units(buyer.accountId);
    const ask = (query: string, account = buyer.accountId) =>
      read<Record<string, unknown>>(`/eligibility/${account}?${query}`);
    expect(await ask(`quantity=2&currency=${token.accountId}`)).toMatchObject({
      ...{ allowed: true, via: "public", phase: 2, mint_fee: `${PRICE}`, total_fee: `${2n * PRICE}` },
      currency_available: `${available}`,
      phases: [
        { phase: 2, allowed: true },
        { phase: 3, code: "E_MINT_NOT_STARTED" },
        { code: "E_MINT_ENDED" },
      ],
    });
    expect(await ask("quantity=1")).toMatchObject({
      allowed: false,
      mint_fee: null,
      currency_available: null,
    });
    // No other contract is asked for it.
    expect(await ask(`quantity=1&currency=${shop.contractAccountId}`)).toMatchObject({
      ...{ allowed: false, code: "E_OTHER_CURRENCY", currency_available: null },
    });
    await read(`/eligibility/${buyer.accountId}?currency=No`, 400);
  });
});

describe("a purchase by ft_transfer_call", () => {
  test("is followed to its NFTs; what was sent too much returns", async () => {
    const by = await createCollector();
    await token.give(by.accountId, 3n * PRICE);
    const found = await ended(await buy(3n * PRICE, { quantity: 2 }, { by }), by);
    expect(found).toMatchObject({ state: "succeeded", code: null, returned: null });
    expect(found.tokens.map(({ owner_id }) => owner_id)).toEqual([by.accountId, by.accountId]);
    expect(await token.units(by.accountId)).toBe(PRICE);
    const { phases } = await read<PublicCollection>("");
    expect(phases[0]).toMatchObject({ minted: 2 });
  });

  test.each([
    ["a price above the agreed one", PRICE, { max_price: `${PRICE - 1n}` }, "E_PRICE_TOO_HIGH"],
    ["too little", PRICE - 1n, {}, "E_DEPOSIT_TOO_SMALL"],
    ["more than the account's limit", 4n * PRICE, { quantity: 4 }, "E_MINT_LIMIT"],
    ["an argument that doesn't exist", PRICE, { discount: "1" }, "E_INVALID_ARGUMENT"],
  ] as const)("is refused for %s, and says that all came back", async (_why, units, more, code) => {
    const before = await token.units(buyer.accountId);
    const found = await ended(await buy(units, more));
    expect(found).toMatchObject({ state: "failed", code, returned: true, token_ids: [] });
    expect(found.message).toMatch(/\.$|\d$/);
    expect(await token.units(buyer.accountId)).toBe(before);
  });

  test("of units that the account doesn't have moved nothing", async () => {
    const found = await ended(await buy(2n * WEALTH));
    expect(found).toMatchObject({ state: "failed", code: null, returned: true });
  });

  test("of another collection is none of this page's", async () => {
    const other = await createCollection(shop, {
      settings: { phases: [{ phase: 2, mint_fee: `${PRICE}`, currency: token.accountId }] },
    });
    const found = await ended(await buy(PRICE, {}, { to: other.near_collection.collection_id }));
    expect(found).toMatchObject({ state: "failed", code: null, returned: false, token_ids: [] });
  });

  test("in NEAR has nothing to return by a token", async () => {
    const free = await createCollection(shop, {
      settings: { public_mint_config: { mint_fee: `${10n ** 24n}` } },
    });
    const args = { collection_id: free.near_collection.collection_id };
    const hash = await buyer.call(shop.contractAccountId, "nft_mint", args, "0");
    expect(await ended(hash)).toMatchObject({ state: "failed", code: "E_DEPOSIT_TOO_SMALL", returned: null });
  });
});

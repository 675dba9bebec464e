import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { balanceOf, setFaults } from "../support/chain-control.ts";
import { collectionOnChain, createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { type Collector, createCollector } from "../support/collectors.ts";
import { createToken, type Token } from "../support/fungible.ts";
import { background } from "../support/operations.ts";
import { newTenant } from "../support/uploads.ts";
import { until } from "../support/waiting.ts";

const NEAR = 10n ** 24n;
const PRICE = 5_000_000n;

interface Shown {
  readonly collection_uuid: string;
  readonly public_mint_config: object | null;
  readonly private_mint_config: object | null;
  readonly phases: readonly Readonly<Record<string, unknown>>[];
}

let shop: TestIntegration;
let token: Token;
let usdc: { contract_id: string; symbol: string; decimals: number };
let buyer: Collector;

beforeAll(async () => {
  shop = await createIntegration("Shop");
  token = await createToken({ symbol: "USDC", decimals: 6 });
  usdc = { contract_id: token.accountId, symbol: "USDC", decimals: 6 };
  buyer = await createCollector();
  await token.give(buyer.accountId, 1_000n * PRICE);
});

const draftWith = (json: object) =>
  api("/collection-draft", {
    key: shop.key,
    json: { contract_uuid: shop.contractUuid, title: "Herons", ...json },
  });
const collectionOf = async (uuid: string) =>
  bodyOf<Shown>(await api(`/collection/${uuid}`, { key: shop.key }), 200);
const update = (uuid: string, json: object, key = shop.key) =>
  api(`/collection/${uuid}`, { key, method: "PUT", json });
const isRegistered = async ({ accountId }: Token, account = shop.contractAccountId) =>
  (await view(env.NEAR_RPC_URL, accountId, "storage_balance_of", { account_id: account })) !== null;
const buy = (collection: Finalized, units: bigint, more: object = {}) => {
  const msg = JSON.stringify({ collection_id: collection.near_collection.collection_id, ...more });
  const args = { receiver_id: shop.contractAccountId, amount: `${units}`, msg };
  return buyer.call(token.accountId, "ft_transfer_call", args, "1");
};
const owned = async () =>
  Number(
    await view<string>(env.NEAR_RPC_URL, shop.contractAccountId, "nft_supply_for_owner", {
      account_id: buyer.accountId,
    }),
  );

const none = { starts_at: null, ends_at: null, limit_per_account: null, supply: null };

describe("phases of a draft", () => {
  test("become those of the contract, which is registered at their token", async () => {
    const phases = [
      { phase: 2, mint_fee: `${PRICE}`, currency: token.accountId, supply: 10 },
      { phase: 4, kind: "allowlist", mint_fee: "0", limit_per_account: 2, ends_at: "2031-02-03T04:05:06Z" },
      { phase: 1, mint_fee: `${NEAR}` },
    ];
    const collection = await createCollection(shop, { settings: { phases } });
    const shown = await collectionOf(collection.collection_uuid);
    expect(shown).toMatchObject({
      public_mint_config: null,
      private_mint_config: { mint_fee: `${NEAR}`, starts_at: null, ends_at: null, limit_per_account: null },
    });
    expect(shown.phases).toEqual([
      {
        phase: 1,
        kind: "allowlist",
        mint_fee: `${NEAR}`,
        currency: null,
        ...none,
        minted: 0,
        allowlisted: 0,
      },
      {
        ...{ phase: 2, kind: "public", mint_fee: `${PRICE}`, currency: usdc, ...none, supply: 10 },
        ...{ minted: 0, allowlisted: null },
      },
      {
        ...{ phase: 4, kind: "allowlist", mint_fee: "0", currency: null, ...none, limit_per_account: 2 },
        ...{ ends_at: "2031-02-03T04:05:06.000Z", minted: 0, allowlisted: 0 },
      },
    ]);
    expect(collection.near_collection).toMatchObject({ phases: shown.phases });
    expect(collection.tx_results).toHaveLength(1);
    expect(await collectionOnChain<object>(shop, collection)).toMatchObject({
      public_mint_config: { mint_fee: `${PRICE}`, currency: token.accountId, supply: 10 },
      private_mint_config: { mint_fee: `${NEAR}`, currency: null },
      phases: [null, { mint_fee: "0", allowlist: true, limit_per_account: 2 }],
    });
    expect(await isRegistered(token)).toBe(true);
    const before = await owned();
    await buy(collection, 3n * PRICE, { quantity: 2, max_price: `${PRICE}` });
    await until(async () => (await owned()) === before + 2);
    await bodyOf(await list(collection, "add", { accounts: ["alice.near"], phase: 4 }), 200);
    await background.reconcile(60_000);
    const counted = await collectionOf(collection.collection_uuid);
    expect(counted.phases).toMatchObject([{}, { minted: 2 }, { minted: 0, allowlisted: 1 }]);
    // What is counted is no change of the settings.
    expect(counted).toMatchObject({ phases: shown.phases.map(({ currency }) => ({ currency })) });
  });

  test("stand beside the interface's configs, and are shown with the draft", async () => {
    const config = { mint_fee: `${NEAR}` };
    const phase = { phase: 3, mint_fee: "7", currency: "nobody.near" };
    const draft = await bodyOf<Shown & { collection_draft_uuid: string }>(
      await draftWith({ public_mint_config: config, private_mint_config: null, phases: [phase] }),
      201,
    );
    const third = {
      ...{ phase: 3, kind: "public", mint_fee: "7", ...none },
      currency: { contract_id: "nobody.near", symbol: null, decimals: null },
    };
    expect(draft.public_mint_config).toMatchObject(config);
    expect(draft.phases).toMatchObject([{ phase: 2, mint_fee: `${NEAR}` }, third]);
    const path = `/collection-draft/${draft.collection_draft_uuid}`;
    const change = async (json: object) =>
      bodyOf<Shown>(await api(path, { key: shop.key, method: "PUT", json }), 200);
    // One that isn't named ends; what isn't a phase stays.
    expect((await change({ phases: [{ phase: 2, mint_fee: "0" }] })).phases).toMatchObject([
      { phase: 2, kind: "public", mint_fee: "0" },
    ]);
    expect(await change({ public_mint_config: { limit_per_account: 3 } })).toMatchObject({
      public_mint_config: { mint_fee: "0", limit_per_account: 3 },
      phases: [{ phase: 2, limit_per_account: 3 }],
    });
    expect(await change({ phases: null })).toMatchObject({ phases: [], public_mint_config: null });
    expect(await bodyOf(await api(path, { key: shop.key }), 200)).toMatchObject({
      title: "Herons",
      phases: [],
    });
  });

  test.each([
    [{ phases: [{ phase: 9, mint_fee: "0" }] }, ["phases", 0, "phase"]],
    [{ phases: [{ phase: 0, mint_fee: "0" }] }, ["phases", 0, "phase"]],
    [{ phases: [{ mint_fee: "0" }] }, ["phases", 0, "phase"]],
    [{ phases: [{ phase: 3 }] }, ["phases", 0, "mint_fee"]],
    [{ phases: [{ phase: 3, mint_fee: 5 }] }, ["phases", 0, "mint_fee"]],
    [{ phases: [{ phase: 3, mint_fee: "1" }] }, ["phases", 0, "mint_fee"]],
    [{ phases: [{ phase: 3, mint_fee: "0", currency: "usdc.near" }] }, ["phases", 0, "mint_fee"]],
    [{ phases: [{ phase: 3, mint_fee: "1.5", currency: "usdc.near" }] }, ["phases", 0, "mint_fee"]],
    [{ phases: [{ phase: 3, mint_fee: `${2n ** 128n}`, currency: "usdc.near" }] }, ["phases", 0, "mint_fee"]],
    [{ phases: [{ phase: 3, mint_fee: "1", currency: "USDC" }] }, ["phases", 0, "currency"]],
    [{ phases: [{ phase: 3, mint_fee: "0", name: "Early" }] }, ["phases", 0, "name"]],
    [{ phases: [{ phase: 3, mint_fee: "0", supply: 0 }] }, ["phases", 0, "supply"]],
    [{ phases: [{ phase: 2, kind: "allowlist", mint_fee: "0" }] }, ["phases", 0, "kind"]],
    [{ phases: [{ phase: 1, kind: "public", mint_fee: "0" }] }, ["phases", 0, "kind"]],
    [{ phases: [3, 4, 3].map((phase) => ({ phase, mint_fee: "0" })) }, ["phases", 2, "phase"]],
    [
      {
        phases: [
          { phase: 3, mint_fee: "0", starts_at: "2031-01-01T00:00:00Z", ends_at: "2030-01-01T00:00:00Z" },
        ],
      },
      ["phases", 0, "ends_at"],
    ],
    [
      { phases: [{ phase: 2, mint_fee: "0" }], public_mint_config: { mint_fee: "0" } },
      ["public_mint_config"],
    ],
    [
      { phases: [{ phase: 1, mint_fee: "0" }], private_mint_config: { mint_fee: "0" } },
      ["private_mint_config"],
    ],
  ])("are refused as %j", async (json, path) => {
    const refused = await bodyOf<{ issues: { path: unknown }[] }>(await draftWith(json), 400);
    expect(refused.issues.map((issue) => issue.path)).toEqual([path]);
  });

  test("nine phases are too many", async () => {
    const phases = Array.from({ length: 9 }, (_, index) => ({ phase: (index % 8) + 1, mint_fee: "0" }));
    const refused = await bodyOf<{ issues: { path: unknown }[] }>(await draftWith({ phases }), 400);
    expect(refused.issues[0]!.path).toEqual(["phases"]);
  });
});

const list = ({ collection_uuid: uuid }: { collection_uuid: string }, change: string, json: object) =>
  api(`/collection/${uuid}/allowlist-${change}`, { key: shop.key, method: "PUT", json });

describe("a currency", () => {
  const refusedFor = async (currency: string) => {
    const phases = [
      { phase: 2, mint_fee: "0" },
      { phase: 3, mint_fee: "1", currency },
    ];
    const draft = await createDraft(shop, { settings: { phases } });
    const before = await balanceOf(shop.walletAccountId);
    for (const path of ["/quote", `/collection-draft/${draft}/finalize`]) {
      const json = { method: "POST", path: `/collection-draft/${draft}/finalize` };
      const body = await bodyOf<{ message: string; issues: { path: unknown[] }[] }>(
        await api(path, { key: shop.key, method: "POST", ...(path === "/quote" && { json }) }),
        400,
      );
      expect(body.issues[0]!.path.slice(-3)).toEqual(["phases", 1, "currency"]);
    }
    // Nothing was signed, and the draft stays open.
    expect(await balanceOf(shop.walletAccountId)).toBe(before);
    expect(await bodyOf(await api(`/collection-draft/${draft}`, { key: shop.key }), 200)).toMatchObject({
      state: "draft",
    });
  };

  test("has to be a token's contract that describes itself", async () => {
    await refusedFor("nobody.near");
    await refusedFor(buyer.accountId);
    await refusedFor(shop.contractAccountId);
    for (const metadata of [
      null,
      { symbol: "near", decimals: 24 },
      { symbol: "A B", decimals: 6 },
      { symbol: "US\u202eDC", decimals: 6 },
      { symbol: "", decimals: 6 },
      // What reads as NEAR, or as a part of the amount.
      ...["$NEAR", "N.E.A.R", "N\u0415AR", "\uff2e\uff25\uff21\uff32", "5"].map((symbol) => ({
        ...{ symbol, decimals: 24 },
      })),
      { symbol: "USDC", decimals: 39 },
      { symbol: "USDC", decimals: "6" },
    ]) {
      await refusedFor((await createToken(metadata)).accountId);
    }
  });

  test("gets no more for a registration than 0.0125 NEAR", async () => {
    const asking = (min: bigint) =>
      createToken({ symbol: "DEAR", decimals: 6 }, { storage_balance_bounds: { min: `${min}`, max: null } });
    await refusedFor((await asking(NEAR / 80n + 1n)).accountId);
    const dear = await asking(NEAR / 80n);
    const phases = [{ phase: 3, mint_fee: "1", currency: dear.accountId }];
    await createCollection(shop, { settings: { phases } });
    expect(await isRegistered(dear)).toBe(true);
  });

  test("is not taken for one while nodes don't answer", async () => {
    const phases = [{ phase: 3, mint_fee: "1", currency: token.accountId }];
    const draft = await createDraft(shop, { settings: { phases } });
    await setFaults({ kind: "down", methods: ["query"] });
    try {
      const answer = await api(`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" });
      expect(await bodyOf(answer, 503)).toMatchObject({ code: "chain_unavailable" });
    } finally {
      await setFaults();
    }
  });
});

describe("GET /currency", () => {
  const read = (name: string, key = shop.key) => api(`/currency/${name}`, { key });

  test("shows a token as its contract describes it, with a read key as well", async () => {
    expect(await bodyOf(await read(token.accountId, shop.readKey), 200)).toEqual(usdc);
  });

  test("answers not_found for what is no currency, and chain_unavailable while nodes don't answer", async () => {
    const undescribed = (await createToken(null)).accountId;
    for (const name of ["nobody.near", shop.contractAccountId, undescribed]) {
      const refused = await bodyOf<{ code: string; message: string }>(await read(name), 404);
      expect(refused).toMatchObject({ code: "not_found", message: expect.stringContaining(name) });
    }
    expect(await bodyOf(await read("USDC"), 400)).toMatchObject({ code: "invalid_request" });
    await setFaults({ kind: "down", methods: ["query"] });
    try {
      expect(await bodyOf(await read(token.accountId), 503)).toMatchObject({ code: "chain_unavailable" });
    } finally {
      await setFaults();
    }
  });
});

describe("an update of phases", () => {
  test("shows what was minted and listed in a phase that it gives again", async () => {
    const kept = { phase: 2, mint_fee: `${PRICE}`, currency: token.accountId };
    const again = { phase: 4, kind: "allowlist", mint_fee: "0" };
    const collection = await createCollection(shop, { settings: { phases: [kept, again] } });
    const { collection_uuid: uuid } = collection;
    await buy(collection, PRICE, { max_price: `${PRICE}` });
    await bodyOf(await list(collection, "add", { accounts: ["alice.near", "bob.near"], phase: 4 }), 200);
    const alone = await bodyOf<Shown>(await update(uuid, { phases: [again] }), 200);
    expect(alone.phases).toMatchObject([{ phase: 4, minted: 0, allowlisted: 2 }]);
    const both = await bodyOf<Shown>(await update(uuid, { phases: [kept, again] }), 200);
    expect(both.phases).toMatchObject([
      { phase: 2, minted: 1, allowlisted: null },
      { phase: 4, minted: 0, allowlisted: 2 },
    ]);
    expect((await collectionOf(uuid)).phases).toEqual(both.phases);
  });

  test("is quoted with the registration, and costs no more", async () => {
    const other = await createToken({ symbol: "EURC", decimals: 2 });
    const collection = await createCollection(shop, { settings: { public_mint_config: { mint_fee: "0" } } });
    const path = `/collection/${collection.collection_uuid}`;
    const body = { phases: [{ phase: 5, mint_fee: "250", currency: other.accountId }] };
    const quote = await bodyOf<{ quote_uuid: string; transactions: number; cost: { at_most: string } }>(
      await api("/quote", { key: shop.key, json: { method: "PUT", path, body } }),
      201,
    );
    expect(quote.transactions).toBe(2);
    expect(await isRegistered(other)).toBe(false);
    const little = await api(path, {
      key: shop.key,
      method: "PUT",
      json: body,
      headers: { "mintage-max-cost": `${10n ** 20n}` },
    });
    expect(await bodyOf(little, 402)).toMatchObject({ code: "cost_exceeds_maximum" });
    expect(await isRegistered(other)).toBe(false);
    const before = await balanceOf(shop.walletAccountId);
    const headers = { "mintage-quote": quote.quote_uuid };
    const changed = await bodyOf<Shown>(
      await api(path, { key: shop.key, method: "PUT", json: body, headers }),
      200,
    );
    const euro = { contract_id: other.accountId, symbol: "EURC", decimals: 2 };
    expect(changed.phases).toMatchObject([{ phase: 5, currency: euro, mint_fee: "250" }]);
    expect(changed.public_mint_config).toBeNull();
    expect(await collectionOf(collection.collection_uuid)).toEqual(changed);
    expect(await isRegistered(other)).toBe(true);
    const spent = before - (await balanceOf(shop.walletAccountId));
    expect(spent).toBeLessThanOrEqual(BigInt(quote.cost.at_most));
    // Its second update needs no registration.
    const again = await bodyOf<{ transactions: number }>(
      await api("/quote", { key: shop.key, json: { method: "PUT", path, body } }),
      201,
    );
    expect(again.transactions).toBe(1);
    // The schedule finds nothing to adopt: the currency keeps its symbol.
    await background.reconcile(60_000);
    expect(await collectionOf(collection.collection_uuid)).toEqual(changed);
  });

  test("by a mint config needs a price in NEAR, which replaces the phase's price in a token", async () => {
    const phases = [{ phase: 2, mint_fee: `${PRICE}`, currency: token.accountId }];
    const { collection_uuid: uuid } = await createCollection(shop, { settings: { phases } });
    expect(
      await bodyOf(await update(uuid, { public_mint_config: { limit_per_account: 2 } }), 400),
    ).toMatchObject({
      issues: [{ path: ["public_mint_config", "mint_fee"] }],
    });
    const changed = await bodyOf<Shown>(await update(uuid, { public_mint_config: { mint_fee: "0" } }), 200);
    expect(changed.phases).toMatchObject([{ phase: 2, mint_fee: "0", currency: null }]);
    const both = { phases, public_mint_config: null };
    expect(await bodyOf(await update(uuid, both), 400)).toMatchObject({
      issues: [{ path: ["public_mint_config"] }],
    });
    expect((await bodyOf<Shown>(await update(uuid, { phases: [] }), 200)).phases).toEqual([]);
  });

  test("is refused with a read key, and to another integration", async () => {
    const { collection_uuid: uuid } = await createCollection(shop);
    expect((await update(uuid, { phases: [] }, shop.readKey)).status).toBe(403);
    expect((await update(uuid, { phases: [] }, (await newTenant()).key)).status).toBe(404);
  });
});

describe("the allowlist of a phase", () => {
  test("is separate from those of other phases", async () => {
    const phases = [1, 3, 4].map((phase) => ({ phase, kind: "allowlist", mint_fee: "0" }));
    const collection = await createCollection(shop, { settings: { phases } });
    const isListed = async (phase?: number) =>
      (
        await bodyOf<{ is_allowlisted: boolean }>(
          await list(collection, "checkaccount", { account: "alice.near", ...(phase && { phase }) }),
          200,
        )
      ).is_allowlisted;
    const each = async () => [await isListed(), await isListed(1), await isListed(3), await isListed(4)];
    const alice = { accounts: ["alice.near"] };
    await bodyOf(await list(collection, "add", { ...alice, phase: 3 }), 200);
    expect(await each()).toEqual([false, false, true, false]);
    await bodyOf(await list(collection, "add", alice), 200);
    await bodyOf(await list(collection, "add", { ...alice, phase: 4 }), 200);
    await bodyOf(await list(collection, "remove", { ...alice, phase: 3 }), 200);
    expect(await each()).toEqual([true, true, false, true]);
    await bodyOf(await list(collection, "clear", { phase: 4 }), 200);
    expect(await each()).toEqual([true, true, false, false]);
    for (const phase of [0, 2, 9, "3"]) {
      for (const [change, body] of [
        ["add", alice],
        ["clear", {}],
        ["checkaccount", { account: "alice.near" }],
      ] as const) {
        expect(await bodyOf(await list(collection, change, { ...body, phase }), 400)).toMatchObject({
          issues: [{ path: ["phase"] }],
        });
      }
    }
  });

  test("decides who may mint in its phase, and eligibility explains each phase", async () => {
    const phases = [
      { phase: 3, kind: "allowlist", mint_fee: `${PRICE}`, currency: token.accountId, limit_per_account: 1 },
      { phase: 4, mint_fee: `${2n * PRICE}`, currency: token.accountId, starts_at: "2099-01-01T00:00:00Z" },
    ];
    const collection = await createCollection(shop, { settings: { phases } });
    const ask = async (query = "") =>
      bodyOf<Record<string, unknown>>(
        await api(`/collection/${collection.collection_uuid}/eligibility/${buyer.accountId}${query}`, {
          key: shop.readKey,
        }),
        200,
      );
    const inToken = `?currency=${token.accountId}`;
    expect(await ask(inToken)).toMatchObject({
      allowed: false,
      code: "E_MINT_NOT_STARTED",
      opens_at: "2099-01-01T00:00:00.000Z",
      phases: [
        {
          phase: 3,
          currency: token.accountId,
          mint_fee: `${PRICE}`,
          allowed: false,
          code: "E_NOT_ALLOWLISTED",
        },
        { phase: 4, allowed: false, code: "E_MINT_NOT_STARTED", opens_at: "2099-01-01T00:00:00.000Z" },
      ],
    });
    await bodyOf(await list(collection, "add", { accounts: [buyer.accountId], phase: 3 }), 200);
    expect(await ask(inToken)).toMatchObject({
      ...{ allowed: true, via: "phase", phase: 3, mint_fee: `${PRICE}`, remaining_for_account: 1 },
      phases: [
        { phase: 3, allowed: true, code: null },
        { phase: 4, allowed: false },
      ],
    });
    expect(await ask()).toMatchObject({ allowed: false, mint_fee: null, phases: [{ allowed: true }, {}] });
    const wrong = await api(`/collection/${collection.collection_uuid}/eligibility/a.near?currency=USDC`, {
      key: shop.key,
    });
    expect(await bodyOf(wrong, 400)).toMatchObject({ issues: [{ path: ["currency"] }] });
  });
});

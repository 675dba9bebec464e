import { beforeAll, describe, expect, test } from "vitest";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { createHidden } from "../support/hidden-collections.ts";
import { inOneDay } from "../support/waiting.ts";

interface Refusal {
  readonly code: string;
  readonly message: string;
}

let shop: TestIntegration;
let collection: string;
let receiver: string;
/** What one mint may cost at most, yoctoNEAR. */
let one: bigint;
/** Price of the storage of one mint at most, 220 bytes, yoctoNEAR. */
const STORED = 220n * 10n ** 19n;

beforeAll(inOneDay);
beforeAll(async () => {
  shop = await createIntegration("Budgets");
  collection = (await createCollection(shop, { copies: [200] })).collection_uuid;
  [receiver = ""] = await createReceivers(1);
  const { message } = await bodyOf<Refusal>(await mint(await issued("0")), 402);
  const [, whole, rest] = /up to (\d+)\.(\d+) NEAR/.exec(message)!;
  one = BigInt(`${whole}${rest!.padEnd(24, "0")}`);
});

const issued = async (spending_per_day: string | null, more: object = {}): Promise<string> => {
  const json = { name: "k", spending_per_day, ...more };
  const path = `/integration/${shop.integrationUuid}/key`;
  return (await bodyOf<{ api_key: string }>(await admin(path, { json }), 201)).api_key;
};
const mint = (key: string, headers: Record<string, string> = {}) =>
  api(`/collection/${collection}/mint`, { key, json: { receiver_addresses: [receiver] }, headers });
const spent = async (key: string): Promise<bigint> => {
  const me = await bodyOf<{ key: { spent_today: string } }>(await api("/me", { key }), 200);
  return BigInt(me.key.spent_today);
};
const burntBy = async (answer: Response): Promise<bigint> => {
  const { tx_results } = await bodyOf<{ tx_results: { tokens_burnt: string }[] }>(answer, 201);
  return tx_results.reduce((sum, { tokens_burnt: burnt }) => sum + BigInt(burnt), 0n);
};

describe("a key's budget", () => {
  test("counts the cost of the key's own writes only", async () => {
    const [mine, other] = [await issued(String(100n * one)), await issued(String(100n * one))];
    const burnt = await burntBy(await mint(mine));
    expect(burnt).toBeGreaterThan(0n);
    expect(await spent(mine)).toBe(burnt + STORED);
    expect(await spent(other)).toBe(0n);
    await burntBy(await mint(shop.key));
    expect(await spent(mine)).toBe(burnt + STORED);
  });

  test("counts the storage that mints take, which top-ups ahead of them pay", async () => {
    const limit = 25n * STORED + one;
    const key = await issued(String(limit));
    const batch = () =>
      api(`/collection/${collection}/mint`, {
        key,
        json: { receiver_addresses: [receiver], quantity_per_receiver: 20 },
      });
    const answers = await Promise.all([batch(), batch(), batch()]);
    for (const answer of answers) await answer.body?.cancel();
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await bodyOf<Refusal>(await batch(), 402)).code).toBe("spending_limit_reached");
    expect(await spent(key)).toBeGreaterThan(20n * STORED);
    expect(await spent(key)).toBeLessThanOrEqual(limit);
  });

  test("counts the reserve of a drop, which the contract's free balance pays", async () => {
    const drop = (key: string, links: number) =>
      api(`/collection/${collection}/drop`, {
        key,
        json: {
          issuer_public_key: "ed25519:6E8sCci9badyRkXb3JoRpBj5p8C6Tw41ELDZoiihKEtp",
          expires_at: "2029-01-01T00:00:00Z",
          links,
        },
      });
    const links = 40;
    const key = await issued(String(BigInt(links) * 150n * 10n ** 19n));
    const refusal = await bodyOf<Refusal>(await drop(key, links), 402);
    expect(refusal).toMatchObject({
      code: "spending_limit_reached",
      message: expect.stringContaining("Nothing was sent."),
    });
    const enough = await issued(String(10n ** 24n));
    await bodyOf(await drop(enough, links), 201);
    // 188 bytes a token, and with one asset a byte each for the collection's number and its total of 200 two.
    expect(await spent(enough)).toBeGreaterThan(BigInt(links) * 191n * 10n ** 19n);
    expect(await spent(enough)).toBeLessThan(10n ** 24n / 2n);
  });

  test("refuses a write that could exceed it before anything is signed, and names the key's limit", async () => {
    const key = await issued(String(one - 1n));
    const sent = async () => bodyOf(await api("/transaction", { key: shop.key }), 200);
    const before = await sent();
    expect(await bodyOf<Refusal>(await mint(key), 402)).toMatchObject({
      code: "spending_limit_reached",
      message: expect.stringMatching(
        /^Wait .+ until the next day \(UTC\), or use a key with a higher spending_per_day, which a key with the scope `full` or the operator can make: .* are spent today of the key's limit\. Nothing was sent\.$/,
      ),
    });
    expect(await sent()).toEqual(before);
    await burntBy(await mint(await issued(String(one))));
  });

  test("is kept by forty simultaneous writes, some of which are carried out", async () => {
    const limit = 20n * one;
    const key = await issued(String(limit));
    const before = await (await api(`/collection/${collection}/token`, { key: shop.key })).json();
    const answers = await Promise.all(Array.from({ length: 40 }, () => mint(key)));
    const burnt = await Promise.all(
      answers.map(async (answer) => {
        if (answer.status === 201) return burntBy(answer);
        const { code, message } = await bodyOf<Refusal>(answer, answer.status);
        expect(`${answer.status} ${code} ${message}`).toMatch(
          /^402 spending_limit_reached |^429 wallet_busy .*: pending writes may use what is left of the key's spending_per_day today\. /,
        );
        return 0n;
      }),
    );
    const minted = answers.filter(({ status }) => status === 201).length;
    // What is on its way counts at its most, gas that is bought ahead and refunded included.
    expect(minted).toBeGreaterThanOrEqual(2);
    expect(minted).toBeLessThan(40);
    const all = await spent(key);
    expect(all).toBeGreaterThan(0n);
    expect(all).toBeLessThanOrEqual(limit);
    const after = await (await api(`/collection/${collection}/token`, { key: shop.key })).json();
    expect((after as unknown[]).length - (before as unknown[]).length).toBe(minted);
    // Of a transaction that several mints have shared each answer shows the whole, and the key's spending has it once.
    const stored = BigInt(minted) * STORED;
    expect(all).toBeGreaterThan(stored);
    expect(all).toBeLessThanOrEqual(burnt.reduce((sum, amount) => sum + amount, stored));
  });

  test("limits the keys that the key makes, whatever their budgets are", async () => {
    const maker = await issued(String(one + one / 2n));
    const make = async () => {
      const json = { name: "made", scopes: ["mint"] };
      return (await bodyOf<{ api_key: string }>(await api("/key", { key: maker, json }), 201)).api_key;
    };
    const made = [await make(), await make(), await make(), await make()];
    const answers = await Promise.all(made.map((key) => mint(key)));
    for (const answer of answers) await answer.body?.cancel();
    expect(answers.map(({ status }) => status)).toContain(201);
    expect(await spent(maker)).toBeGreaterThan(0n);
    expect(await spent(maker)).toBeLessThanOrEqual(one + one / 2n);
  });

  test("is unchanged by a rotation", async () => {
    const key = await issued(String(100n * one));
    await burntBy(await mint(key));
    const before = await spent(key);
    const { key_uuid: uuid } = (await bodyOf<{ key: { key_uuid: string } }>(await api("/me", { key }), 200))
      .key;
    const rotated = await api(`/key/${uuid}/rotate`, { key: shop.key, method: "POST" });
    const { api_key: fresh } = await bodyOf<{ api_key: string }>(rotated, 200);
    expect(await spent(fresh)).toBe(before);
    await burntBy(await mint(fresh));
    expect(await spent(key)).toBeGreaterThan(before);
  });

  test("doesn't count payouts", async () => {
    const path = `/integration/${shop.integrationUuid}/payout-account`;
    await bodyOf(await admin(path, { method: "PUT", json: { account_id: receiver } }), 200);
    const key = await issued("0", { scopes: ["money"] });
    await bodyOf(await api("/wallet/payout", { key, json: { amount: String(10n ** 22n) } }), 200);
    expect(await spent(key)).toBe(0n);
  });

  test("leaves a refused request's Idempotency-Key free for a key with a larger budget", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    await bodyOf(await mint(await issued("0"), headers), 402);
    await burntBy(await mint(shop.key, headers));
  });
});

describe("a key's budget for changes of stock", () => {
  const EACH = 40;
  /** Hidden collections whose assets are revealed one by one: of a collection one reveal runs at a time. */
  const HIDDEN = 10;
  let wallet: string;
  let stock: string;
  /** Tokens of the wallet, for each kind of write its own. */
  const tokens: string[] = [];
  let hidden: string[];

  beforeAll(async () => {
    wallet = shop.walletAccountId;
    const json = { receiver_addresses: [wallet], quantity_per_receiver: 20 };
    stock = (await createCollection(shop, { copies: [3 * EACH + 20] })).collection_uuid;
    for (let batch = 0; batch < (3 * EACH + 20) / 20; batch++) {
      const answer = await api(`/collection/${stock}/mint`, { key: shop.key, json });
      const minted = await bodyOf<{ tokens: { token_id: string }[] }>(answer, 201);
      tokens.push(...minted.tokens.map(({ token_id: id }) => id));
    }
    const made = await Promise.all(
      Array.from({ length: HIDDEN }, () => createHidden(shop, { copies: Array(8).fill(1) })),
    );
    hidden = made.map((each) => each.collection.collection_uuid);
  });

  interface StockWrite {
    readonly path: (index: number) => string;
    readonly json: (index: number) => object;
    /** How many writes the chain shows as done. */
    readonly done: () => Promise<number>;
  }

  const shown = async () =>
    bodyOf<{ token_id: string; owner_id: string; metadata: { title: string } }[]>(
      await api(`/collection/${stock}/token`, { key: shop.key }),
      200,
    );
  const own = (from: number, index: number) => tokens[from * EACH + index]!;
  const writes: Readonly<Record<string, StockWrite>> = {
    transfer: {
      path: () => `/collection/${stock}/nft-transfer`,
      json: (index) => ({ token_ids: [own(0, index)], receiver_address: receiver }),
      done: async () => (await shown()).filter(({ owner_id: owner }) => owner === receiver).length,
    },
    burn: {
      path: () => `/collection/${stock}/nft-burn`,
      json: (index) => ({ token_ids: [own(1, index)] }),
      done: async () => tokens.length - (await shown()).length,
    },
    "bulk update": {
      path: () => `/collection/${stock}/nft-update-bulk`,
      json: (index) => ({ updates: [{ token_id: own(2, index), metadata: { title: "Changed" } }] }),
      done: async () => (await shown()).filter(({ metadata }) => metadata.title === "Changed").length,
    },
    reveal: {
      path: (index) => `/collection/${hidden[index % HIDDEN]}/reveal`,
      json: () => ({ assets: 1 }),
      done: async () => {
        const read = async (uuid: string) =>
          bodyOf<{ reveal: { shown: number } }>(await api(`/collection/${uuid}`, { key: shop.key }), 200);
        return (await Promise.all(hidden.map(read))).reduce((sum, { reveal }) => sum + reveal.shown, 0);
      },
    },
  };

  test.each(Object.keys(writes))("is never exceeded by a %s, nor by forty at once", async (name) => {
    const { path, json, done } = writes[name]!;
    const send = (key: string, index: number) => api(path(index), { key, json: json(index) });
    const nothing = await issued("0");
    const sent = async () => bodyOf(await api("/transaction", { key: shop.key }), 200);
    const before = await sent();
    const { code, message } = await bodyOf<Refusal>(await send(nothing, 0), 402);
    expect([code, message]).toEqual([
      "spending_limit_reached",
      expect.stringContaining("of the key's limit. Nothing was sent."),
    ]);
    expect(await sent()).toEqual(before);
    expect(await done()).toBe(0);

    const [, whole, rest] = /up to (\d+)\.(\d+) NEAR/.exec(message)!;
    const limit = 5n * BigInt(`${whole}${rest!.padEnd(24, "0")}`);
    const key = await issued(String(limit));
    const answers = await Promise.all(Array.from({ length: EACH }, (_, index) => send(key, index)));
    let succeeded = 0;
    for (const answer of answers) {
      const refusal = (await answer.json()) as Refusal;
      if (answer.status === 200) succeeded += 1;
      // Another reveal of the same collection.
      else if (name === "reveal" && answer.status === 409)
        expect(refusal.message).toContain("it reveals assets of this collection already");
      else
        expect(`${answer.status} ${refusal.code}`).toMatch(
          /^(?:402 spending_limit_reached|429 wallet_busy)$/,
        );
    }
    expect(succeeded).toBeGreaterThanOrEqual(1);
    expect(succeeded).toBeLessThan(name === "reveal" ? HIDDEN : EACH);
    expect(await done()).toBe(succeeded);
    const all = await spent(key);
    expect(all).toBeGreaterThan(0n);
    expect(all).toBeLessThanOrEqual(limit);
  });
});

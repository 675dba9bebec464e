import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Quote } from "../../src/resources/quote.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import { chainCall } from "../support/chain-control.ts";
import { newIssuer } from "../support/claim-links.ts";
import { createCollection, createDraft, type Finalized, mintedOnChain } from "../support/collections.ts";
import { operationOver } from "../support/operations.ts";
import { pay } from "../support/payments.ts";
import { unsigned } from "../support/shared-mints.ts";

/** What a write was allowed to cost holds whatever happens until it is signed, and what it was expected to cost is near. */

let shop: TestIntegration;
let made: Finalized;
let receivers: string[];

beforeAll(async () => {
  shop = await createIntegration("Shop");
  made = await createCollection(shop, { copies: [5_000] });
  receivers = await createReceivers(25);
  await pay("platform", shop.walletAccountId, 200n * 10n ** 24n);
  const json = { account_id: receivers[0] };
  const path = `/integration/${shop.integrationUuid}/payout-account`;
  await bodyOf(await admin(path, { method: "PUT", json }), 200);
});
afterEach(() => setGasPrice(1n));

/** Of what a unit of gas usually costs. */
const setGasPrice = (times: bigint) => chainCall("devchain_gas_price", { price: `${100_000_000n * times}` });

/** After this a wallet reads a block again before it signs: five seconds (`Head`), and some. */
const HEAD_IS_OLD_MS = 5_500;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Write {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body?: object;
}

interface Operation {
  readonly operation_uuid: string;
  readonly state: string;
  readonly cost: { readonly quoted: string | null; readonly at_most: string | null; readonly actual: string };
  readonly transactions: readonly { readonly transaction_hash: string; readonly tokens_burnt: string }[];
  readonly answer: {
    readonly status: number;
    readonly body: { readonly code?: string; readonly outcome?: string };
  };
}

const collectionPath = () => `/collection/${made.collection_uuid}`;
const mint = (body: object = {}): Write => ({
  method: "POST",
  path: `${collectionPath()}/mint`,
  body: { receiver_addresses: receivers.slice(0, 1), ...body },
});
const quoteOf = async (json: Write): Promise<Quote> =>
  bodyOf<Quote>(await api("/quote", { key: shop.key, json }), 201);
const send = ({ method, path, body }: Write, headers: Readonly<Record<string, string>>) =>
  api(path, { key: shop.key, method, ...(body && { json: body }), headers });

/** The operation of an answer, once it is over. */
const operationOf = async (answer: Response): Promise<Operation> => {
  const uuid = answer.headers.get("x-operation-uuid");
  if (uuid === null) throw new Error(`${answer.status}: ${await answer.text()}`);
  await answer.body?.cancel();
  return (await operationOver(shop.key, uuid)) as unknown as Operation;
};
const later = async (write: Write, most: string): Promise<Response> =>
  send(write, { "mintage-max-cost": most, prefer: "respond-async" });

/** Metadata with which 25 tokens take so many bytes of storage, about. */
const taking = (bytes: number, letter = "x"): Write => {
  const letters = Math.floor((bytes / 25 - 300) / Buffer.byteLength(letter));
  return mint({ quantity_per_receiver: 25, metadata: { extra: JSON.stringify(letter.repeat(letters)) } });
};

/** Bytes of storage that the contract can pay for, as it says itself: GET /me may be five seconds old. */
const freeBytes = async (): Promise<number> => {
  const { free } = await view<{ free: string }>(env.NEAR_RPC_URL, shop.contractAccountId, "contract_balance");
  return Number(BigInt(free) / 10n ** 19n);
};

describe("dearer gas", () => {
  it("up to twice its price is covered by a quote, and more is refused before anything is sent", async () => {
    const { quote_uuid: quote, cost } = await quoteOf(mint());
    const minted = await mintedOnChain(shop, made);
    await setGasPrice(5n);
    const answer = await send(mint(), { "mintage-quote": quote });
    const refusal = await bodyOf<{ code: string; cost: { needed: string; at_most: string } }>(answer, 402);
    expect(refusal).toMatchObject({ code: "cost_exceeds_maximum", cost: { at_most: cost.at_most } });
    expect(BigInt(refusal.cost.needed)).toBeGreaterThan(BigInt(cost.at_most));
    expect(await mintedOnChain(shop, made)).toBe(minted);
    await setGasPrice(2n);
    const { state, cost: paid } = await operationOf(await send(mint(), { "mintage-quote": quote }));
    expect(state).toBe("succeeded");
    expect(BigInt(paid.actual)).toBeGreaterThan(BigInt(cost.expected));
    expect(BigInt(paid.actual)).toBeLessThanOrEqual(BigInt(cost.at_most));
  });

  it("while a mint waits to be signed leaves it unsigned", async () => {
    const { cost } = await quoteOf(mint());
    const minted = await mintedOnChain(shop, made);
    const accepted = await unsigned(shop.integrationUuid, async () => {
      const answer = await later(mint(), cost.at_most);
      await setGasPrice(5n);
      await pause(HEAD_IS_OLD_MS);
      return answer;
    });
    const operation = await operationOf(accepted);
    expect(operation).toMatchObject({
      state: "failed",
      cost: { quoted: null, at_most: cost.at_most, actual: "0" },
      transactions: [],
      answer: { status: 402, body: { code: "cost_exceeds_maximum", outcome: "not_submitted" } },
    });
    expect(await mintedOnChain(shop, made)).toBe(minted);
  });
});

describe("a contract that lacks storage", () => {
  it("is topped up within the quote for a collection's first tokens, of which it sets aside more", async () => {
    const { collection_uuid: fresh } = await createCollection(shop, { copies: [500] });
    const first = { ...taking((await freeBytes()) + 5_000), path: `/collection/${fresh}/mint` };
    const quote = await quoteOf(first);
    const operation = await operationOf(await send(first, { "mintage-quote": quote.quote_uuid }));
    expect(operation).toMatchObject({ state: "succeeded", transactions: { length: 3 } });
    expect(BigInt(operation.cost.actual)).toBeGreaterThan(BigInt(quote.cost.expected));
    expect(BigInt(operation.cost.actual)).toBeLessThanOrEqual(BigInt(quote.cost.at_most));
    await bodyOf(await send(mint(), {}), 201);
  });

  it.each(["x", "é", "鷺"])("is topped up within the quote, and not at all beyond it: %s", async (letter) => {
    const large = taking((await freeBytes()) + 50_000, letter);
    const quote = await quoteOf(large);
    expect(BigInt(quote.top_up)).toBeGreaterThan(10n ** 23n);
    expect(quote.transactions).toBe(3);
    const minted = await mintedOnChain(shop, made);
    const without = BigInt(quote.cost.expected) - BigInt(quote.top_up);
    const refused = await send(large, { "mintage-max-cost": `${without * 10n}` });
    expect((await bodyOf<{ code: string }>(refused, 402)).code).toBe("cost_exceeds_maximum");
    expect(await mintedOnChain(shop, made)).toBe(minted);
    const operation = await operationOf(await send(large, { "mintage-quote": quote.quote_uuid }));
    expect(operation).toMatchObject({ state: "succeeded", transactions: { length: 3 } });
    expect(BigInt(operation.cost.actual)).toBeLessThanOrEqual(BigInt(quote.cost.at_most));
    expect(distance(quote, operation)).toBeLessThan(NEAR_BY);
  });

  it("because of another mint since the quote isn't topped up: the mint fails with what it was allowed", async () => {
    await pay("platform", shop.contractAccountId, 10n ** 24n);
    // The contract can pay for one of them, and not for both.
    const half = taking((await freeBytes()) * 0.8, "鷺");
    const { cost, top_up: topUp } = await quoteOf(half);
    expect(topUp).toBe("0");
    const answers = await unsigned(shop.integrationUuid, () =>
      Promise.all([later(half, cost.at_most), later(half, cost.at_most)]),
    );
    const operations = await Promise.all(answers.map(operationOf));
    expect(operations.map(({ state }) => state).sort()).toEqual(["failed", "succeeded"]);
    const failed = operations.find(({ state }) => state === "failed")!;
    expect(failed).toMatchObject({
      transactions: { length: 1 },
      answer: { status: 402, body: { code: "cost_exceeds_maximum", outcome: "failed_on_chain" } },
    });
    expect(BigInt(failed.cost.actual)).toBeGreaterThan(0n);
    for (const { cost: paid } of operations) {
      expect(BigInt(paid.actual)).toBeLessThanOrEqual(BigInt(cost.at_most));
    }
  });
});

it("a change of a collection that was changed since its quote costs no more than it was allowed", async () => {
  const change = (body: object): Write => ({ method: "PUT", path: collectionPath(), body });
  const retitled = change({ title: "Herons by night" });
  const { quote_uuid: quote, cost } = await quoteOf(retitled);
  // From here on each change carries a thousand accounts along.
  const accounts = Array.from({ length: 1_000 }, (_, index) => `${"a".repeat(40)}${index}.near`);
  await bodyOf(await send(change({ bypass_mint_fee_accounts: accounts }), {}), 200);
  const { state, cost: paid } = await operationOf(await send(retitled, { "mintage-quote": quote }));
  expect(state).toBe("succeeded");
  expect(BigInt(paid.actual)).toBeGreaterThan(BigInt(cost.expected));
  expect(BigInt(paid.actual)).toBeLessThanOrEqual(BigInt(cost.at_most));
  await bodyOf(await send(change({ bypass_mint_fee_accounts: [] }), {}), 200);
});

it("mints that share a transaction share what it burnt", async () => {
  const writes = [1, 2, 3].map((quantity) => mint({ quantity_per_receiver: quantity }));
  const { cost } = await quoteOf(writes[2]!);
  const answers = await unsigned(shop.integrationUuid, () =>
    Promise.all(writes.map((write) => later(write, cost.at_most))),
  );
  const operations = await Promise.all(answers.map(operationOf));
  expect(operations.map(({ state }) => state)).toEqual(["succeeded", "succeeded", "succeeded"]);
  const [transaction, ...others] = operations.map(({ transactions }) => transactions[0]!);
  expect(others.map((one) => one.transaction_hash)).toEqual(Array(2).fill(transaction!.transaction_hash));
  const shares = operations.map((operation) => BigInt(operation.cost.actual));
  expect(shares[0]! + shares[1]! + shares[2]!).toBe(BigInt(transaction!.tokens_burnt));
  expect(shares[0]! < shares[1]! && shares[1]! < shares[2]!).toBe(true);
});

/** How far off an expectation may be, of what it comes to. */
const NEAR_BY = 0.02;

/** How far off the expectation was, of what it came to. */
const distance = ({ cost }: Quote, operation: Operation): number =>
  Math.abs(Number(operation.cost.actual) - Number(cost.expected)) / Number(operation.cost.actual);

describe("what a write costs is at most what was quoted, and near what was expected", () => {
  const account = fc.stringMatching(/^[a-z]{4,20}$/).map((name) => `${name}.near`);
  const text = fc.string({ minLength: 1, maxLength: 200 }).map((line) => line.replaceAll(/[\p{C}]/gu, "x"));
  const mints = fc
    .record({
      count: fc.constantFrom(1, 1, 1, 2, 5, 25),
      extra: fc.option(text),
      quantity: fc.constantFrom(1, 1, 5, 25),
    })
    .map(({ count, extra, quantity }) =>
      mint({
        receiver_addresses: receivers.slice(0, count),
        quantity_per_receiver: Math.min(quantity, Math.floor(25 / count)),
        ...(extra !== null && { metadata: { extra: JSON.stringify(extra) } }),
      }),
    );
  const put =
    (action: string) =>
    (body?: object): Write => ({
      method: "PUT",
      path: `${collectionPath()}${action}`,
      ...(body && { body }),
    });
  const accounts = fc
    .uniqueArray(account, { minLength: 1, maxLength: 60 })
    .map((list) => ({ accounts: list }));

  const drops = fc
    .record({ links: fc.integer({ min: 1, max: 200 }), quantity: fc.constantFrom(1, 1, 25) })
    .map(
      (terms): Write => ({
        method: "POST",
        path: `${collectionPath()}/drop`,
        body: {
          issuer_public_key: newIssuer().getPublicKey().toString(),
          expires_at: "2030-01-01T00:00:00Z",
          ...terms,
        },
      }),
    );

  /** A drop's reserve is planned by the most that a token may be promised: its quote only says what it costs at most. */
  const ANY = Number.POSITIVE_INFINITY;

  /** Where a mint writes many records, it counts how deep in the contract's trie they lie, which nobody shows. */
  const KINDS: readonly (readonly [string, number, () => fc.Arbitrary<Write | Promise<Write>>])[] = [
    [
      "finalize",
      NEAR_BY,
      () =>
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 }).map(async (copies) => ({
          method: "POST" as const,
          path: `/collection-draft/${await createDraft(shop, { copies })}/finalize`,
        })),
    ],
    [
      "payout",
      NEAR_BY,
      () =>
        fc.bigInt({ min: 1n, max: 10n ** 24n }).map((amount) => ({
          method: "POST" as const,
          path: "/wallet/payout",
          body: { amount: `${amount}` },
        })),
    ],
    [
      "mint",
      NEAR_BY,
      () => fc.constantFrom(1, 5, 25).map((quantity) => mint({ quantity_per_receiver: quantity })),
    ],
    ["mint of many records", 0.06, () => mints],
    [
      "nft-update",
      NEAR_BY,
      () =>
        text.map((title) =>
          put("/nft-update")({ token_id: `${made.near_collection.collection_id}:1`, title }),
        ),
    ],
    ["update", 0.05, () => text.map((description) => put("")({ description }))],
    ["allowlist-add", NEAR_BY, () => accounts.map(put("/allowlist-add"))],
    ["allowlist-remove", NEAR_BY, () => accounts.map(put("/allowlist-remove"))],
    [
      "allowlist-clear",
      NEAR_BY,
      // Of a list that removals have shrunk, the contract doesn't show in how many parts it lies.
      () =>
        accounts.map(async (list) => {
          await operationOf(await send(put("/allowlist-clear")(), {}));
          await operationOf(await send(put("/allowlist-add")(list), {}));
          return put("/allowlist-clear")();
        }),
    ],
    ["drop-create", ANY, () => drops],
    [
      "drop-extend",
      ANY,
      () =>
        drops.map(async (drop) => {
          const { operation_uuid: operation } = await operationOf(await send(drop, {}));
          const { answer } = await operationOver<{ drop: { drop_id: number } }>(shop.key, operation);
          return put(`/drop/${answer!.body.drop.drop_id}`)({ links: 300 });
        }),
    ],
  ];

  it.each(KINDS)("%s", async (name, near, writes) => {
    await fc.assert(
      fc.asyncProperty(writes(), async (planned) => {
        const write = await planned;
        // The chain is quiet: the contract tells when a token was minted in seconds.
        await pause(1_000);
        const quote = await quoteOf(write);
        expect(quote.wallet.missing).toBe("0");
        const operation = await operationOf(await send(write, { "mintage-quote": quote.quote_uuid }));
        expect(operation.state).toBe("succeeded");
        if (near !== ANY) expect(operation.transactions).toHaveLength(quote.transactions);
        expect(BigInt(operation.cost.actual)).toBeLessThanOrEqual(BigInt(quote.cost.at_most));
        expect(distance(quote, operation), `${name} ${JSON.stringify(write)}`).toBeLessThan(near);
      }),
      // One seed: each sample takes seconds, and which writes are near enough is measured, not proven.
      { numRuns: 6, endOnFailure: true, seed: 7 },
    );
  });
});

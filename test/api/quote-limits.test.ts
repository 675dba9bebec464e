import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Quote } from "../../client/src/index.ts";
// Inside: a top-up's limit at prices and costs that no transaction of a test has.
import { costOf, maxSpent } from "../../src/chain/cost.ts";
import { readGasPrices } from "../../src/chain/protocol.ts";
import { connect } from "../../src/chain/rpc.ts";
import { topUpRefusal } from "../../src/operations/engine/limits.ts";
import type { Outlook } from "../../src/operations/kind.ts";
import { transferTo } from "../../src/operations/top-up.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import { atGasPrice, setGasPrice } from "../support/chain-control.ts";
import { newIssuer } from "../support/claim-links.ts";
import { createCollection, createDraft, type Finalized, mintedOnChain } from "../support/collections.ts";
import { withdrawAll } from "../support/former-contract.ts";
import { call, connect as connectAgent } from "../support/mcp.ts";
import { killAt, observeCheckpoints, operationOver, serviceContext } from "../support/operations.ts";
import type { TransactionRecord } from "../support/own-wallets.ts";
import { pay } from "../support/payments.ts";
import { unsigned } from "../support/shared-mints.ts";
import { endObject } from "../support/wallets.ts";

/** What a write was allowed to cost holds whatever happens until it is signed, and what it was expected to cost is near. */

let shop: TestIntegration;
let made: Finalized;
let asset: Asset;
let receivers: string[];

interface Asset {
  readonly asset_uuid: string;
}

beforeAll(async () => {
  shop = await createIntegration("Shop");
  const draft = await createDraft(shop, { copies: [5_000] });
  const path = `/collection-draft/${draft}`;
  [asset] = await bodyOf<[Asset]>(await api(`${path}/asset`, { key: shop.key }), 200);
  made = await bodyOf<Finalized>(await api(`${path}/finalize`, { key: shop.key, method: "POST" }), 201);
  receivers = await createReceivers(25);
  await pay("platform", shop.walletAccountId, 200n * 10n ** 24n);
  const json = { account_id: receivers[0] };
  const account = `/integration/${shop.integrationUuid}/payout-account`;
  await bodyOf(await admin(account, { method: "PUT", json }), 200);
});
afterEach(() => setGasPrice(1n));

/** After this a wallet reads a block again before it signs: five seconds (`Head`), and some. */
const HEAD_IS_OLD_MS = 5_500;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Write {
  readonly method: "POST" | "PUT" | "DELETE";
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

describe("a higher gas price", () => {
  test("up to twice the quoted one is covered by the quote, and above it the write is refused", async () => {
    const { quote_uuid: quote, cost } = await quoteOf(mint());
    const minted = await mintedOnChain(shop, made);
    const answer = await atGasPrice(5n, () => send(mint(), { "mintage-quote": quote }));
    const refusal = await bodyOf<{ code: string; cost: { needed: string; at_most: string } }>(answer, 402);
    expect(refusal).toMatchObject({ code: "cost_exceeds_maximum", cost: { at_most: cost.at_most } });
    expect(BigInt(refusal.cost.needed)).toBeGreaterThan(BigInt(cost.at_most));
    expect(await mintedOnChain(shop, made)).toBe(minted);
    const { state, cost: paid } = await atGasPrice(2n, async () =>
      operationOf(await send(mint(), { "mintage-quote": quote })),
    );
    expect(state).toBe("succeeded");
    expect(BigInt(paid.actual)).toBeGreaterThan(BigInt(cost.expected));
    expect(BigInt(paid.actual)).toBeLessThanOrEqual(BigInt(cost.at_most));
  });

  test("while a mint waits to be signed leaves the mint unsigned", async () => {
    const { cost } = await quoteOf(mint());
    const minted = await mintedOnChain(shop, made);
    const accepted = await unsigned(shop.integrationUuid, async () => {
      const answer = await later(mint(), cost.at_most);
      await setGasPrice(50n);
      await pause(HEAD_IS_OLD_MS);
      await setGasPrice(50n);
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
    // The object would sign by the old block's price for some seconds.
    await setGasPrice(1n);
    await endObject(shop.integrationUuid);
  });
});

describe("a contract that lacks storage", () => {
  // It has about what a new one has: metadata has a limit, too.
  beforeEach(async () => {
    if ((await freeBytes()) < 250_000) return;
    await withdrawAll(shop);
    await pay("platform", shop.contractAccountId, 2n * 10n ** 24n);
  });

  test("is topped up within the quote for the first tokens of a collection, which reserve more storage", async () => {
    const { collection_uuid: fresh } = await createCollection(shop, { copies: [500] });
    const first = { ...taking((await freeBytes()) + 5_000), path: `/collection/${fresh}/mint` };
    const quote = await quoteOf(first);
    const operation = await operationOf(await send(first, { "mintage-quote": quote.quote_uuid }));
    expect(operation).toMatchObject({ state: "succeeded", transactions: { length: 3 } });
    expect(BigInt(operation.cost.actual)).toBeLessThanOrEqual(BigInt(quote.cost.at_most));
    expect(distance(quote, operation)).toBeLessThan(NEAR_BY);
    await bodyOf(await send(mint(), {}), 201);
  });

  test.each(["x", "é", "鷺"])(
    "is topped up within the quote, and not at all beyond it: %s",
    async (letter) => {
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
    },
  );

  test("because of a mint after the quote isn't topped up: the mint fails within its maximum cost", async () => {
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

test("a quote with a stored write isn't executed again after its write failed on the chain", async () => {
  await withdrawAll(shop);
  await pay("platform", shop.contractAccountId, 10n ** 24n);
  const half = taking((await freeBytes()) * 0.8, "鷺");
  const kept = async () => {
    const json = { ...half, keep: true };
    return (await bodyOf<Quote>(await api("/quote", { key: shop.key, json }), 201)).quote_uuid;
  };
  const quotes = [await kept(), await kept()];
  const agent = await connectAgent(shop.key);
  // `execute` binds the quote, and then sends the write, here without its wait for the end.
  const executed = (quote: string) =>
    send(half, { "mintage-quote": quote, "idempotency-key": quote, prefer: "respond-async" });
  killAt("quote.bound");
  for (const quote_uuid of quotes) await call(agent, "execute", { quote_uuid, idempotency_key: quote_uuid });
  observeCheckpoints(null);
  const answers = await unsigned(shop.integrationUuid, () => Promise.all(quotes.map(executed)));
  const operations = await Promise.all(answers.map(operationOf));
  // Now both could be carried out.
  await pay("platform", shop.contractAccountId, 10n ** 25n);
  for (const [index, quote_uuid] of quotes.entries()) {
    const { state, operation_uuid, answer } = operations[index]!;
    // A repetition that has bound the quote before the first execution fails, and sends the write after it.
    const second = await bodyOf(await executed(quote_uuid), state === "succeeded" ? 201 : 409);
    if (state === "failed")
      expect(second).toMatchObject({ code: "conflict", outcome: "failed_on_chain", operation_uuid });
    const again = await call(agent, "execute", { quote_uuid, idempotency_key: quote_uuid });
    expect(again.body).toMatchObject({ operation_uuid });
    if (state === "succeeded") continue;
    expect(answer).toMatchObject({ status: 402, body: { outcome: "failed_on_chain" } });
    expect(again.body).toMatchObject({ code: "conflict", outcome: "failed_on_chain" });
  }
  expect(operations.map(({ state }) => state).sort()).toEqual(["failed", "succeeded"]);
});

test("a contract is topped up only if the top-up and the following step stay within the maximum cost", async () => {
  const context = serviceContext();
  const contract = shop.contractAccountId;
  const transaction = transferTo(contract, 10n ** 23n);
  const call = {
    kind: "function_call",
    method: "nft_batch_mint",
    gas: `${10n ** 14n}`,
    deposit: "0",
  } as const;
  const again = { receiverId: contract, actions: [{ ...call, args: new Uint8Array() }] };
  const outlook = { transaction: async () => again } as unknown as Outlook;
  const records = ["5", null, "20"].map((cost) => ({ cost })) as unknown as TransactionRecord[];
  const prices = await readGasPrices(connect(context.settings));
  const [payment, step] = [transaction, again].map((one) => maxSpent(costOf(one, prices))) as [
    bigint,
    bigint,
  ];
  const needed = 25n + payment + step;
  const refusalOf = (most: bigint | null, name = "topup:mint:1") =>
    topUpRefusal(context, { mostCost: most?.toString() ?? null }, records, {
      step: name,
      transaction,
      outlook,
    });
  expect(await refusalOf(needed)).toBeNull();
  expect(await refusalOf(null)).toBeNull();
  for (const most of [needed - 1n, 25n + payment, payment + step]) {
    const refusal = { status: "too_dear", needed: `${needed}`, most: `${most}` };
    expect(await refusalOf(most)).toEqual(refusal);
    // Only a top-up is refused here: the wallet judges a step by itself.
    expect(await refusalOf(most, "mint")).toBeNull();
  }
});

test("a change of a collection that was changed after its quote costs at most the quoted maximum", async () => {
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

test("mints that share a transaction share its burnt gas", async () => {
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

/** The writes that are tried. */
const SEED = 20_261_122;

/** How far off an expectation may be, of what it comes to (docs/transactions.md). */
const NEAR_BY = 0.15;

/** How far off the expectation was, of what it came to. */
const distance = ({ cost }: Quote, operation: Operation): number =>
  Math.abs(Number(operation.cost.actual) - Number(cost.expected)) / Number(operation.cost.actual);

describe("the cost of a write is at most the quoted maximum and near the quoted expectation, for", () => {
  let updated: Finalized;
  beforeAll(async () => {
    // For all that is stored.
    await pay("platform", shop.contractAccountId, 5n * 10n ** 25n);
    updated = await createCollection(shop, { copies: [1] });
    await bodyOf(await send({ ...mint(), path: `/collection/${updated.collection_uuid}/mint` }, {}), 201);
  });

  const account = fc.stringMatching(/^[a-z]{4,20}$/).map((name) => `${name}.near`);
  const text = fc.string({ minLength: 1, maxLength: 200 }).map((line) => line.replaceAll(/[\p{C}]/gu, "x"));
  const accounts = fc.uniqueArray(account, { minLength: 1, maxLength: 60 });
  const put =
    (action: string) =>
    (body?: object): Write => ({
      method: "PUT",
      path: `${collectionPath()}${action}`,
      ...(body && { body }),
    });
  const done = async (write: Write): Promise<Operation> => operationOf(await send(write, {}));

  const metadata = fc.record(
    {
      extra: text.map((value) => JSON.stringify(value)),
      title: text,
      subtitle: text,
      description: text,
      copies: fc.integer({ min: 1, max: 70_000 }),
    },
    { requiredKeys: [] },
  );
  const mints = fc
    .record({
      count: fc.constantFrom(1, 1, 1, 2, 5, 25),
      own: fc.option(metadata),
      quantity: fc.constantFrom(1, 1, 5, 25),
    })
    .map(({ count, own, quantity }) =>
      mint({
        receiver_addresses: receivers.slice(0, count),
        quantity_per_receiver: Math.min(quantity, Math.floor(25 / count)),
        ...(own !== null && { metadata: own }),
      }),
    );
  const chosen = fc
    .constantFrom(1, 5)
    .map((quantity) => mint({ quantity_per_receiver: quantity, asset_uuid: asset.asset_uuid }));
  const settings = fc
    .record(
      {
        // A new title or description costs more the more NFTs its event names (docs/transactions.md).
        public_mint_config: fc.option(
          fc.constant({ mint_fee: "3000000000000000000000", limit_per_account: 300 }),
        ),
        bypass_mint_fee_accounts: accounts,
        ongoing_royalties: fc.option(account).map((payee) => (payee === null ? {} : { [receivers[0]!]: 5 })),
        allow_approvals: fc.boolean(),
        transfers_denied_accounts: fc.option(accounts),
      },
      { requiredKeys: [] },
    )
    .filter((changes) => Object.keys(changes).length > 0);
  const finalizations = fc
    .array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 })
    .map(async (copies): Promise<Write> => {
      const path = `/collection-draft/${await createDraft(shop, { copies })}/finalize`;
      return { method: "POST", path };
    });
  const payouts = fc
    .bigInt({ min: 1n, max: 10n ** 24n })
    .map((amount): Write => ({ method: "POST", path: "/wallet/payout", body: { amount: `${amount}` } }));

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
  const madeDrop = async (drop: Write): Promise<string> => {
    const { operation_uuid: operation } = await done(drop);
    const { answer } = await operationOver<{ drop: { drop_id: number } }>(shop.key, operation);
    return `${collectionPath()}/drop/${answer!.body.drop.drop_id}`;
  };
  const extended = drops.map(async (drop): Promise<Write> => {
    return { method: "PUT", path: await madeDrop(drop), body: { links: 300 } };
  });
  const closed = drops.map(async (drop): Promise<Write> => {
    const path = await madeDrop(drop);
    // A drop with links is closed after its end, which may be moved into the past.
    const expires_at = new Date(Date.now() - 60_000).toISOString();
    await done({ method: "PUT", path, body: { expires_at } });
    return { method: "DELETE", path };
  });

  const retold = metadata
    .filter((own) => Object.keys(own).length > 0)
    .map(
      (own): Write => ({
        method: "PUT",
        path: `/collection/${updated.collection_uuid}/nft-update`,
        body: { token_id: `${updated.near_collection.collection_id}:1`, ...own },
      }),
    );

  type Writes = fc.Arbitrary<Write | Promise<Write>>;
  /** Each sample takes seconds: so many that the file takes a minute and a half. */
  const KINDS: readonly (readonly [name: string, samples: number, writes: Writes])[] = [
    ["finalize", 3, finalizations],
    ["payout", 3, payouts],
    ["mint", 8, mints],
    ["mint of a chosen asset", 2, chosen],
    ["nft-update", 4, retold],
    ["update", 5, settings.map((changes) => put("")(changes))],
    ["allowlist-add", 3, accounts.map((list) => put("/allowlist-add")({ accounts: list }))],
    [
      "allowlist-remove",
      3,
      accounts.map(async (list) => {
        await done(put("/allowlist-add")({ accounts: list }));
        return put("/allowlist-remove")({ accounts: list });
      }),
    ],
    [
      "allowlist-clear",
      2,
      // Of a list that removals have shrunk, the contract doesn't show in how many parts it lies.
      accounts.map(async (list) => {
        await done(put("/allowlist-clear")());
        await done(put("/allowlist-add")({ accounts: list }));
        return put("/allowlist-clear")();
      }),
    ],
    ["drop-create", 3, drops],
    ["drop-extend", 2, extended],
    ["drop-close", 1, closed],
  ];
  test.each(KINDS)("%s", async (name, samples, writes) => {
    await fc.assert(
      fc.asyncProperty(writes, async (planned) => {
        const write = await planned;
        // The chain is quiet: the contract tells when a token was minted in seconds.
        await pause(1_000);
        const quote = await quoteOf(write);
        expect(quote.wallet.missing).toBe("0");
        const operation = await operationOf(await send(write, { "mintage-quote": quote.quote_uuid }));
        expect(operation.state).toBe("succeeded");
        expect(operation.transactions).toHaveLength(quote.transactions);
        expect(BigInt(operation.cost.actual)).toBeLessThanOrEqual(BigInt(quote.cost.at_most));
        expect(distance(quote, operation), `${name} ${JSON.stringify(write)}`).toBeLessThan(NEAR_BY);
      }),
      { seed: SEED, numRuns: samples, endOnFailure: true },
    );
  });
});

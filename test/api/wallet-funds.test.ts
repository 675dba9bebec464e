import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Quote } from "../../client/src/index.ts";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { chainCall, setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { finalAnswer } from "../support/operations.ts";
import { createWallet, type Intent, intent, payment, walletOf } from "../support/own-wallets.ts";
import { drain, pay, sendFrom } from "../support/payments.ts";
import { ENOUGH, until } from "../support/waiting.ts";
import { setWalletSettings } from "../support/wallets.ts";

const NEAR = 10n ** 24n;
const TGAS = 10n ** 12n;
/** Metadata so long that a new contract's balance can't store 25 tokens of it. */
const UNPAID = { quantity_per_receiver: 25, metadata: { extra: JSON.stringify("x".repeat(16_000)) } };

let shop: TestIntegration;
let path: string;
let receiver: string;

beforeAll(async () => {
  shop = await createIntegration();
  path = `/collection/${(await createCollection(shop, { copies: [10_000] })).collection_uuid}`;
  [receiver] = (await createReceivers(1)) as [string];
});
afterEach(() => setFaults());

interface Answer {
  readonly status: number;
  readonly body: { readonly message: string };
}
const mint = async (body: object = {}): Promise<Answer> =>
  finalAnswer(
    shop.key,
    await api(`${path}/mint`, { key: shop.key, json: { receiver_addresses: [receiver], ...body } }),
  );

/** yoctoNEAR that the wallet's account has to keep for its storage. */
const storageOf = async (accountId: string): Promise<bigint> => {
  const params = { request_type: "view_account", finality: "optimistic", account_id: accountId };
  const { storage_usage } = await chainCall<{ storage_usage: number }>("query", params);
  return storage_usage > 770 ? BigInt(storage_usage) * 10n ** 19n : 0n;
};

/** Leaves the wallet with this much over what its storage needs. */
const leave = async (amount: bigint) => {
  await until(async () => (await walletOf(shop.integrationUuid).status()).open === 0);
  await drain(shop.integrationUuid, (await storageOf(shop.walletAccountId)) + amount);
};

const transactions = async () => bodyOf<object[]>(await api("/transaction", { key: shop.key }), 200);

/** Pays exactly what a 402 names. */
const payNamed = async (answer: Answer) => {
  expect(answer.status).toBe(402);
  const [, amount, account] = /at least (\d+) yoctoNEAR to (\S+),/.exec(answer.body.message)!;
  expect(account).toBe(shop.walletAccountId);
  await pay("platform", shop.walletAccountId, BigInt(amount!));
};

describe("paying exactly the amount in a 402 is enough for", () => {
  const BODIES: [string, object][] = [
    ["a mint", {}],
    ["another one after it", {}],
    ["one of 25 tokens", { quantity_per_receiver: 25 }],
    ["some whose storage the contract can't pay", UNPAID],
  ];

  test.each(BODIES)("%s", async (_name, body) => {
    await leave(10n ** 21n);
    await payNamed(await mint(body));
    expect((await mint(body)).status).toBe(201);
  });

  test("a mint whose storage the contract can't pay, after which nothing was sent", async () => {
    await pay("platform", shop.walletAccountId, 5n * NEAR);
    await sendFrom(shop.integrationUuid, shop.contractAccountId, [
      {
        kind: "function_call",
        method: "withdraw",
        args: Buffer.from("{}"),
        gas: `${50n * TGAS}`,
        deposit: "1",
      },
    ]);
    // Enough for the mint, but not for the contract's storage too.
    await leave(2n * 10n ** 23n);
    const before = await transactions();
    const answer = await mint(UNPAID);
    expect(answer.body).toMatchObject({ code: "contract_storage_unpaid", outcome: "not_submitted" });
    expect(answer.body).not.toHaveProperty("operation_uuid");
    expect(await transactions()).toEqual(before);
    await payNamed(answer);
    expect((await mint(UNPAID)).status).toBe(201);
  });

  test("a wallet with many keys, whose storage reduces its balance", async () => {
    await pay("platform", shop.walletAccountId, 5n * NEAR);
    // With metadata of their own they share no transaction, so that keys are added for them.
    const own = { metadata: { extra: JSON.stringify("own") } };
    const burst = await Promise.all(Array.from({ length: 30 }, () => mint(own)));
    expect(burst.map(({ status }) => status)).toEqual(Array(30).fill(201));
    expect(await storageOf(shop.walletAccountId)).toBeGreaterThan(10n ** 22n);
    await leave(10n ** 21n);
    await payNamed(await mint());
    expect((await mint()).status).toBe(201);
  });
});

test("paying exactly the amount that a quote says is missing is enough for its write", async () => {
  await leave(10n ** 21n);
  const json = { receiver_addresses: [receiver] };
  const write = { method: "POST", path: `${path}/mint`, body: json };
  const quote = await bodyOf<Quote>(await api("/quote", { key: shop.key, json: write }), 201);
  expect(BigInt(quote.wallet.missing)).toBeGreaterThan(0n);
  expect((await mint()).status).toBe(402);
  await pay("platform", shop.walletAccountId, BigInt(quote.wallet.missing));
  const headers = { "mintage-quote": quote.quote_uuid };
  const answer = await api(`${path}/mint`, { key: shop.key, json, headers });
  expect((await finalAnswer(shop.key, answer)).status).toBe(201);
});

test("reserved gas makes a wallet busy, not underfunded, and no more is signed than it can pay for", async () => {
  const { wallet, uuid, accountId } = await createWallet(10n * NEAR);
  // As much gas as a mint of 25 tokens; the receiver has no contract, so each fails and burns little.
  const gas = (40n * TGAS).toString();
  const call = () =>
    intent(
      [{ kind: "function_call", method: "nft_batch_mint", args: new Uint8Array(), gas, deposit: "0" }],
      receiver,
    );
  const over = (calls: readonly Intent[]) =>
    Promise.all(calls.map(({ operationUuid }) => wallet.recordsAtEnd(operationUuid, ENOUGH)));
  const first = Array.from({ length: 60 }, call);
  await Promise.all(first.map((each) => wallet.submit(each)));
  await over(first);
  await until(async () => (await wallet.status()).open === 0);
  expect((await wallet.status()).lanes.length).toBeGreaterThan(40);
  await drain(uuid, (await storageOf(accountId)) + NEAR);
  await setFaults({ kind: "request_lost", methods: ["send_tx"] });
  const accepted: Intent[] = [];
  const answers = new Set<string>();
  for (let more = 0; more < 400; more++) {
    const one = call();
    const answer = await wallet.submit(one);
    answers.add(answer.status);
    if (answer.status === "accepted") accepted.push(one);
    if (answer.status === "busy") expect(answer.retryAfter).toBeGreaterThan(0);
  }
  expect(answers).toEqual(new Set(["accepted", "busy"]));
  // More of them than can be signed at once, because gas is bought at ten times the price at which it is burnt.
  expect(accepted.length).toBeGreaterThan(100);
  // 41 Tgas at a billion yoctoNEAR each.
  const mostAtOnce = 24;
  expect((await wallet.status()).open).toBeLessThanOrEqual(mostAtOnce);
  await setFaults();
  const done = over(accepted);
  await until(async () => {
    const { open, queued } = await wallet.status();
    expect(open).toBeLessThanOrEqual(mostAtOnce);
    return open + queued === 0;
  });
  expect(new Set((await done).flat().map(({ state }) => state))).toEqual(new Set(["failed"]));
  expect(await wallet.submit(call())).toEqual({ status: "accepted" });
});

test("of more transactions at once than the queue has room for, as many are accepted as it has", async () => {
  const { uuid, wallet } = await createWallet(10n * NEAR);
  // Nothing is signed, so that the queue doesn't get room again.
  const restored = await setWalletSettings(uuid, { MAX_QUEUE: 3, LANE_DEPTH: 0, MAX_LANES: 1 });
  // All of them wait for the same reading of the balance.
  const answers = await Promise.all(Array.from({ length: 8 }, () => wallet.submit(payment(receiver))));
  expect(Map.groupBy(answers, ({ status }) => status).get("accepted")).toHaveLength(3);
  expect(answers.filter(({ status }) => status === "busy")).toHaveLength(5);
  // All objects of the worker have these settings.
  await restored();
});

test("a second payment waits for the first and then gets the missing amount", async () => {
  const { wallet } = await createWallet(5n * NEAR);
  const amount = (3n * NEAR).toString();
  const [first, second] = [payment(receiver, amount), payment(receiver, amount)];
  expect(await wallet.submit(first)).toEqual({ status: "accepted" });
  expect(["busy", "insufficient_funds"]).toContain((await wallet.submit(second)).status);
  await wallet.recordsAtEnd(first.operationUuid, ENOUGH);
  const answer = await wallet.submit(second);
  expect(answer).toMatchObject({ status: "insufficient_funds" });
  expect(await wallet.transactions(second.operationUuid)).toEqual([]);
});

/** How often a fault has struck since the chain began, by `kind:method`. */
const timesStruck = async (fault: string): Promise<number> => {
  const { faults } = await chainCall<{ faults: { injected: Record<string, number> } }>("devchain_status", {});
  return faults.injected[fault] ?? 0;
};

test("a node without the latest payment doesn't make a wallet underfunded", async () => {
  const { wallet, uuid, accountId } = await createWallet(5n * NEAR);
  const spend = payment(receiver, (4n * NEAR).toString());
  await drain(uuid, NEAR);
  const { header } = await chainCall<{ header: { height: number } }>("block", { finality: "optimistic" });
  await pay("platform", accountId, 10n * NEAR);
  // The base block is one of before the payment, so that a node that stands there takes a look at the balance.
  await setFaults({ kind: "freeze", methods: ["send_tx"], height: header.height });
  expect(await wallet.submit(spend)).toEqual({ status: "accepted" });
  // Every fourth time the node is asked for its reason.
  await until(async () => (await timesStruck("freeze:send_tx")) >= 9);
  const rows = await runInDurableObject(env.WALLET.getByName(uuid), (_, { storage }) =>
    storage.sql.exec("SELECT state, refusal, noop_hash FROM signed ORDER BY id DESC LIMIT 1").toArray(),
  );
  expect(rows).toEqual([{ state: "open", refusal: null, noop_hash: null }]);
  await setFaults();
  expect(await wallet.recordsAtEnd(spend.operationUuid, ENOUGH)).toMatchObject([{ state: "succeeded" }]);
});

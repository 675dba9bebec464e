import { afterEach, beforeAll, expect, test, vi } from "vitest";
// Inside: no answer shows how many views a payout calls.
import type { Uuid } from "../../src/domain/ids.ts";
import { readSales } from "../../src/operations/sales.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { balanceOf } from "../support/chain-control.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { inLedger } from "../support/ledgers.ts";
import { background, serviceContext } from "../support/operations.ts";
import { sendFrom } from "../support/payments.ts";
import { spoilViews } from "../support/spoilt-views.ts";

/** Contracts whose owners have them run other code: what they return concerns nobody else. */

const PRICE = 10n ** 23n;
/** What a mint brings the owner: without the token's storage and the platform's 5%. */
const REST = PRICE - 270n * 10n ** 19n;
const SHARE = REST - REST / 20n;
const whole = (amount: bigint) => (amount / 10n ** 15n) * 10n ** 15n;

/** As many contracts are compared at once: the other integration's is behind them. */
const AT_ONCE = 5;

let spoilt: TestIntegration;
let other: TestIntegration;
let collector: TestIntegration;
let ofSpoilt: Finalized;
let ofOther: Finalized;
/** A second contract of the other integration, newer than its first. */
let second: { readonly account: string; readonly collection: Finalized };
let treasury: string;

const settings = { public_mint_config: { mint_fee: `${PRICE}` } };

beforeAll(async () => {
  [spoilt, collector] = [await createIntegration("Spoilt"), await createIntegration("Collector")];
  for (let count = 2; count < AT_ONCE; count++) await createIntegration("Between");
  other = await createIntegration("Other");
  [treasury] = (await createReceivers(1)) as [string];
  ofSpoilt = await createCollection(spoilt, { copies: [50], settings });
  ofOther = await createCollection(other, { copies: [50], settings });
  const made = await bodyOf<{ contract_uuid: string; account_id: string }>(
    await admin(`/integration/${other.integrationUuid}/contract`, {
      json: { name: "Second", symbol: "SECOND" },
    }),
    201,
  );
  const collection = await createCollection(
    { ...other, contractUuid: made.contract_uuid },
    { copies: [50], settings },
  );
  second = { account: made.account_id, collection };
  for (const { integrationUuid } of [spoilt, other]) {
    const json = { account_id: treasury };
    await bodyOf(await admin(`/integration/${integrationUuid}/payout-account`, { method: "PUT", json }), 200);
  }
});
afterEach(() => vi.unstubAllGlobals());

const sell = (account: string, { near_collection }: Finalized) =>
  sendFrom(collector.integrationUuid, account, [
    {
      kind: "function_call",
      method: "nft_mint",
      args: Buffer.from(JSON.stringify({ collection_id: near_collection.collection_id })),
      gas: `${10n ** 14n}`,
      deposit: `${PRICE}`,
    },
  ]);
const earned = async ({ key }: TestIntegration, { collection_uuid: uuid }: Finalized) =>
  BigInt((await bodyOf<{ earned: string }>(await api(`/collection/${uuid}`, { key }), 200)).earned);
const payOut = (amount: string, { key }: TestIntegration) => api("/wallet/payout", { key, json: { amount } });
const paidOf = async (answer: Response) => BigInt((await bodyOf<{ amount: string }>(answer, 200)).amount);

/** Pays out what earlier tests have sold. */
const payAll = async () => {
  // Something has to be left to pay out.
  await sell(other.contractAccountId, ofOther);
  await paidOf(await payOut("sales", other));
};

/** Pages without end, whose collections have the numbers that are asked for, or always the same. */
const endless =
  (isNumbered: boolean) =>
  (text: string, { args }: { args: Record<string, unknown> }) => {
    const [one] = JSON.parse(text === "[]" ? template : text) as [Record<string, unknown>];
    template = JSON.stringify([one]);
    const from = isNumbered ? Number(args.from_index) : 0;
    const page = Array.from({ length: Number(args.limit) }, (_, index) => ({
      ...one,
      collection_id: from + index + 1,
      external_id: index === 0 && from === 0 ? one.external_id : "ab".repeat(16),
    }));
    return JSON.stringify(page);
  };
let template = "[]";

test.each([
  [
    "an amount with a fraction",
    "collections",
    (text: string) => text.replace(/"earned":"\d+"/, '"earned":"1.5"'),
  ],
  [
    "more than there is",
    "collections",
    (text: string) => text.replace(/"earned":"\d+"/, `"earned":"${10n ** 38n}"`),
  ],
  ["no JSON", "collections", () => "<html>"],
  ["no list", "collections", () => '{"collections":[]}'],
  ["pages without end", "collections", endless(true)],
  ["the same page again and again", "collections", endless(false)],
  ["no balance", "contract_balance", () => '{"free":"none"}'],
  [
    "times that no calendar has",
    "collections",
    (text: string) => text.replace(/"starts_at_ms":null/, '"starts_at_ms":9e15'),
  ],
  ["nothing, because no node answers", "collections", () => null],
] as const)(
  "a contract that returns %s doesn't stop the comparison of other contracts",
  async (_, method, change) => {
    const before = await earned(other, ofOther);
    await sell(other.contractAccountId, ofOther);
    const wasAsked = spoilViews(
      (view) => view.contract === spoilt.contractAccountId && view.method === method,
      change,
    );
    for (let run = 0; run < 2; run++) await background.reconcile();
    expect(wasAsked()).toBe(true);
    expect(await earned(other, ofOther)).toBe(before + SHARE);
  },
);

test("a payout of sales ends, whatever the contract returns", async () => {
  for (const change of [(text: string) => text.replace(/"earned":"\d+"/, '"earned":"1.5"'), endless(true)]) {
    spoilViews((view) => view.contract === spoilt.contractAccountId && view.method === "collections", change);
    expect(await bodyOf(await payOut("sales", spoilt), 402)).toMatchObject({ code: "insufficient_funds" });
    vi.unstubAllGlobals();
  }
  await background.reconcile();
  expect(await earned(spoilt, ofSpoilt)).toBe(0n);
});

test("while nodes don't show one contract, other contracts' sales are paid, and a payout of an amount is refused", async () => {
  await payAll();
  const before = await balanceOf(treasury);
  const [first, last] = [await earned(other, ofOther), await earned(other, second.collection)];
  await sell(other.contractAccountId, ofOther);
  await sell(second.account, second.collection);
  spoilViews(
    (view) => view.contract === second.account,
    () => null,
  );
  expect(await paidOf(await payOut("sales", other))).toBe(whole(first + SHARE) - whole(first));
  expect(await bodyOf(await payOut("1", other), 503)).toMatchObject({
    code: "chain_unavailable",
    message: expect.stringContaining('"sales" pays those of the others'),
    outcome: "not_submitted",
    retryable: true,
  });
  vi.unstubAllGlobals();
  expect(await paidOf(await payOut("sales", other))).toBe(whole(last + SHARE) - whole(last));
  expect(await balanceOf(treasury)).toBeLessThanOrEqual(before + 2n * SHARE);
});

test("a payout of an amount includes the sales of an unreadable contract, which aren't paid again", async () => {
  await payAll();
  await sell(second.account, second.collection);
  spoilViews(
    (view) => view.contract === second.account,
    () => "<html>",
  );
  await paidOf(await payOut(`${SHARE}`, other));
  vi.unstubAllGlobals();
  expect(await bodyOf(await payOut("sales", other), 402)).toMatchObject({ code: "insufficient_funds" });
  const last = await earned(other, second.collection);
  await sell(second.account, second.collection);
  expect(await paidOf(await payOut("sales", other))).toBe(whole(last + SHARE) - whole(last));
});

test("a payout's calls of nodes count for the key, and each contract is read up to its last known collection", async () => {
  let calls = 0;
  const admitCall = async () => void calls++;
  // Inside: no answer shows the block at which the database has read the contract.
  const [{ height }] = (await inLedger<{ height: number }>(
    other.integrationUuid,
    "SELECT max(height) AS height FROM collections",
  )) as [{ height: number }];
  spoilViews((view) => view.method === "collections", endless(true));
  await readSales({ ...serviceContext(), admitCall }, other.integrationUuid as Uuid, height);
  expect(calls).toBe(2);
});

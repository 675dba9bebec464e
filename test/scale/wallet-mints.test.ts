import { afterEach, beforeEach, expect, test } from "vitest";
// Inside: no answer shows how often the job that looks for mints from wallets calls the ledger.
import { compareWithChain } from "../../src/operator/jobs/chain-comparison.ts";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { inLedgers, watchedLedgers } from "../support/ledgers.ts";
import {
  background,
  killAt,
  observeCheckpoints,
  operationOver,
  serviceContext,
} from "../support/operations.ts";
import { sendFrom } from "../support/payments.ts";

/** Tokens that collectors mint from their wallets are told of without an indexer. */

interface Event {
  readonly seq: number;
  readonly type: string;
  readonly data: Record<string, unknown> & { readonly token_id: string; readonly source: string };
}

let shop: TestIntegration;
let collector: TestIntegration;
let made: Finalized;
let receiver: string;
let before: number;

beforeEach(async () => {
  shop = await createIntegration("Shop");
  collector = await createIntegration("Collector");
  made = await createCollection(shop, { copies: [12], settings: { public_mint_config: { mint_fee: "0" } } });
  [receiver] = (await createReceivers(1)) as [string];
  before = (await list()).at(-1)!.seq;
});
afterEach(() => observeCheckpoints(null));

const list = async (query = "") => bodyOf<Event[]>(await api(`/event${query}`, { key: shop.key }), 200);
const told = async () => list(`?after=${before}`);
const minted = async () =>
  (await told()).flatMap(({ type, data }) => (type === "nft.minted" ? [[data.source, data.token_id]] : []));
const id = (number: number) => `${made.near_collection.collection_id}:${number}`;
const byApi = (quantity = 1) =>
  api(`/collection/${made.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [receiver], quantity_per_receiver: quantity },
  });
const byWallet = () =>
  sendFrom(collector.integrationUuid, shop.contractAccountId, [
    {
      kind: "function_call",
      method: "nft_mint",
      args: Buffer.from(JSON.stringify({ collection_id: made.near_collection.collection_id })),
      gas: `${10n ** 14n}`,
      deposit: "0",
    },
  ]);

test("mints that the service didn't send are reported once each, as the API returns them", async () => {
  await byWallet();
  await bodyOf(await byApi(2), 201);
  await byWallet();
  await Promise.all([background.reconcile(), background.reconcile()]);
  expect((await minted()).sort()).toEqual([
    ["api", id(2)],
    ["api", id(3)],
    ["wallet", id(1)],
    ["wallet", id(4)],
  ]);
  const tokens = await bodyOf<{ token_id: string }[]>(
    await api(`/collection/${made.collection_uuid}/token`, { key: shop.key }),
    200,
  );
  for (const { type, data } of await told()) {
    if (type !== "nft.minted" || data.source !== "wallet") continue;
    const { source, operation_uuid, reference, ...token } = data;
    expect([operation_uuid, reference]).toEqual([null, null]);
    expect(token).toEqual(tokens.find(({ token_id }) => token_id === data.token_id));
    expect(token).toMatchObject({ owner_id: collector.walletAccountId });
  }
  const end = (await told()).length;
  await background.reconcile();
  await byWallet();
  await background.reconcile();
  const all = await told();
  expect(all.slice(end).map(({ data }) => [data.source, data.token_id])).toEqual([["wallet", id(5)]]);
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => before + 1 + index));
  // Inside: no answer shows what the job has stored.
  expect(await inLedgers("SELECT 1 FROM events WHERE minted IS NOT NULL")).not.toEqual([]);
});

test("a pending mint of the service reports its own tokens itself", async () => {
  killAt("operation.before_effects");
  const answer = await byApi(2);
  const uuid = answer.headers.get("x-operation-uuid")!;
  await byWallet();
  await background.reconcile();
  expect(await minted()).toEqual([["wallet", id(3)]]);
  observeCheckpoints(null);
  await background.resume(uuid);
  expect(await operationOver(shop.key, uuid)).toMatchObject({ state: "succeeded" });
  await byWallet();
  await background.reconcile();
  expect(await minted()).toEqual([
    ["wallet", id(3)],
    ["api", id(1)],
    ["api", id(2)],
    ["wallet", id(4)],
  ]);
});

test("the last mint from a wallet is reported once as having sold out the collection", async () => {
  await bodyOf(await byApi(10), 201);
  await byWallet();
  await byWallet();
  await background.reconcile();
  await background.reconcile();
  const types = (await told()).map(({ type }) => type);
  expect(types.filter((type) => type === "collection.sold_out")).toHaveLength(1);
  expect(types.filter((type) => type === "nft.minted")).toHaveLength(12);
});

/** As after 2,000 events of collections that the test doesn't look at. @returns the number of the last one */
const muchElsewhere = async (): Promise<number> => {
  const { seq } = (await list()).at(-1)!;
  await inLedgers("UPDATE events SET seq = ? WHERE seq = ?", seq + 2_000, seq);
  await inLedgers("UPDATE meta SET events_seq = ? WHERE events_seq = ?", seq + 2_000, seq);
  return seq + 2_000;
};
/** Up to which event nothing tells of a token of the collection that isn't told of. */
const looked = ({ collection_uuid: uuid }: Finalized) =>
  inLedgers<{ scanned_seq: number }>(
    "SELECT scanned_seq FROM collections WHERE lower(hex(id)) = ?",
    uuid.replaceAll("-", ""),
  ).then(([row]) => row!.scanned_seq);

test("mints of a quiet collection are read only since the last check, however many events other collections had", async () => {
  const atFirst = await looked(made);
  await background.reconcile();
  expect(await looked(made)).toBe(atFirst);
  const last = await muchElsewhere();
  await background.reconcile();
  expect(await looked(made)).toBe(last);
  await byWallet();
  await bodyOf(await byApi(), 201);
  await background.reconcile();
  expect((await minted()).sort()).toEqual([
    ["api", id(2)],
    ["wallet", id(1)],
  ]);
});

test("the check of a page of quiet collections is recorded by one call of the ledger", async () => {
  const other = await createCollection(shop, { copies: [12] });
  const last = await muchElsewhere();
  let notes = 0;
  const WALLET = watchedLedgers((method, call, statements) => {
    if (method === "run" && /\\"scanned_seq\\" = /.test(JSON.stringify(statements))) notes += 1;
    return call();
  });
  const context = serviceContext(0, undefined, { WALLET });
  await compareWithChain(context, Date.now() + 60_000);
  expect([await looked(made), await looked(other)]).toEqual([last, last]);
  expect(notes).toBe(1);
});

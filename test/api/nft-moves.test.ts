import { exports } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";
import {
  api,
  BASE,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { headHeight, setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { killedAt, operationCount } from "../support/operations.ts";
import { spoilViews } from "../support/spoilt-views.ts";

let shop: TestIntegration;
let other: TestIntegration;
let collection: Finalized;
let alice: string;

interface Token {
  readonly token_id: string;
  readonly owner_id: string;
}
interface Moved {
  readonly tokens: Token[];
  readonly tx_results: readonly {
    readonly status: string;
    readonly gas_burnt: string;
    readonly transaction_hash: string;
    readonly block_time: string;
  }[];
}
interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

beforeAll(async () => {
  shop = await createIntegration("Stock");
  other = await createIntegration("Other");
  [alice] = (await createReceivers(1)) as [string];
  collection = await createCollection(shop, { copies: [100] });
});

const at = ({ collection_uuid: uuid }: Finalized, path: string) => `/collection/${uuid}/${path}`;

const mint = async (receiver: string, quantity: number, to = collection): Promise<string[]> => {
  const json = { receiver_addresses: [receiver], quantity_per_receiver: quantity };
  const answer = await api(at(to, "mint"), { key: shop.key, json });
  return (await bodyOf<Moved>(answer, 201)).tokens.map(({ token_id: id }) => id);
};

const transfer = (json: object, to = collection, key = shop.key) =>
  api(at(to, "nft-transfer"), { key, json });
const burn = (json: object, to = collection, key = shop.key) => api(at(to, "nft-burn"), { key, json });

const lastEvents = async (type: string, count: number): Promise<Event[]> =>
  (await bodyOf<Event[]>(await api(`/event?type=${type}`, { key: shop.key }), 200)).slice(-count);

test("tokens of the wallet are transferred in one transaction, with an event for each", async () => {
  const ids = await mint(shop.walletAccountId, 25);
  const body = { token_ids: ids, receiver_address: alice, memo: "Order 7", reference: "order-7" };
  const quoted = await api("/quote", {
    key: shop.key,
    json: { method: "POST", path: at(collection, "nft-transfer"), body },
  });
  expect(await bodyOf(quoted, 201)).toMatchObject({
    permanent: [`Gives to ${alice}, who alone can give them back: ${ids.join(", ")}.`],
  });
  const moved = await bodyOf<Moved>(await transfer(body), 200);
  expect(moved.tokens.map(({ token_id: id }) => id)).toEqual(ids);
  expect(new Set(moved.tokens.map(({ owner_id: owner }) => owner))).toEqual(new Set([alice]));
  expect(moved.tx_results.map(({ status }) => status)).toEqual(["success"]);
  const events = await lastEvents("nft.transferred", ids.length);
  expect(events.map(({ data }) => data.token_id)).toEqual(ids);
  expect(events[0]!.data).toMatchObject({ owner_id: alice, reference: "order-7" });
});

test("the page of a token has its mint and its transfers, the latest first", async () => {
  const shown = await createCollection(shop, { copies: [5] });
  const slug = `moves-${crypto.randomUUID().slice(0, 8)}`;
  const read = async (number: number) =>
    (
      await bodyOf<{ history: readonly Readonly<Record<string, string | null>>[] }>(
        await api(`/public/v1/page/${slug}/token/${number}`),
        200,
      )
    ).history;
  const [early] = await mint(shop.walletAccountId, 1, shown);
  // Before its collection has a page, nothing but the chain is known.
  await bodyOf(await transfer({ token_ids: [early], receiver_address: alice }, shown), 200);
  await bodyOf(await putPage(shop.key, shown.collection_uuid, { slug, enabled: true }), 200);
  expect(await read(1)).toEqual([expect.objectContaining({ event: "minted", transaction_hash: null })]);
  const [id] = await mint(shop.walletAccountId, 1, shown);
  const moved = await bodyOf<Moved>(await transfer({ token_ids: [id], receiver_address: alice }, shown), 200);
  const history = await read(2);
  expect(history.map(({ event, receiver_id: to }) => [event, to])).toEqual([
    ["transferred", alice],
    ["minted", null],
  ]);
  const { transaction_hash: hash, block_time: time } = moved.tx_results[0]!;
  expect(history[0]).toMatchObject({ at: time, transaction_hash: hash });
  expect(history[1]!.transaction_hash).toMatch(/^\w{43,44}$/);
  const html = await (await exports.default.fetch(`${BASE}/g/${slug}/2`)).text();
  expect(html).toMatch(
    new RegExp(`History.*Given to <bdi>${alice}</bdi>.*<code>${hash}</code>.*Minted`, "s"),
  );
});

test("fifty tokens fit into one transaction, and fewer if the list of denied accounts is long", async () => {
  const many = [...(await mint(shop.walletAccountId, 25)), ...(await mint(shop.walletAccountId, 25))];
  const denied = Array.from({ length: 1_000 }, (_, index) => `${"d".repeat(58)}${1_000 + index}.x`);
  const listed = await createCollection(shop, {
    copies: [20],
    settings: { transfers_denied_accounts: denied },
  });
  expect(
    (await bodyOf<Moved>(await transfer({ token_ids: many, receiver_address: alice }), 200)).tokens,
  ).toHaveLength(50);
  const few = await mint(shop.walletAccountId, 20, listed);
  expect(
    await bodyOf(await transfer({ token_ids: few, receiver_address: alice }, listed), 400),
  ).toMatchObject({
    issues: [
      { path: ["token_ids"], message: "Send at most 11 tokens at once: these need more gas than others." },
    ],
  });
  await bodyOf(await transfer({ token_ids: few.slice(0, 11), receiver_address: alice }, listed), 200);
  expect(
    await bodyOf(await transfer({ token_ids: [few[12]], receiver_address: denied[500] }, listed), 400),
  ).toMatchObject({ code: "unknown_account" });
});

test("burnt tokens no longer exist, and an event names each", async () => {
  const ids = await mint(shop.walletAccountId, 2);
  const quoted = await api("/quote", {
    key: shop.key,
    json: { method: "POST", path: at(collection, "nft-burn"), body: { token_ids: ids } },
  });
  expect(await bodyOf(quoted, 201)).toMatchObject({
    transactions: 1,
    permanent: [`Burns for ever: ${ids.join(", ")}.`],
  });
  const { tokens } = await bodyOf<Moved>(await burn({ token_ids: ids }), 200);
  expect(tokens.map(({ token_id: id, owner_id: owner }) => [id, owner])).toEqual(
    ids.map((id) => [id, shop.walletAccountId]),
  );
  expect((await lastEvents("nft.burned", ids.length)).map(({ data }) => data.token_id)).toEqual(ids);
  expect(await bodyOf(await burn({ token_ids: ids }), 404)).toMatchObject({ code: "not_found" });
});

test("moves that the contract would refuse are refused before anything is sent", async () => {
  const [own, sold] = [(await mint(shop.walletAccountId, 1))[0]!, (await mint(alice, 1))[0]!];
  const minted = await mintedOnChain(shop, collection);
  const before = await operationCount(shop.key);
  const { collection_id: id } = collection.near_collection;
  const missing = `${id}:99999`;
  expect(
    await bodyOf(await transfer({ token_ids: [own, missing], receiver_address: alice }), 404),
  ).toMatchObject({
    code: "not_found",
    outcome: "not_submitted",
    issues: [{ path: ["token_ids", 1] }],
  });
  for (const send of [burn, (json: object) => transfer({ ...json, receiver_address: alice })]) {
    expect(await bodyOf(await send({ token_ids: [own, sold] }), 409)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("E_UNAUTHORIZED"),
      issues: [{ path: ["token_ids", 1] }],
    });
  }
  const to = (receiver: string) => transfer({ token_ids: [own], receiver_address: receiver });
  expect(await bodyOf(await to("nobody-has-this.test"), 400)).toMatchObject({ code: "unknown_account" });
  expect(await bodyOf(await to(shop.walletAccountId), 400)).toMatchObject({ code: "invalid_request" });
  expect(await bodyOf(await to(shop.contractAccountId), 400)).toMatchObject({ code: "invalid_request" });
  expect(await bodyOf(await transfer({ token_ids: [own, own], receiver_address: alice }), 400)).toMatchObject(
    {
      issues: [{ path: ["token_ids"], message: "Name each token once." }],
    },
  );
  expect(await operationCount(shop.key)).toBe(before);
  expect(await mintedOnChain(shop, collection)).toBe(minted);
});

test("the collection's rules apply: disabled transfers, and denied accounts", async () => {
  const [bob] = (await createReceivers(1)) as [string];
  const ruled = await createCollection(shop, { copies: [5], settings: { transfers_denied_accounts: [bob] } });
  const [id] = await mint(shop.walletAccountId, 1, ruled);
  const send = (receiver: string) => transfer({ token_ids: [id], receiver_address: receiver }, ruled);
  expect(await bodyOf(await send(bob), 409)).toMatchObject({
    message: expect.stringContaining("E_TRANSFER_DENIED"),
    outcome: "not_submitted",
  });
  const changed = { key: shop.key, method: "PUT", json: { allow_transfers: false } };
  await bodyOf(await api(`/collection/${ruled.collection_uuid}`, changed), 200);
  expect(await bodyOf(await send(alice), 409)).toMatchObject({
    message: expect.stringContaining("E_TRANSFERS_DISABLED"),
  });
  // Burning is the owner's, also while transfers are off.
  await bodyOf(await burn({ token_ids: [id] }, ruled), 200);
});

test("after a rule changed during a request, the contract refuses it and nothing has moved", async () => {
  const late = await createCollection(shop, { copies: [5] });
  const ids = await mint(shop.walletAccountId, 2, late);
  const isAsked = spoilViews(
    ({ contract, method }) => contract === shop.contractAccountId && method === "nft_tokens_by_ids",
    async (text) => {
      vi.unstubAllGlobals();
      await bodyOf(await burn({ token_ids: [ids[1]!] }, late), 200);
      return text;
    },
  );
  expect(await bodyOf(await transfer({ token_ids: ids, receiver_address: alice }, late), 404)).toMatchObject({
    code: "not_found",
    outcome: "failed_on_chain",
  });
  expect(isAsked()).toBe(true);
  const [left] = await bodyOf<Token[]>(await api(at(late, "token"), { key: shop.key }), 200);
  expect(left).toMatchObject({ token_id: ids[0], owner_id: shop.walletAccountId });
});

test.each(["operation.after_submit", "operation.before_effects"])(
  "a transfer that is killed at %s continues, and its key leads to its one answer",
  async (point) => {
    const ids = await mint(shop.walletAccountId, 1);
    const json = { token_ids: ids, receiver_address: alice };
    const headers = { "idempotency-key": `move-once ${point}` };
    const send = () => api(at(collection, "nft-transfer"), { key: shop.key, json, headers });
    await (await killedAt(point, send)).body?.cancel();
    const { tokens } = await bodyOf<Moved>(await send(), 200);
    expect(tokens).toMatchObject([{ token_id: ids[0], owner_id: alice }]);
  },
);

test("another integration and a read key can't move anything", async () => {
  const ids = await mint(shop.walletAccountId, 1);
  const body = { token_ids: ids, receiver_address: alice };
  expect(await bodyOf(await transfer(body, collection, other.key), 404)).toMatchObject({ code: "not_found" });
  expect(await bodyOf(await burn({ token_ids: ids }, collection, other.key), 404)).toMatchObject({
    code: "not_found",
  });
  for (const answer of [
    await transfer(body, collection, shop.readKey),
    await burn({ token_ids: ids }, collection, shop.readKey),
  ])
    expect(await bodyOf(answer, 403)).toMatchObject({ code: "scope_missing" });
});

test("right after transfers were allowed, a transfer is accepted even if a node lags", async () => {
  const closed = await createCollection(shop, { copies: [3], settings: { allow_transfers: false } });
  const ids = await mint(shop.walletAccountId, 1, closed);
  const body = { token_ids: ids, receiver_address: alice };
  const quote = { method: "POST", path: at(closed, "nft-transfer"), body };
  const key = shop.key;
  expect(await bodyOf(await api("/quote", { key, json: quote }), 409)).toMatchObject({
    message: expect.stringContaining("E_TRANSFERS_DISABLED"),
  });
  const path = `/collection/${closed.collection_uuid}`;
  const before = await headHeight();
  await bodyOf(await api(path, { key, method: "PUT", json: { allow_transfers: true } }), 200);
  const blocks = (await headHeight()) - before;
  await setFaults({ kind: "lag", methods: ["query"], blocks, count: 3 });
  const quoted = await api("/quote", { key, json: quote });
  await setFaults();
  await bodyOf(quoted, 201);
});

import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { SERVICES_NODE, setFaults } from "../support/chain-control.ts";
import { collectionOnChain, createCollection, type Finalized } from "../support/collections.ts";
import { inLedger } from "../support/ledgers.ts";
import { background, eventsOf, readOperation } from "../support/operations.ts";
import { FORGETFUL, givenUp, stepsOf } from "../support/own-wallets.ts";
import { sendFrom } from "../support/payments.ts";
import { unsigned } from "../support/shared-mints.ts";
import { spoilViews } from "../support/spoilt-views.ts";
import { until } from "../support/waiting.ts";
import { replaceObject } from "../support/wallets.ts";

/** Events of writes that the operator settles as having taken effect. */

interface Told {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let shop: TestIntegration;
let alice: string;
let collection: Finalized;
let tokens: string[];

beforeAll(async () => {
  shop = await createIntegration("Settled");
  [alice] = (await createReceivers(1)) as [string];
});

beforeEach(async () => {
  collection = await createCollection(shop, { copies: [10] });
  const json = { receiver_addresses: [shop.walletAccountId], quantity_per_receiver: 2 };
  const answer = await api(`/collection/${collection.collection_uuid}/mint`, { key: shop.key, json });
  const minted = await bodyOf<{ tokens: { token_id: string }[] }>(answer, 201);
  tokens = minted.tokens.map(({ token_id: id }) => id);
});

/** Faults with which a write lands, but nobody hears of it before its wallet's object is lost, so that nothing proves it. */
const LANDS = [{ kind: "reply_lost", methods: ["send_tx"] }, { kind: "unknown_transaction" }];
const NEVER_LANDS = [{ kind: "request_lost", methods: ["send_tx"] }];

/** A write that nothing will prove. */
const unproven = async (
  method: string,
  path: string,
  json: object,
  faults: readonly Readonly<Record<string, unknown>>[] = LANDS,
): Promise<string> => {
  await setFaults(...faults);
  const headers = { prefer: "respond-async" };
  const answer = await api(`/collection/${collection.collection_uuid}${path}`, {
    ...{ key: shop.key, method, json, headers },
  });
  const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
  return uuid;
};

interface OnChain {
  readonly title: string;
  readonly locks: readonly string[];
}

const onChain = () => collectionOnChain<OnChain>(shop, collection);

const shownTokens = async () =>
  bodyOf<{ token_id: string; owner_id: string; locks: string[]; metadata: { title: string } }[]>(
    await api(`/collection/${collection.collection_uuid}/token`, { key: shop.key }),
    200,
  );

const settle = (uuid: string, of = "") =>
  admin(`/operation/${uuid}/settle${of}`, { json: { had_effect: true } });

const settled = async (uuid: string) => {
  await replaceObject(shop.integrationUuid);
  await background.resume(uuid);
  expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "unknown" });
  const unknown = `?integration_uuid=${crypto.randomUUID()}`;
  await bodyOf(await settle(uuid, unknown), 404);
  await bodyOf(await admin(`/operation/${uuid}${unknown}`), 404);
  await bodyOf(await settle(uuid, `?integration_uuid=${shop.integrationUuid}`), 200);
  await setFaults();
};

/** Events of a type that are about the collection. */
const told = async (type: string) =>
  (await eventsOf<Told>(shop.key, type))
    .map(({ data }) => data)
    .filter(({ collection_uuid: uuid }) => uuid === collection.collection_uuid);

const writes = {
  nft_transfer: {
    type: "nft.transferred",
    send: () =>
      unproven("POST", "/nft-transfer", {
        ...{ token_ids: tokens, receiver_address: alice, reference: "order-7" },
      }),
    hasLanded: async () => (await shownTokens()).every(({ owner_id: owner }) => owner === alice),
    expected: () =>
      tokens.map((id) => ({
        token_id: id,
        owner_id: alice,
        metadata: { title: "Herons" },
        reference: "order-7",
      })),
  },
  nft_burn: {
    type: "nft.burned",
    send: () => unproven("POST", "/nft-burn", { token_ids: tokens }),
    hasLanded: async () => (await shownTokens()).length === 0,
    expected: () => tokens.map((id) => ({ token_id: id, owner_id: shop.walletAccountId })),
  },
  collection_lock: {
    type: "collection.locked",
    send: () => unproven("PUT", "/lock", { locks: ["royalties", "supply"] }),
    hasLanded: async () => (await onChain()).locks.length > 0,
    expected: () => [{ locks: ["royalties", "supply"], asset_uuids: [] }],
  },
  nft_lock: {
    type: "nft.updated",
    send: () => unproven("PUT", "/nft-lock", { token_id: tokens[1] }),
    hasLanded: async () => (await shownTokens()).some(({ locks }) => locks.length > 0),
    expected: () => [{ token_id: tokens[1], locks: ["metadata"] }],
  },
  nft_update: {
    type: "nft.updated",
    send: () => unproven("PUT", "/nft-update", { token_id: tokens[0], title: "Egret" }),
    hasLanded: async () => (await shownTokens()).some(({ metadata }) => metadata.title === "Egret"),
    expected: () => [{ token_id: tokens[0], metadata: { title: "Egret" } }],
  },
  collection_update: {
    type: "collection.updated",
    send: () => unproven("PUT", "", { title: "Egrets" }),
    hasLanded: async () => (await onChain()).title === "Egrets",
    expected: () => [{ title: "Egrets", description: null }],
  },
} as const;

test.each(Object.keys(writes) as (keyof typeof writes)[])(
  "a %s that is settled as having taken effect has its events, once",
  async (kind) => {
    const { type, send, hasLanded, expected } = writes[kind];
    const uuid = await send();
    await expect.poll(hasLanded).toBe(true);
    // What the comparison finds meanwhile is left to the operation.
    await background.reconcile();
    expect(await told(type)).toEqual([]);
    await settled(uuid);
    await background.reconcile();
    const wanted = expected().map((one) => ({ operation_uuid: uuid, ...one }));
    expect(await told(type)).toMatchObject(wanted);
    const shown = await bodyOf(
      await api(`/collection/${collection.collection_uuid}`, { key: shop.key }),
      200,
    );
    if (kind === "collection_update") expect(shown).toMatchObject({ title: "Egrets" });
    if (kind === "collection_lock") expect(shown).toMatchObject({ locks: ["supply", "royalties"] });
  },
);

const settleBy = (uuid: string, transaction_hash: string, had_effect = true) =>
  admin(`/operation/${uuid}/settle`, { json: { had_effect, transaction_hash } });

const mintFor = (receiver: string, quantity: number, headers: Record<string, string>) =>
  api(`/collection/${collection.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [receiver], quantity_per_receiver: quantity },
    headers,
  });

interface MintAnswer {
  readonly tokens: readonly { readonly token_id: string; readonly owner_id: string }[];
  readonly tx_results: readonly { readonly transaction_hash: string }[];
}

test("mints whose shared transaction the operator has found have the answers that they would have had", async () => {
  const [bob] = (await createReceivers(1)) as [string];
  const other = await bodyOf<MintAnswer>(await mintFor(bob, 1, {}), 201);
  const orders = [
    [alice, 2, "one"],
    [bob, 1, "two"],
    [alice, 2, "three"],
  ] as const;
  await setFaults(...LANDS);
  const uuids = await unsigned(shop.integrationUuid, () =>
    Promise.all(
      orders.map(async ([receiver, quantity, key]) => {
        const headers = { prefer: "respond-async", "idempotency-key": key };
        return (await bodyOf<{ operation_uuid: string }>(await mintFor(receiver, quantity, headers), 202))
          .operation_uuid;
      }),
    ),
  );
  await expect.poll(async () => (await shownTokens()).length).toBe(8);
  await setFaults(...NEVER_LANDS);
  const headers = { prefer: "respond-async", "idempotency-key": "never" };
  const lost = await bodyOf<{ operation_uuid: string }>(await mintFor(bob, 1, headers), 202);
  const [uuid] = uuids as [string];
  const open = await readOperation<{ transactions: { transaction_hash: string }[] }>(shop.key, uuid);
  const hash = open.transactions[0]!.transaction_hash;
  await replaceObject(shop.integrationUuid);
  await setFaults();
  for (const one of [...uuids, lost.operation_uuid]) {
    await background.resume(one);
    expect(await readOperation(shop.key, one)).toMatchObject({ state: "unknown" });
  }
  await bodyOf(await settleBy(uuid, `1${hash}`), 400);
  await bodyOf(await settleBy(uuid, hash, false), 400);
  for (const wrong of [other.tx_results[0]!.transaction_hash, "1".repeat(32)])
    expect(await bodyOf(await settleBy(uuid, wrong), 409)).toMatchObject({ code: "conflict" });
  // Inside: operations are archived after a month.
  await inLedger(
    shop.integrationUuid,
    `INSERT INTO archives (integration_id, first_id, last_id, first_at, last_at, object_key, operations, bytes, created_at)
     SELECT integration_id, x'00', x'00', ?, ?, 'none', 1, 1, 0 FROM meta`,
    ...[Date.now(), Date.now()],
  );
  expect(await bodyOf(await settleBy(uuid, hash), 409)).toMatchObject({
    message: expect.stringContaining("may be of an operation that is archived"),
  });
  await inLedger(shop.integrationUuid, "DELETE FROM archives WHERE object_key = 'none'");
  for (const one of uuids)
    expect(await bodyOf(await settleBy(one, hash), 200)).toMatchObject({ state: "succeeded" });
  // Nothing is left of it for a mint that never landed.
  for (const taken of [hash, other.tx_results[0]!.transaction_hash])
    await bodyOf(await settleBy(lost.operation_uuid, taken), 409);
  const owned = new Map((await shownTokens()).map((token) => [token.token_id, token.owner_id]));
  const given = new Set<string>();
  for (const [receiver, quantity, key] of orders) {
    const answer = await mintFor(receiver, quantity, { "idempotency-key": key });
    const { tokens: minted, tx_results: sent } = await bodyOf<MintAnswer>(answer, 201);
    expect(sent).toMatchObject([{ transaction_hash: hash, status: "success" }]);
    expect(minted.map((token) => owned.get(token.token_id))).toEqual(Array(quantity).fill(receiver));
    for (const { token_id: token } of minted) given.add(token);
  }
  expect(given.size).toBe(5);
  const told = await eventsOf<Told>(shop.key, "operation.unknown");
  for (const one of uuids) {
    const then = { state: "unknown", finished_at: null, cost: { actual: null }, answer: null };
    expect(told.find(({ data }) => data.operation_uuid === one)?.data).toMatchObject(then);
  }
});

test("a transfer is settled once a node shows what it did", async () => {
  const { send, hasLanded, type } = writes.nft_transfer;
  const uuid = await send();
  await expect.poll(hasLanded).toBe(true);
  await replaceObject(shop.integrationUuid);
  await background.resume(uuid);
  await setFaults({ kind: "down" });
  expect(await bodyOf(await settle(uuid), 503)).toMatchObject({ code: "chain_unavailable" });
  await setFaults();
  expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "unknown" });
  await bodyOf(await settle(uuid), 200);
  expect(await told(type)).toHaveLength(2);
});

test.each([
  ["collection.locked", "/lock", () => ({ locks: ["supply"] })],
  ["nft.updated", "/nft-lock", () => ({ token_id: tokens[0] })],
] as const)(
  "%s isn't reported, and nothing is refused, where the lock was never made",
  async (type, path, body) => {
    const uuid = await unproven("PUT", path, body(), NEVER_LANDS);
    await settled(uuid);
    expect(await told(type)).toEqual([]);
    const at = `/collection/${collection.collection_uuid}`;
    expect(await bodyOf(await api(at, { key: shop.key }), 200)).toMatchObject({ locks: [] });
    await bodyOf(await api(`${at}/mint`, { key: shop.key, json: { receiver_addresses: [alice] } }), 201);
  },
);

test("an update can be settled while the contract can't be read", async () => {
  const { send, hasLanded, type } = writes.nft_update;
  const uuid = await send();
  await expect.poll(hasLanded).toBe(true);
  await replaceObject(shop.integrationUuid);
  await background.resume(uuid);
  const asked = spoilViews(
    ({ method }) => method === "nft_tokens_by_ids",
    () => "[]",
  );
  try {
    await bodyOf(await settle(uuid), 200);
  } finally {
    vi.unstubAllGlobals();
  }
  expect(asked()).toBe(true);
  expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "failed" });
  expect(await told(type)).toEqual([]);
});

test("a lock of which only the top-up can't be proven can't be settled as having taken effect", async () => {
  const own = await createIntegration("Topped up");
  collection = await createCollection(own, { copies: [5] });
  const { collection_draft_uuid: draft } = await bodyOf<{ collection_draft_uuid: string }>(
    await api(`/collection/${collection.collection_uuid}`, { key: own.key }),
    200,
  );
  const [asset] = await bodyOf<{ asset_uuid: string }[]>(
    await api(`/collection-draft/${draft}/asset`, { key: own.key }),
    200,
  );
  // The contract keeps nothing to pay storage with.
  const args = new TextEncoder().encode("{}");
  const withdrawal = {
    kind: "function_call",
    method: "withdraw",
    gas: "30000000000000",
    deposit: "1",
    args,
  } as const;
  await sendFrom(own.integrationUuid, own.contractAccountId, [withdrawal]);
  await setFaults({ kind: "request_lost", methods: ["send_tx"], node: SERVICES_NODE, skip: 1 });
  const answer = await api(`/collection/${collection.collection_uuid}/lock`, {
    ...{ key: own.key, method: "PUT", json: { asset_uuids: [asset!.asset_uuid] } },
    headers: { prefer: "respond-async" },
  });
  const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
  await until(async () => (await stepsOf(own.integrationUuid, uuid)).length === 2);
  await setFaults(...FORGETFUL);
  await givenUp(own.integrationUuid, uuid);
  await background.resume(uuid);
  expect(await readOperation(own.key, uuid)).toMatchObject({ state: "unknown" });
  expect(await bodyOf(await settle(uuid), 409)).toMatchObject({
    message: expect.stringContaining("only topup:lock:1 can't be proven"),
  });
  await setFaults();
});

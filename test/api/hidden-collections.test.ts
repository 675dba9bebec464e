import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { view } from "../support/chain.ts";
import { headHeight, setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { storedFinalization, storePlan } from "../support/finalize-plans.ts";
import { createToken } from "../support/fungible.ts";
import {
  createHidden,
  createHiddenDraft,
  finalizeDraft,
  type SecretAsset,
} from "../support/hidden-collections.ts";
import { inLedgers, watchedLedgers } from "../support/ledgers.ts";
import {
  acceptedOnly,
  background,
  eventsOf,
  finalAnswer,
  killAt,
  killedAt,
  OPERATION_POINTS,
  observeCheckpoints,
  operationCount,
  readOperation,
} from "../support/operations.ts";
import { drain, pay, sendFrom } from "../support/payments.ts";
import { spoilViews } from "../support/spoilt-views.ts";
import { fetchWithSecrets, replaceObject, setWalletSettings, withSecrets } from "../support/wallets.ts";

const sha256 = (bytes: Uint8Array): Buffer<ArrayBuffer> => createHash("sha256").update(bytes).digest();

interface Reveal {
  readonly state: string;
  readonly shown: number;
  readonly commitment: string;
  readonly at: string | null;
}
interface Token {
  readonly token_id: string;
  readonly metadata: { readonly media: string; readonly reference: string | null; readonly title: string };
}
interface Revealed {
  readonly revealed: { readonly reveal: Reveal };
  readonly tx_results: readonly object[];
}

let shop: TestIntegration;
let alice: string;

beforeAll(async () => {
  shop = await createIntegration("Secrets");
  [alice] = (await createReceivers(1)) as [string];
});
afterEach(() => observeCheckpoints(null));

const reveal = ({ collection_uuid: uuid }: Finalized, json: object = {}, key = shop.key) =>
  api(`/collection/${uuid}/reveal`, { key, json });

const read = async ({ collection_uuid: uuid }: Finalized) =>
  bodyOf<{ reveal: Reveal | null; collection_draft_uuid: string }>(
    await api(`/collection/${uuid}`, { key: shop.key }),
    200,
  );

const mint = async ({ collection_uuid: uuid }: Finalized, quantity: number): Promise<Token[]> => {
  const json = { receiver_addresses: [alice], quantity_per_receiver: quantity };
  return (
    await bodyOf<{ tokens: Token[] }>(await api(`/collection/${uuid}/mint`, { key: shop.key, json }), 201)
  ).tokens;
};

const tokensOf = async ({ collection_uuid: uuid }: Finalized): Promise<Token[]> =>
  bodyOf(await api(`/collection/${uuid}/token`, { key: shop.key }), 200);

/** The assets as the contract has them, in its order. */
const onChain = ({ near_collection: { collection_id } }: Finalized) =>
  view<{ media: string; reference: string; copies: number; subtitle: string | null }[]>(
    env.NEAR_RPC_URL,
    shop.contractAccountId,
    "collection_assets",
    { collection_id, limit: 100 },
  );

/** Each token shows an asset of the draft, with all that belongs to it. */
const expectTruth = async (collection: Finalized, assets: readonly SecretAsset[]) => {
  for (const { metadata } of await tokensOf(collection)) {
    const asset = assets.find(({ asset_cid: cid }) => cid === metadata.media);
    expect(asset).toMatchObject({ reference_cid: metadata.reference });
    expect(metadata.title).toBe(`Hidden herons ${asset!.asset_subtitle}`);
  }
};

test("a hidden collection shows its placeholder, and after the reveal its committed assets in a secret order", async () => {
  const { collection, assets, placeholder } = await createHidden(shop, { copies: Array(30).fill(2) });
  const { reveal: made } = await read(collection);
  expect(made).toMatchObject({ state: "hidden", shown: 0, at: null });
  const minted = await mint(collection, 20);
  expect(new Set(minted.map(({ metadata }) => metadata.media))).toEqual(new Set([placeholder]));

  const part = await bodyOf<Revealed>(await reveal(collection, { assets: 7 }), 200);
  expect(part.revealed.reveal).toEqual({ ...made, state: "partly", shown: 7 });
  expect(
    (await onChain(collection)).filter(({ media }) => media !== placeholder && media !== null),
  ).toHaveLength(7);

  const all = await bodyOf<Revealed>(await reveal(collection), 200);
  expect(all.revealed.reveal).toEqual({ ...made, state: "revealed", shown: 30 });
  expect((await read(collection)).reveal).toEqual(all.revealed.reveal);
  await expectTruth(collection, assets);
  const order = (await onChain(collection)).map(({ media }) => media);
  const drafted = assets.map(({ asset_cid: cid }) => cid);
  expect([...order].sort()).toEqual([...drafted].sort());
  // That a random order is the draft's has a chance of 1 to 30!.
  expect(order).not.toEqual(drafted);
  expect(await bodyOf(await reveal(collection), 409)).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("E_ALREADY_REVEALED"),
  });
  const events = await bodyOf<{ data: { reveal: Reveal } }[]>(
    await api("/event?type=collection.revealed", { key: shop.key }),
    200,
  );
  expect(events.slice(-2).map(({ data }) => data.reveal.shown)).toEqual([7, 30]);
});

test("an NFT is locked only after the reveal, and keeps what it showed then", async () => {
  const { collection } = await createHidden(shop, { copies: [1, 1] });
  const path = `/collection/${collection.collection_uuid}`;
  const json = { receiver_addresses: [alice] };
  const { tokens } = await bodyOf<{ tokens: Token[] }>(
    await api(`${path}/mint`, { key: shop.key, json }),
    201,
  );
  const token = { token_id: tokens[0]!.token_id };
  const quote = { method: "PUT", path: `${path}/nft-lock`, body: token };
  const lock = () => api(`${path}/nft-lock`, { key: shop.key, method: "PUT", json: token });
  const permanentOf = async (json: object) =>
    (await bodyOf<{ permanent: string[] }>(await api("/quote", { key: shop.key, json }), 201)).permanent;
  for (const answer of [await api("/quote", { key: shop.key, json: quote }), await lock()])
    expect(await bodyOf(answer, 409)).toMatchObject({
      code: "conflict",
      outcome: "not_submitted",
      message: expect.stringContaining("once all assets are revealed"),
    });
  const revealing = { method: "POST", path: `${path}/reveal` };
  expect(await permanentOf({ ...revealing, body: { assets: 1 } })).toEqual([
    "Shows 1 of 2 assets to everyone, for ever.",
  ]);
  expect(await permanentOf({ ...revealing, body: {} })).toEqual([
    "Shows 2 of 2 assets to everyone, for ever.",
  ]);
  await bodyOf(await reveal(collection), 200);
  expect(await permanentOf(quote)).toEqual([`Token ${token.token_id} keeps for ever what it shows now.`]);
  const [shown] = await tokensOf(collection);
  expect((await bodyOf<{ token: Token }>(await lock(), 200)).token).toMatchObject({
    locks: ["metadata"],
    metadata: { media: shown!.metadata.media },
  });
});

test("assets keep their copies, and choosing and locking one works only after the reveal", async () => {
  const { collection, assets } = await createHidden(shop, { copies: [1, 2, 3, 4, 5] });
  const asset = assets[3]!.asset_uuid;
  const chosen = { receiver_addresses: [alice], asset_uuid: asset };
  const path = `/collection/${collection.collection_uuid}`;
  expect(await bodyOf(await api(`${path}/mint`, { key: shop.key, json: chosen }), 409)).toMatchObject({
    code: "conflict",
    outcome: "not_submitted",
  });
  const lock = (json: object) => api(`${path}/lock`, { key: shop.key, method: "PUT", json });
  for (const body of [{ locks: ["metadata"] }, { asset_uuids: [asset] }])
    expect(await bodyOf(await lock(body), 409)).toMatchObject({ code: "conflict" });
  await bodyOf(await reveal(collection), 200);
  const copies = new Map((await onChain(collection)).map(({ media, copies: count }) => [media, count]));
  expect(assets.map(({ asset_cid: cid }) => copies.get(cid))).toEqual([1, 2, 3, 4, 5]);
  const minted = await bodyOf<{ tokens: Token[] }>(
    await api(`${path}/mint`, { key: shop.key, json: chosen }),
    201,
  );
  expect(minted.tokens[0]!.metadata.media).toBe(assets[3]!.asset_cid);
  await bodyOf(await lock({ asset_uuids: [asset] }), 200);
  expect(await tokensOf(collection)).toMatchObject([{ locks: ["metadata"] }]);
});

test("right after a reveal, locks and bulk updates are accepted even if a node lags", async () => {
  const { collection, assets } = await createHidden(shop, { copies: [2, 2] });
  const path = `/collection/${collection.collection_uuid}`;
  const [first, second] = (await mint(collection, 2)) as [Token, Token];
  const [{ asset_uuid: asset }] = assets as [SecretAsset];
  const before = await headHeight();
  await bodyOf(await reveal(collection), 200);
  const update = { token_id: first.token_id, asset_uuid: asset };
  for (const [method, name, json] of [
    ["POST", "nft-update-bulk", { updates: [update] }],
    ["PUT", "nft-lock", { token_id: second.token_id }],
    ["PUT", "lock", { asset_uuids: [asset] }],
    ["PUT", "lock", { locks: ["metadata"] }],
  ] as const) {
    // It shows the state before the reveal, at first.
    const blocks = (await headHeight()) - before;
    await setFaults({ kind: "lag", methods: ["query"], blocks, count: 3 });
    const quote = await api("/quote", {
      key: shop.key,
      json: { method, path: `${path}/${name}`, body: json },
    });
    await setFaults();
    await bodyOf(quote, 201);
  }
});

test("what a reveal would cost is the same whatever assets are next", async () => {
  // Its own contract: what other tests leave free of another's storage decides whether a top-up is quoted.
  const own = await createIntegration("Even");
  const subtitles = Array.from({ length: 8 }, (_, index) => "x".repeat(1 + 25 * index));
  const { collection } = await createHidden(own, { copies: subtitles.map(() => 1), subtitles });
  const path = `/collection/${collection.collection_uuid}/reveal`;
  const limits = { name: "Poor", scopes: ["settings"], spending_per_day: "1" };
  const { api_key: poor } = await bodyOf<{ api_key: string }>(
    await api("/key", { key: own.key, json: limits }),
    201,
  );
  const tellsOf = async (assets: number) => {
    const json = { method: "POST", path, body: { assets } };
    const { gas, storage_bytes, cost, transactions } = await bodyOf<Record<string, object>>(
      await api("/quote", { key: own.key, json }),
      201,
    );
    const headers = { "Mintage-Max-Cost": "1" };
    const answers = await Promise.all([
      api(path, { key: own.key, json: { assets }, headers }),
      api(path, { key: poor, json: { assets } }),
    ]);
    const refusals = await Promise.all(
      answers.map(async (answer) => {
        const { message, cost: needed } = await bodyOf<Record<string, unknown>>(answer, 402);
        return { message, needed };
      }),
    );
    return { gas, storage_bytes, cost, transactions, refusals };
  };
  const first = await tellsOf(1);
  for (let shown = 1; shown < subtitles.length - 1; shown++) {
    await bodyOf(await api(path, { key: own.key, json: { assets: 1 } }), 200);
    expect(await tellsOf(1)).toEqual(first);
  }
});

test("a draft that hides its assets needs a placeholder, and shows its reveal", async () => {
  const { key, contractUuid } = shop;
  const create = (json: object) =>
    api("/collection-draft", { key, json: { contract_uuid: contractUuid, title: "Eggs", ...json } });
  const made = await bodyOf<{ collection_draft_uuid: string }>(await create({ reveal: true }), 201);
  expect(made).toMatchObject({ reveal: true, asset_placeholder: null });
  const path = `/collection-draft/${made.collection_draft_uuid}`;
  const put = async (json: object) => bodyOf(await api(path, { key, method: "PUT", json }), 200);
  expect(await put({ reveal: "2030-12-24T19:00:00+01:00" })).toMatchObject({
    reveal: "2030-12-24T18:00:00.000Z",
  });
  expect(await put({ reveal: null })).toMatchObject({ reveal: false });
  expect(await bodyOf(await create({ reveal: "soon" }), 400)).toMatchObject({
    issues: [{ path: ["reveal"] }],
  });

  const { draft } = await createHiddenDraft(shop, { copies: [1] });
  const bare = await bodyOf<{ collection_draft_uuid: string }>(await create({ reveal: true }), 201);
  const form = new FormData();
  const file = (await (await api(`/collection-draft/${draft}/asset`, { key })).json()) as {
    asset_url: string;
  }[];
  const bytes = await (await api(new URL(file[0]!.asset_url).pathname)).arrayBuffer();
  form.append("asset_file", new File([bytes], "a.png"));
  form.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies: 1 }]));
  await bodyOf(await api(`/collection-draft/${bare.collection_draft_uuid}/asset-bulk`, { key, form }), 201);
  expect(await bodyOf(await finalizeDraft(key, bare.collection_draft_uuid), 409)).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("asset_placeholder"),
  });
});

test("a draft whose time of the reveal is over isn't finalized, and nothing is sent", async () => {
  const { draft } = await createHiddenDraft(shop, { copies: [1], reveal: "2020-12-24T18:00:00Z" });
  const before = await operationCount(shop.key);
  const path = `/collection-draft/${draft}`;
  const quote = { method: "POST", path: `${path}/finalize` };
  const answers: [Response, string[]][] = [
    [await finalizeDraft(shop.key, draft), ["reveal"]],
    [await api("/quote", { key: shop.key, json: quote }), ["body", "reveal"]],
  ];
  for (const [answer, field] of answers)
    expect(await bodyOf(answer, 400)).toMatchObject({
      code: "invalid_request",
      message:
        "Correct reveal: 2020-12-24T18:00:00.000Z is over. Give the draft a later time, true, or false.",
      issues: [{ path: field }],
    });
  expect(await operationCount(shop.key)).toBe(before);
  await bodyOf(await api(path, { key: shop.key, method: "PUT", json: { reveal: true } }), 200);
  await bodyOf(await finalizeDraft(shop.key, draft), 201);
});

describe("a process that is killed", () => {
  test.each(OPERATION_POINTS)(
    "at %s of finalize and of reveal leaves a collection that can be revealed",
    async (point) => {
      const { draft, assets } = await createHiddenDraft(shop, { copies: [2, 2, 2] });
      await (
        await killedAt(
          point,
          () => finalizeDraft(shop.key, draft),
          (pass) => pass === 1,
        )
      ).body?.cancel();
      const { body: collection } = await finalAnswer<Finalized>(
        shop.key,
        await finalizeDraft(shop.key, draft),
      ).catch(async () => ({ body: await finalizedOf(draft) }));
      const made = "near_collection" in collection ? collection : await finalizedOf(draft);
      await mint(made, 3);
      await (
        await killedAt(
          point,
          () => reveal(made, { assets: 1 }),
          (pass) => pass === 1,
        )
      ).body?.cancel();
      for (;;) {
        const [open] = await bodyOf<{ operation_uuid: string }[]>(
          await api(`/operation?kind=collection_reveal&state=pending`, { key: shop.key }),
          200,
        );
        if (!open) break;
        await background.resume(open.operation_uuid);
      }
      expect((await read(made)).reveal).toMatchObject({ state: "partly", shown: 1 });
      await bodyOf(await reveal(made), 200);
      await expectTruth(made, assets);
    },
  );
});

/** Kills an operation between its transactions, at each of them, and continues it until it is over. @returns how often */
const killedBetween = async (point: BetweenTransactions, uuid: string): Promise<number> => {
  // Whoever continues comes to `before_submit` of the same transaction again, and to the others only of the next.
  const kills = killAt(point, (pass) => point !== "operation.before_submit" || pass % 2 === 1);
  try {
    while ((await readOperation(shop.key, uuid)).state === "pending")
      await background.resume(uuid).catch((error: unknown) => expect(String(error)).toContain(point));
  } finally {
    observeCheckpoints(null);
  }
  expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "succeeded" });
  return kills.count;
};

const BETWEEN_TRANSACTIONS = [
  "operation.before_submit",
  "operation.after_submit",
  "operation.settled",
] as const;
type BetweenTransactions = (typeof BETWEEN_TRANSACTIONS)[number];

test.each(BETWEEN_TRANSACTIONS)(
  "a hidden finalization of four transactions and a reveal of three show each asset once if they are killed at each %s",
  async (point) => {
    const count = 40;
    const { draft, assets } = await createHiddenDraft(shop, { copies: Array(count).fill(1) });
    await acceptedOnly(shop.key, `/collection-draft/${draft}/finalize`, async () => {
      const { operation_uuid: finalization } = await bodyOf<{ operation_uuid: string }>(
        await api(`/collection-draft/${draft}`, { key: shop.key }),
        200,
      );
      // Without a plan of its own, several transactions take tens of thousands of assets.
      const cut = (offset: number, size: number) => ({
        after: offset - 1,
        offset,
        assets: size,
        storage: 2_000,
      });
      await storePlan(finalization, {
        batches: [cut(0, 15), cut(15, 15), cut(30, 10)],
        assets: count,
        total: count,
      });
      expect(await killedBetween(point, finalization)).toBe(4);
    });
    const made = await finalizedOf(draft);
    expect((await read(made)).reveal).toMatchObject({ state: "hidden", shown: 0 });

    const path = `/collection/${made.collection_uuid}/reveal`;
    const revealing = await acceptedOnly(shop.key, path, async () => {
      const listed = `/operation?kind=collection_reveal&subject_uuid=${made.collection_uuid}`;
      const [{ operation_uuid: uuid }] = await bodyOf<[{ operation_uuid: string }]>(
        await api(listed, { key: shop.key }),
        200,
      );
      expect(await killedBetween(point, uuid)).toBe(3);
      return uuid;
    });
    expect((await read(made)).reveal).toMatchObject({ state: "revealed", shown: count });
    expect(await revealEvents(made)).toEqual([["collection.revealed", revealing, "revealed", count]]);
    await mint(made, 25);
    await mint(made, count - 25);
    await expectTruth(made, assets);
    expect(new Set((await tokensOf(made)).map(({ metadata }) => metadata.media)).size).toBe(count);
  },
);

const finalizedOf = async (draft: string): Promise<Finalized> => {
  const { collection_uuid: uuid } = await bodyOf<{ collection_uuid: string }>(
    await api(`/collection-draft/${draft}`, { key: shop.key }),
    200,
  );
  const near_collection = await bodyOf<Finalized["near_collection"]>(
    await api(`/collection/${uuid}`, { key: shop.key }),
    200,
  );
  return { collection_uuid: uuid, near_collection } as Finalized;
};

test("the schedule doesn't reveal a suspended integration's collection", async () => {
  const own = await createIntegration("Suspended");
  const at = new Date(Date.now() + 60_000).toISOString();
  const { collection } = await createHidden(own, { copies: [1], reveal: at });
  const suspend = async (suspended: boolean) =>
    bodyOf(await admin(`/integration/${own.integrationUuid}`, { method: "PUT", json: { suspended } }), 200);
  await suspend(true);
  await background.reconcile(120_000);
  await suspend(false);
  const path = `/operation?kind=collection_reveal&subject_uuid=${collection.collection_uuid}`;
  expect(await bodyOf(await api(path, { key: own.key }), 200)).toEqual([]);
});

test("twenty due collections that can't be revealed don't keep later ones from being revealed", async () => {
  const own = await createIntegration("Due");
  const due = (seconds: number) =>
    createHidden(own, { copies: [1], reveal: new Date(Date.now() + seconds * 1_000).toISOString() });
  const lost = await Promise.all(Array.from({ length: 20 }, () => due(600)));
  const { collection } = await due(900);
  for (const { collection: one } of lost) {
    await env.BUCKET.delete(`reveal/${one.collection_uuid}`);
    // Inside: nothing else loses both copies of an order.
    await inLedgers(
      "UPDATE collections SET reveal = json_set(reveal, '$.order', NULL) WHERE id = unhex(?)",
      one.collection_uuid.replaceAll("-", ""),
    );
  }
  const revealed = async () =>
    bodyOf<{ subject_uuid: string }[]>(await api("/operation?kind=collection_reveal", { key: own.key }), 200);
  await background.reconcile(1_000_000);
  expect(await revealed()).toEqual([]);
  await background.reconcile(1_060_000);
  expect((await revealed()).map(({ subject_uuid: uuid }) => uuid)).toEqual([collection.collection_uuid]);
});

/** The owner's reveal of a batch, by the exported order. */
const byOwner = async ({ collection_uuid: uuid, near_collection }: Finalized) => {
  const { batches } = await bodyOf<{ batches: { assets: string; next: string }[] }>(
    await admin(`/collection/${uuid}/hidden-order`),
    200,
  );
  return async (index: number) => {
    const number = Buffer.alloc(4);
    number.writeUInt32LE(near_collection.collection_id);
    const { assets: batch, next } = batches[index]!;
    const args = Uint8Array.from(
      Buffer.concat([number, Buffer.from(next, "base64"), Buffer.from(batch, "base64")]),
    );
    const gas = String(10n ** 14n);
    await sendFrom(shop.integrationUuid, shop.contractAccountId, [
      { kind: "function_call", method: "collection_reveal", args, gas, deposit: "1" },
    ]);
  };
};

/** Assets that the contract shows of a collection. */
const shownOnChain = async (collection: Finalized): Promise<number> => {
  const { collection_id } = collection.near_collection;
  const read = { collection_id };
  const found = await view<{ reveal: Reveal }>(env.NEAR_RPC_URL, shop.contractAccountId, "collection", read);
  return found.reveal.shown;
};

interface RevealEvent {
  readonly seq: number;
  readonly type: string;
  readonly data: {
    readonly collection_uuid?: string;
    readonly subject_uuid?: string;
    readonly operation_uuid: string | null;
    readonly reveal?: Reveal;
  };
}

/** Events of a collection's reveals, and how operations on it ended. */
const revealEvents = async ({ collection_uuid: uuid }: Finalized) => {
  const [failed, revealed] = await Promise.all(
    ["operation.failed", "collection.revealed"].map((type) => eventsOf<RevealEvent>(shop.key, type)),
  );
  return [...failed!, ...revealed!]
    .sort((a, b) => a.seq - b.seq)
    .filter(({ data }) => data.collection_uuid === uuid || data.subject_uuid === uuid)
    .map(({ type, data }) => [type, data.operation_uuid, data.reveal?.state, data.reveal?.shown]);
};

const revealLater = async ({ collection_uuid: uuid }: Finalized): Promise<string> => {
  const headers = { prefer: "respond-async" };
  const answer = await api(`/collection/${uuid}/reveal`, { key: shop.key, json: {}, headers });
  return (await bodyOf<{ operation_uuid: string }>(answer, 202)).operation_uuid;
};

test("what a failed reveal has shown is an event, and so is what the owner shows without the service", async () => {
  // The gas of one transaction reveals nineteen batches.
  const { collection } = await createHidden(shop, { copies: Array(20).fill(1) });
  const revealNext = await byOwner(collection);
  killAt("operation.before_submit", (pass) => pass > 1);
  const uuid = await revealLater(collection);
  await expect.poll(() => shownOnChain(collection)).toBe(19);
  await revealNext(19);
  observeCheckpoints(null);
  while ((await readOperation(shop.key, uuid)).state === "pending") await background.resume(uuid);
  expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "failed" });
  expect((await read(collection)).reveal).toMatchObject({ state: "partly", shown: 19 });
  const failed = [
    ["operation.failed", uuid, undefined, undefined],
    ["collection.revealed", uuid, "partly", 19],
  ];
  expect(await revealEvents(collection)).toEqual(failed);
  for (let round = 0; round < 2; round++) await bodyOf(await reveal(collection), 409);
  expect(await revealEvents(collection)).toEqual([...failed, ["collection.revealed", null, "revealed", 20]]);
});

test("a reveal that the operator settles as having taken effect is known, and is an event", async () => {
  const { collection } = await createHidden(shop, { copies: [1, 1, 1] });
  // It lands, and nobody hears of it before the object is lost.
  await setFaults({ kind: "reply_lost", methods: ["send_tx"] }, { kind: "unknown_transaction" });
  const uuid = await revealLater(collection);
  await expect.poll(() => shownOnChain(collection)).toBe(3);
  await replaceObject(shop.integrationUuid);
  await background.resume(uuid);
  expect(await readOperation(shop.key, uuid)).toMatchObject({ state: "unknown" });
  await bodyOf(await admin(`/operation/${uuid}/settle`, { json: { had_effect: true } }), 200);
  expect(await readOperation(shop.key, uuid)).toMatchObject({
    state: "failed",
    answer: { body: { outcome: "final" } },
  });
  expect((await read(collection)).reveal).toMatchObject({ state: "revealed", shown: 3, at: null });
  expect(await revealEvents(collection)).toEqual([
    ["operation.failed", uuid, undefined, undefined],
    ["collection.revealed", uuid, "revealed", 3],
  ]);
});

test("assets that an owner reveals without the service are known from the next reveal on, which shows the rest", async () => {
  const { collection, assets } = await createHidden(shop, { copies: [1, 1, 1] });
  const revealNext = await byOwner(collection);
  await revealNext(0);
  const next = await bodyOf<Revealed>(await reveal(collection, { assets: 1 }), 200);
  expect(next.revealed.reveal).toMatchObject({ state: "partly", shown: 2 });
  await revealNext(2);
  expect((await read(collection)).reveal).toMatchObject({ state: "partly", shown: 2 });
  expect(await bodyOf(await reveal(collection), 409)).toMatchObject({
    message: expect.stringContaining("E_ALREADY_REVEALED"),
  });
  expect((await read(collection)).reveal).toMatchObject({ state: "revealed", shown: 3 });
  await mint(collection, 3);
  await expectTruth(collection, assets);
});

test("assets that an owner reveals without the service are known a minute later, and are an event, once for each part", async () => {
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const { collection } = await createHidden(shop, { copies: [1, 1, 1], reveal: at });
  const revealNext = await byOwner(collection);
  await revealNext(0);
  for (let round = 0; round < 2; round++) await background.reconcile();
  expect((await read(collection)).reveal).toMatchObject({ state: "partly", shown: 1, at });
  const first = ["collection.revealed", null, "partly", 1];
  expect(await revealEvents(collection)).toEqual([first]);
  await bodyOf<Revealed>(await reveal(collection, { assets: 1 }), 200);
  await revealNext(2);
  for (let round = 0; round < 2; round++) await background.reconcile();
  expect((await read(collection)).reveal).toMatchObject({ state: "revealed", shown: 3, at: null });
  await bodyOf(await reveal(collection), 409);
  expect(await revealEvents(collection)).toEqual([
    first,
    ["collection.revealed", expect.any(String), "partly", 2],
    ["collection.revealed", null, "revealed", 3],
  ]);
});

test.each([1, 3, 4])(
  "a planned reveal isn't ended by other code that says it has shown %s assets",
  async (shown) => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { collection } = await createHidden(shop, { copies: [1, 1, 1], reveal: at });
    const { collection_id: id } = collection.near_collection;
    const asked = spoilViews(
      ({ method, contract }) => method === "collections" && contract === shop.contractAccountId,
      (text) => {
        const all = JSON.parse(text) as { collection_id: number; reveal: Reveal }[];
        const state = shown < 3 ? "partly" : "revealed";
        return JSON.stringify(
          all.map((one) =>
            one.collection_id === id ? { ...one, reveal: { ...one.reveal, shown, state } } : one,
          ),
        );
      },
    );
    try {
      await background.reconcile();
    } finally {
      vi.unstubAllGlobals();
    }
    expect(asked()).toBe(true);
    expect((await read(collection)).reveal).toMatchObject({ state: "hidden", shown: 0, at });
    expect(await revealEvents(collection)).toEqual([]);
  },
);

test("a reveal whose end is delayed is reported by its own operation only", async () => {
  const { collection } = await createHidden(shop, { copies: [1, 1] });
  killAt("operation.before_effects");
  const uuid = await revealLater(collection);
  await expect.poll(() => shownOnChain(collection)).toBe(2);
  // The next request and the comparison see on the chain what the operation hasn't reported yet.
  await bodyOf(await reveal(collection), 409);
  await background.reconcile();
  expect(await revealEvents(collection)).toEqual([]);
  observeCheckpoints(null);
  while ((await readOperation(shop.key, uuid)).state === "pending") await background.resume(uuid);
  await background.reconcile();
  expect((await read(collection)).reveal).toMatchObject({ state: "revealed", shown: 2 });
  expect(await revealEvents(collection)).toEqual([["collection.revealed", uuid, "revealed", 2]]);
});

test("a reveal is refused while another one goes on, and may be sent again once that is over", async () => {
  const { collection } = await createHidden(shop, { copies: [1, 1] });
  killAt("operation.before_effects");
  await (await reveal(collection, { assets: 1 })).body?.cancel();
  const [{ operation_uuid: first }] = await bodyOf<[{ operation_uuid: string }]>(
    await api(`/operation?kind=collection_reveal&state=pending`, { key: shop.key }),
    200,
  );
  expect(await bodyOf(await reveal(collection), 409)).toMatchObject({
    code: "conflict",
    message: `Read operation ${first}: it reveals assets of this collection already.`,
  });
  // It ends between the refusal of the second one and the question why.
  const WALLET = watchedLedgers(async (method, call) => {
    const answer = await call();
    if (method === "write") {
      observeCheckpoints(null);
      await background.resume(first);
    }
    return answer;
  });
  const path = `/collection/${collection.collection_uuid}/reveal`;
  const { response } = await apiWith({ WALLET }, path, { key: shop.key, json: {} });
  expect(await bodyOf(response, 429)).toMatchObject({
    code: "wallet_busy",
    message: "Send the request again: another reveal of this collection has just ended.",
    outcome: "not_submitted",
    retryable: true,
  });
  await bodyOf(await reveal(collection), 200);
  expect((await read(collection)).reveal).toMatchObject({ state: "revealed", shown: 2 });
});

test("the schedule reveals a collection at its time, once", async () => {
  const at = new Date(Date.now() + 60_000).toISOString();
  const { collection, assets } = await createHidden(shop, { copies: [2, 2, 2], reveal: at });
  expect((await read(collection)).reveal).toMatchObject({ state: "hidden", at });
  await mint(collection, 2);
  await background.reconcile();
  expect((await read(collection)).reveal).toMatchObject({ state: "hidden" });
  await background.reconcile(120_000);
  const listed = () =>
    api(`/operation?kind=collection_reveal&subject_uuid=${collection.collection_uuid}`, { key: shop.key });
  const [operation] = await bodyOf<{ operation_uuid: string }[]>(await listed(), 200);
  await background.resume(operation!.operation_uuid);
  expect((await read(collection)).reveal).toMatchObject({ state: "revealed", shown: 3, at: null });
  await expectTruth(collection, assets);
  await background.reconcile(240_000);
  expect(await bodyOf(await listed(), 200)).toHaveLength(1);
});

const FORGET_ORDERS =
  "UPDATE collections SET reveal = json_set(reveal, '$.order', NULL) WHERE reveal IS NOT NULL";

describe("the secret order", () => {
  const orderOf = async (uuid: string) =>
    bodyOf<{ commitment: string; batches: { asset_uuids: string[]; assets: string; next: string }[] }>(
      await admin(`/collection/${uuid}/hidden-order`),
      200,
    );

  test("is in R2 while a finalization goes on, also one that registers the contract at a token", async () => {
    const { accountId: currency } = await createToken({ symbol: "USDC", decimals: 6 });
    const phases = [{ phase: 1, kind: "allowlist", mint_fee: "5", currency }];
    const { draft, assets } = await createHiddenDraft(shop, { copies: [1, 2], settings: { phases } });
    // Between the registration and the collection.
    killAt("operation.before_submit", (pass) => pass > 1);
    await (await finalizeDraft(shop.key, draft)).body?.cancel();
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(
      await api(`/collection-draft/${draft}`, { key: shop.key }),
      200,
    );
    const { collectionUuid, registrations } = await storedFinalization(uuid);
    expect(registrations).toHaveLength(1);
    for (const kind of ["reveal", "manifest"])
      expect(await env.BUCKET.head(`${kind}/${collectionUuid}`)).not.toBeNull();
    observeCheckpoints(null);
    await background.resume(uuid);
    const made = await finalizedOf(draft);
    await mint(made, 2);
    await bodyOf(await reveal(made), 200);
    await expectTruth(made, assets);
  });

  test("is exported by the operator only, and opens the commitment", async () => {
    const { collection, assets } = await createHidden(shop, { copies: Array(9).fill(1) });
    const { collection_uuid: uuid } = collection;
    const { commitment, batches } = await orderOf(uuid);
    let last = Buffer.from(batches.at(-1)!.next, "base64");
    for (const { assets: batch, next } of [...batches].reverse()) {
      expect(last.toString("base64")).toBe(next);
      last = sha256(Buffer.concat([sha256(Buffer.from(batch, "base64")), last]));
    }
    expect(last.toString("base64")).toBe(commitment);
    expect((await read(collection)).reveal!.commitment).toBe(commitment);
    await bodyOf(await reveal(collection), 200);
    const cids = new Map(assets.map((asset) => [asset.asset_uuid, asset.asset_cid]));
    expect((await onChain(collection)).map(({ media }) => media)).toEqual(
      batches.flatMap(({ asset_uuids: ids }) => ids.map((id) => cids.get(id))),
    );
    const audited = await bodyOf<{ action: string; subject_uuid: string; changes: object; actor: object }[]>(
      await api("/audit", { key: shop.key }),
      200,
    );
    expect(audited.filter(({ subject_uuid: subject }) => subject === uuid)).toMatchObject([
      { action: "collection.order_exported", changes: {}, actor: { type: "operator" } },
      {
        action: "collection.revealed",
        changes: { operation_uuid: expect.any(String), shown: 9 },
        actor: { type: "key", name: "full" },
      },
    ]);
    const path = `/admin/v1/collection/${uuid}/hidden-order`;
    expect((await api(path, { key: shop.key })).status).toBe(401);
    const plain = await createCollection(shop, { copies: [1] });
    expect((await admin(`/collection/${plain.collection_uuid}/hidden-order`)).status).toBe(409);
    expect((await admin(`/collection/${crypto.randomUUID()}/hidden-order`)).status).toBe(404);
  });

  test.each(["the database", "R2"])("is kept if it is lost in %s", async (place) => {
    const { collection, assets } = await createHidden(shop, { copies: [2, 2, 2] });
    const { collection_uuid: uuid } = collection;
    const before = await orderOf(uuid);
    if (place === "R2") await env.BUCKET.delete(`reveal/${uuid}`);
    // Inside: nothing else loses one of the two copies.
    else await inLedgers(FORGET_ORDERS);
    expect(await orderOf(uuid)).toEqual(before);
    expect(await env.BUCKET.head(`reveal/${uuid}`)).not.toBeNull();
    const kept = "SELECT json_type(reveal, '$.order') FROM collections WHERE id = unhex(?)";
    expect((await inLedgers(kept, uuid.replaceAll("-", ""))).flatMap(Object.values)).toEqual(["object"]);
    await mint(collection, 4);
    await bodyOf(await reveal(collection), 200);
    await expectTruth(collection, assets);
  });

  test("is kept if the database has lost the draft and its files", async () => {
    const { collection, assets, draft } = await createHidden(shop, { copies: [2, 2, 2] });
    const { collection_uuid: uuid } = collection;
    const before = await orderOf(uuid);
    const bytes = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");
    const lost = [
      ["DELETE FROM collection_blobs WHERE collection_id = ?", uuid],
      ["DELETE FROM draft_assets WHERE draft_id = ?", draft],
      ["DELETE FROM drafts WHERE id = ?", draft],
    ] as const;
    for (const [sql, id] of lost) {
      // Inside: no request sets the database back to before a draft.
      await env.DB.prepare(sql).bind(bytes(id)).run();
    }
    await background.reconcile();
    expect(await orderOf(uuid)).toEqual(before);
    expect(await bodyOf(await api(`/collection-draft/${draft}`, { key: shop.key }), 200)).toMatchObject({
      reveal: true,
      asset_placeholder: expect.anything(),
    });
    await mint(collection, 4);
    await bodyOf(await reveal(collection), 200);
    await expectTruth(collection, assets);
  });

  test("is sealed again during the rotation of WALLET_SECRETS, and then needs no old version", async () => {
    const { collection } = await createHidden(shop, { copies: [1, 1] });
    const { 1: first } = JSON.parse(env.WALLET_SECRETS) as { 1: string };
    const second = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
    for (const object of [shop.integrationUuid, "platform"])
      await setWalletSettings(object, { WALLET_SECRETS: { 1: first, 2: second } });
    const rotated = await bodyOf<{ reveals: object }>(
      await withSecrets({ 1: first, 2: second }, "/secret-rotation"),
      200,
    );
    expect(rotated.reveals).toMatchObject({ failed: [], remaining: 0 });
    // A finalization that goes on has its order under the old secret.
    const { draft } = await createHiddenDraft(shop, { copies: [1] });
    killAt("operation.before_effects");
    await (await finalizeDraft(shop.key, draft)).body?.cancel();
    const secrets = { 1: first, 2: second };
    const during = async () =>
      (await bodyOf<{ reveals: object }>(await withSecrets(secrets, "/secret-rotation"), 200)).reveals;
    // D1 has it within seconds.
    await expect.poll(during).toEqual({ resealed: 0, failed: [], remaining: 1 });
    const [open] = await bodyOf<{ operation_uuid: string }[]>(
      await api("/operation?kind=finalize&state=pending", { key: shop.key }),
      200,
    );
    observeCheckpoints(null);
    await background.resume(open!.operation_uuid);
    const after = await bodyOf<{ reveals: { remaining: number } }>(
      await withSecrets(secrets, "/secret-rotation"),
      200,
    );
    expect(after.reveals.remaining).toBe(0);
    // Inside: nothing else loses D1's copies, so that R2's are read.
    await inLedgers(FORGET_ORDERS);
    for (const { collection_uuid: uuid } of [collection, await finalizedOf(draft)]) {
      const authorization = `Api-Key ${shop.key}`;
      const path = `/api/v1/collection/${uuid}/reveal`;
      const later = await fetchWithSecrets({ 2: second }, path, { authorization });
      expect(await bodyOf(later, 200)).toMatchObject({ revealed: { reveal: { state: "revealed" } } });
    }
    await env.BUCKET.delete(`reveal/${collection.collection_uuid}`);
  });
});

test("the order of a failed finalization is sealed again as well, and the draft's quote then needs no old version", async () => {
  const poor = await createIntegration("Poor artist");
  const { draft } = await createHiddenDraft(poor, { copies: [1, 1] });
  await drain(poor.integrationUuid);
  await bodyOf(await finalizeDraft(poor.key, draft), 402);
  const { 1: first } = JSON.parse(env.WALLET_SECRETS) as { 1: string };
  const second = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
  const secrets = { 1: first, 2: second };
  const rotated = await bodyOf<{ reveals: { resealed: number; remaining: number } }>(
    await withSecrets(secrets, "/secret-rotation"),
    200,
  );
  expect(rotated.reveals.resealed).toBeGreaterThan(0);
  expect(rotated.reveals.remaining).toBe(0);
  await pay("platform", poor.walletAccountId, 10n ** 25n);
  const planned = await fetchWithSecrets(
    { 2: second },
    "/api/v1/quote",
    { authorization: `Api-Key ${poor.key}` },
    { method: "POST", path: `/collection-draft/${draft}/finalize` },
  );
  await bodyOf(planned, 201);
});

test("a reveal by another integration or a read key is refused", async () => {
  const { collection } = await createHidden(shop, { copies: [1, 1] });
  const { key } = await createIntegration("Curious");
  expect(await bodyOf(await reveal(collection, {}, key), 404)).toMatchObject({ code: "not_found" });
  expect(await bodyOf(await reveal(collection, {}, shop.readKey), 403)).toMatchObject({
    code: "scope_missing",
  });
  expect((await read(collection)).reveal).toMatchObject({ state: "hidden" });
});

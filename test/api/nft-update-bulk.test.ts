import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { picture } from "../../testing/pictures.ts";
import {
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
  uuidAt,
} from "../support/api.ts";
import { chainCall, headHeight, setFaults } from "../support/chain-control.ts";
import { createCollection, type Finalized } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import { createHidden } from "../support/hidden-collections.ts";
import { background, eventsOf, killedAt, operationCount, readOperation } from "../support/operations.ts";
import { pay } from "../support/payments.ts";
import { spoilViews } from "../support/spoilt-views.ts";
import { replaceObject } from "../support/wallets.ts";

interface Answer {
  readonly updated: number;
  readonly failed: number;
  readonly results: readonly {
    readonly token_id: string;
    readonly status: string;
    readonly code: string | null;
  }[];
  readonly tx_results: readonly { readonly gas_burnt: string }[];
}
interface Token {
  readonly token_id: string;
  readonly metadata: { readonly title: string; readonly media: string; readonly extra: string | null };
}

let shop: TestIntegration;
let alice: string;
let collection: Finalized;
let ids: string[];

beforeAll(async () => {
  shop = await createIntegration("Bulk");
  [alice] = (await createReceivers(1)) as [string];
  collection = await createCollection(shop, { copies: [200, 200] });
  ids = [];
  for (let round = 0; round < 6; round++) ids.push(...(await mint(25)));
});

const at = (path: string, { collection_uuid: uuid } = collection) => `/collection/${uuid}/${path}`;

const mint = async (quantity: number, to = collection, receiver = alice): Promise<string[]> => {
  const json = { receiver_addresses: [receiver], quantity_per_receiver: quantity };
  const answer = await api(at("mint", to), { key: shop.key, json });
  return (await bodyOf<{ tokens: Token[] }>(answer, 201)).tokens.map(({ token_id: id }) => id);
};

const update = (updates: readonly object[], { key = shop.key, to = collection, headers = {} } = {}) =>
  api(at("nft-update-bulk", to), { key, json: { updates }, headers });

const tokensOf = async (of = collection, key = shop.key): Promise<Token[]> =>
  bodyOf(await api(at("token", of), { key }), 200);

interface Chunk {
  readonly transactions: readonly {
    readonly hash: string;
    readonly signer_id: string;
    readonly receiver_id: string;
    readonly actions: readonly { readonly FunctionCall?: { readonly method_name: string } }[];
  }[];
}

/** Successful calls of a contract's method that the chain has behind a height, in its order, and tokens of their events. */
const callsSince = async (height: number, contract: string, method: string) => {
  const calls: { readonly tokens: readonly string[] }[] = [];
  const end = await headHeight();
  for (let at = height + 1; at <= end; at++) {
    const { transactions } = await chainCall<Chunk>("chunk", { block_id: at, shard_id: 0 });
    for (const { hash, signer_id, receiver_id, actions } of transactions) {
      if (receiver_id !== contract || actions[0]?.FunctionCall?.method_name !== method) continue;
      const { receipts_outcome: outcomes } = await chainCall<{
        receipts_outcome: { outcome: { logs: string[] } }[];
      }>("tx", { tx_hash: hash, sender_account_id: signer_id, wait_until: "FINAL" });
      const events = outcomes
        .flatMap(({ outcome }) => outcome.logs)
        .map(
          (log) =>
            JSON.parse(log.slice("EVENT_JSON:".length)) as { event: string; data: { token_ids: string[] }[] },
        );
      expect(events.map(({ event }) => event)).toEqual(["nft_metadata_update"]);
      calls.push({ tokens: events.flatMap(({ data }) => data.flatMap(({ token_ids: ids }) => ids)) });
    }
  }
  return calls;
};

const titled = (title: string, some: readonly string[]) =>
  some.map((token_id) => ({ token_id, metadata: { title } }));

test("150 tokens take one transaction, and have a result and an event each", async () => {
  const answer = await bodyOf<Answer>(await update(titled("Rained on", ids)), 200);
  expect(answer).toMatchObject({ updated: 150, failed: 0 });
  expect(answer.results.map(({ token_id: id }) => id)).toEqual(ids);
  expect(answer.tx_results).toHaveLength(1);
  const tokens = (await tokensOf()).filter(({ token_id: id }) => ids.includes(id));
  expect(new Set(tokens.map(({ metadata }) => metadata.title))).toEqual(new Set(["Rained on"]));
  const events = await eventsOf<{ data: { token_id: string } }>(shop.key, "nft.updated");
  expect(events.slice(-ids.length).map(({ data }) => data.token_id)).toEqual(ids);
});

test("tokens that the contract would refuse are named, and the others are changed", async () => {
  const some = await mint(3);
  const locked = { key: shop.key, method: "PUT", json: { token_id: some[1] } };
  await bodyOf(await api(at("nft-lock"), locked), 200);
  const missing = `${collection.near_collection.collection_id}:9999`;
  const { results, ...answer } = await bodyOf<Answer>(await update(titled("Dried", [missing, ...some])), 200);
  expect(answer).toMatchObject({ updated: 2, failed: 2 });
  expect(results.map(({ token_id: id, code }) => [id, code])).toEqual([
    [missing, "not_found"],
    [some[0], null],
    [some[1], "conflict"],
    [some[2], null],
  ]);
  const before = await operationCount(shop.key);
  expect(await bodyOf(await update(titled("Never", [some[1]!, missing])), 409)).toMatchObject({
    outcome: "not_submitted",
  });
  expect(await operationCount(shop.key)).toBe(before);
});

test("a token that is burnt or locked during the request fails alone, and the others are changed", async () => {
  const own = await mint(12, collection, shop.walletAccountId);
  spoilViews(
    ({ contract, method }) => contract === shop.contractAccountId && method === "nft_tokens_by_ids",
    async (text) => {
      vi.unstubAllGlobals();
      await bodyOf(await api(at("nft-burn"), { key: shop.key, json: { token_ids: [own[3]] } }), 200);
      const lock = { key: shop.key, method: "PUT", json: { token_id: own[10] } };
      await bodyOf(await api(at("nft-lock"), lock), 200);
      return text;
    },
  );
  const answer = { body: await bodyOf<Answer>(await update(titled("Late", own)), 200) };
  expect(answer.body).toMatchObject({ updated: 10, failed: 2 });
  const failed = answer.body.results.filter(({ status }) => status === "failed");
  expect(failed.map(({ token_id: id, code }) => [id, code])).toEqual([
    [own[3], "not_found"],
    [own[10], "conflict"],
  ]);
  expect(answer.body.tx_results).toHaveLength(1);
  const titles = new Map((await tokensOf()).map(({ token_id: id, metadata }) => [id, metadata.title]));
  expect(own.map((id) => titles.get(id) === "Late")).toEqual(
    own.map((_, place) => place !== 3 && place !== 10),
  );
});

test.each(["operation.after_submit", "operation.settled", "operation.before_effects"])(
  "a bulk update that is killed at %s continues under its key, and changes each token once",
  async (point) => {
    const send = () => update(titled(point, ids), { headers: { "idempotency-key": `bulk ${point}` } });
    await (await killedAt(point, send, (pass) => pass === 1)).body?.cancel();
    const answer = await bodyOf<Answer>(await send(), 200);
    expect(answer).toMatchObject({ updated: 150, failed: 0 });
    expect(answer.tx_results).toHaveLength(1);
  },
);

test("10,000 tokens are changed once each by ten calls that are killed three times, at most 0.8 Tgas each", async () => {
  const own = await createIntegration("Ten thousand");
  const large = await createCollection(own, { copies: [10_000] });
  // What 10,000 tokens and their titles store.
  await pay("platform", own.contractAccountId, 50n * 10n ** 24n);
  const all: string[] = [];
  const mintSome = async () => {
    const json = { receiver_addresses: [alice], quantity_per_receiver: 25 };
    const answer = await api(at("mint", large), { key: own.key, json });
    const { tokens } = await bodyOf<{ tokens: Token[] }>(answer, 201);
    all.push(...tokens.map(({ token_id: id }) => id));
  };
  while (all.length < 10_000) await Promise.all(Array.from({ length: 50 }, mintSome));
  const kills = new Map([
    [2, "operation.after_submit"],
    [5, "operation.settled"],
    [8, "operation.before_effects"],
  ] as const);
  let [burnt, calls] = [0, 0];
  const height = await headHeight();
  for (let part = 0; part < 10; part++) {
    const ids = all.slice(part * 1_000, (part + 1) * 1_000);
    const headers = { "idempotency-key": `part ${part}` };
    const send = () => update(titled(`Part ${part}`, ids), { key: own.key, to: large, headers });
    const point = kills.get(part as 2);
    if (point) await (await killedAt(point, send, (pass) => pass === 1)).body?.cancel();
    const answer = await bodyOf<Answer>(await send(), 200);
    expect(answer).toMatchObject({ updated: 1_000, failed: 0 });
    expect(answer.results.map(({ token_id: id }) => id)).toEqual(ids);
    burnt += answer.tx_results.reduce((sum, { gas_burnt }) => sum + Number(gas_burnt), 0);
    calls += answer.tx_results.length;
  }
  const operations = await bodyOf<unknown[]>(
    await api("/operation?kind=nft_update_bulk", { key: own.key }),
    200,
  );
  expect(operations).toHaveLength(10);
  expect(calls).toBe(30);
  expect(burnt / all.length).toBeLessThanOrEqual(0.8e12);
  const shown = new Map(
    (await tokensOf(large, own.key)).map(({ token_id: id, metadata }) => [id, metadata.title]),
  );
  expect(all.map((id) => shown.get(id))).toEqual(all.map((_, index) => `Part ${Math.floor(index / 1_000)}`));
  const made = await callsSince(height, own.contractAccountId, "nft_update_batch");
  expect(made).toHaveLength(30);
  expect(made.flatMap(({ tokens }) => tokens)).toEqual(all);
}, 300_000);

test("a token can show another asset of its collection, but not a hidden one", async () => {
  const draft = (
    await bodyOf<{ collection_draft_uuid: string }>(
      await api(`/collection/${collection.collection_uuid}`, { key: shop.key }),
      200,
    )
  ).collection_draft_uuid;
  const assets = await bodyOf<{ asset_uuid: string; asset_cid: string }[]>(
    await api(`/collection-draft/${draft}/asset`, { key: shop.key }),
    200,
  );
  const [one, two] = ids as [string, string];
  const updates = [
    { token_id: one, asset_uuid: assets[0]!.asset_uuid },
    { token_id: two, asset_uuid: assets[1]!.asset_uuid, metadata: { title: "Chosen" } },
  ];
  await bodyOf(await update(updates), 200);
  const shown = new Map((await tokensOf()).map(({ token_id: id, metadata }) => [id, metadata]));
  expect(shown.get(one)).toMatchObject({ media: assets[0]!.asset_cid });
  expect(shown.get(two)).toMatchObject({ media: assets[1]!.asset_cid, title: "Chosen" });

  const { collection: hidden, assets: secret } = await createHidden(shop, { copies: [1, 1] });
  const [token] = await mint(1, hidden);
  const peek = [{ token_id: token, asset_uuid: secret[0]!.asset_uuid }];
  expect(await bodyOf(await update(peek, { to: hidden }), 409)).toMatchObject({ code: "conflict" });
  const foreign = [{ token_id: one, asset_uuid: secret[0]!.asset_uuid }];
  expect(await bodyOf(await update(foreign), 404)).toMatchObject({
    issues: [{ path: ["updates", 0, "asset_uuid"] }],
  });
});

test("an asset that a token is to show is read alone, however many the collection has", async () => {
  const [token] = await mint(1);
  const path = `/collection/${collection.collection_uuid}`;
  const { collection_draft_uuid: draft } = await bodyOf<{ collection_draft_uuid: string }>(
    await api(path, { key: shop.key }),
    200,
  );
  const last = uuidAt(Date.now());
  // Inside: the upload of more assets than a page of them has would take long.
  await env.DB.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200)
    INSERT INTO draft_assets (id, draft_id, position, filename, sha256, copies, created_at)
    SELECT iif(n = 1200, unhex(?2), unhex('01900000000070008000' || printf('%012x', n))), draft_id, n, n || '.png', sha256, 1, 0
    FROM numbers JOIN draft_assets ON draft_id = unhex(?1) AND position = 0`,
  )
    .bind(draft.replaceAll("-", ""), last.replaceAll("-", ""))
    .run();
  const reads: string[] = [];
  const DB = failingD1((sql) => {
    if (sql.includes("draft_assets")) reads.push(sql);
    return null;
  });
  const json = { updates: [{ token_id: token, asset_uuid: last }] };
  const { response } = await apiWith({ DB }, at("nft-update-bulk"), { key: shop.key, json });
  expect(await bodyOf<Answer>(response, 200)).toMatchObject({ updated: 1 });
  expect(reads).toHaveLength(1);
  // Inside: no other test is to see them.
  await env.DB.prepare("DELETE FROM draft_assets WHERE position >= 10").run();
});

test("large metadata is stored, and can be cleared again", async () => {
  const extra = JSON.stringify("x".repeat(4_000));
  const some = ids.slice(0, 12).map((token_id) => ({ token_id, metadata: { extra } }));
  expect(await bodyOf<Answer>(await update(some), 200)).toMatchObject({ updated: 12, failed: 0 });
  const kept = (await tokensOf()).filter(({ metadata }) => metadata.extra === extra);
  expect(kept).toHaveLength(12);
  const cleared = some.map(({ token_id }) => ({ token_id, metadata: { extra: null } }));
  expect(await bodyOf<Answer>(await update(cleared), 200)).toMatchObject({ updated: 12 });
});

test("mistakes in a body are named, and other integrations can't change anything", async () => {
  const [one] = ids as [string];
  const wrong: [object[], (string | number)[]][] = [
    [[], ["updates"]],
    [[{ token_id: one }], ["updates", 0]],
    [titled("Twice", [one, one]), ["updates"]],
    [[{ token_id: one, title: "Flat" }], ["updates", 0, "title"]],
    [
      Array.from({ length: 1_001 }, (_, index) => ({ token_id: `1:${index + 1}`, metadata: {} })),
      ["updates"],
    ],
  ];
  for (const [updates, path] of wrong)
    expect(await bodyOf(await update(updates), 400), JSON.stringify(path)).toMatchObject({
      issues: [{ path }],
    });
  const { key } = await createIntegration("Stranger");
  expect(await bodyOf(await update(titled("Mine", [one]), { key }), 404)).toMatchObject({
    code: "not_found",
  });
  expect(await bodyOf(await update(titled("Read", [one]), { key: shop.readKey }), 403)).toMatchObject({
    code: "scope_missing",
  });
});

describe("files at URLs", () => {
  const asked: string[] = [];
  afterEach(() => {
    asked.length = 0;
    vi.restoreAllMocks();
  });

  /** Has hosts of files answer. */
  const serve = (answer: (name: string, signal: AbortSignal) => Response | Promise<Response>): void => {
    const real = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (!url.startsWith("https://files.example.com/")) return real(input, init);
      const name = url.split("/").at(-1)!;
      asked.push(name);
      return answer(name, init!.signal!);
    });
  };
  const named = (token_id: string, name: string) => ({
    token_id,
    metadata: { asset_file_url: `https://files.example.com/${name}` },
  });

  test("of tokens that the contract would refuse are neither fetched nor counted", async () => {
    serve(() => new Response(picture("png", 1)));
    const used = async () =>
      (await bodyOf<{ limits: { used: { stored_bytes: number } } }>(await api("/me", { key: shop.key }), 200))
        .limits.used.stored_bytes;
    const [open, locked] = (await mint(2)) as [string, string];
    await bodyOf(
      await api(at("nft-lock"), { key: shop.key, method: "PUT", json: { token_id: locked } }),
      200,
    );
    const missing = `${collection.near_collection.collection_id}:9999`;
    const before = await used();
    const updates = [named(missing, "a"), ...titled("Open", [open]), named(locked, "b")];
    expect(await bodyOf<Answer>(await update(updates), 200)).toMatchObject({ updated: 1, failed: 2 });
    expect(asked).toEqual([]);
    expect(await used()).toBe(before);
  });

  test("are fetched once each, however many tokens name one, all within one time limit", async () => {
    serve((name) => new Response(picture("png", name.length)));
    const deadlines = vi.spyOn(AbortSignal, "timeout");
    const updates = ids.slice(0, 30).map((id, place) => named(id, "x".repeat(1 + (place % 25))));
    expect(await bodyOf<Answer>(await update(updates), 200)).toMatchObject({ updated: 30 });
    expect(asked.toSorted()).toEqual(Array.from({ length: 25 }, (_, place) => "x".repeat(1 + place)));
    expect(deadlines.mock.calls.filter(([milliseconds]) => milliseconds === 120_000)).toHaveLength(1);
    const shown = new Map((await tokensOf()).map(({ token_id: id, metadata }) => [id, metadata.media]));
    expect(new Set(ids.slice(0, 30).map((id) => shown.get(id))).size).toBe(25);
    expect(shown.get(ids[0]!)).toBe(shown.get(ids[25]!));
    const many = ids.slice(0, 26).map((id, place) => named(id, `${place}`));
    expect(await bodyOf(await update(many), 400)).toMatchObject({ issues: [{ path: ["updates"] }] });
  });

  test("are fetched three at a time, and the first that fails ends the others", async () => {
    const ended: string[] = [];
    serve((name, signal) =>
      name === "2"
        ? new Response(null, { status: 404 })
        : new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              ended.push(name);
              reject(signal.reason);
            });
          }),
    );
    const updates = ids.slice(0, 5).map((id, place) => named(id, `${place}`));
    expect(await bodyOf(await update(updates), 400)).toMatchObject({
      code: "asset_url_failed",
      issues: [{ path: ["updates", 2, "metadata", "asset_file_url"] }],
    });
    expect(asked).toEqual(["0", "1", "2"]);
    expect(ended).toEqual(["0", "1"]);
  });
});

test("an update that can't be proven, and that the operator settles as having taken effect, has its results", async () => {
  const { key, walletAccountId, integrationUuid } = shop;
  const own = await mint(2, collection, walletAccountId);
  // It lands, and nobody hears of it before the object is lost.
  await setFaults({ kind: "reply_lost", methods: ["send_tx"] }, { kind: "unknown_transaction" });
  const answer = await update(titled("Settled", own), { headers: { prefer: "respond-async" } });
  const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
  const changed = async () => (await tokensOf()).filter(({ metadata }) => metadata.title === "Settled");
  await expect.poll(async () => (await changed()).length).toBe(2);
  await replaceObject(integrationUuid);
  await background.resume(uuid);
  expect(await readOperation(key, uuid)).toMatchObject({ state: "unknown" });
  await bodyOf(await admin(`/operation/${uuid}/settle`, { json: { had_effect: true } }), 200);
  expect(await readOperation<Answer>(key, uuid)).toMatchObject({
    state: "succeeded",
    answer: {
      status: 200,
      body: {
        updated: 2,
        failed: 0,
        results: own.map((token_id) => ({ token_id, status: "updated", code: null, message: null })),
      },
    },
  });
  const events = await eventsOf<{ data: { token_id: string; operation_uuid: string } }>(key, "nft.updated");
  const reported = events.filter(({ data }) => data.operation_uuid === uuid);
  expect(reported.map(({ data }) => data.token_id)).toEqual(own);
});

import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
  workerWith,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection, createHalfSold, type Finalized } from "../support/collections.ts";
import { inLedger, watchedLedgers } from "../support/ledgers.ts";
import { takeMemory } from "../support/memory.ts";
import { background, operationOver } from "../support/operations.ts";
import { drain, pay } from "../support/payments.ts";
import { newTenant } from "../support/uploads.ts";

interface Event {
  readonly seq: number;
  readonly event_uuid: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

let shop: TestIntegration;
let stranger: TestIntegration;
let made: Finalized;
/** Those that the shop has at first. */
let begun: Event[];
let receiver: string;

beforeAll(async () => {
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  made = await createCollection(shop, { copies: [40] });
  begun = await list();
  [receiver] = (await createReceivers(1)) as [string];
});

afterEach(() => setFaults());

const list = async (query = "", key = shop.key) => bodyOf<Event[]>(await api(`/event${query}`, { key }), 200);
const lastSeq = async () => (await list()).at(-1)?.seq ?? 0;
const typesOf = (told: readonly Event[]) => told.map(({ type }) => type);
const mint = (uuid: string, more: object = {}, headers: Record<string, string> = {}) =>
  api(`/collection/${uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [receiver], ...more },
    headers,
  });

describe("the events of an integration", () => {
  test("are numbered without gaps from 1, each with its own uuid", async () => {
    expect(begun.map(({ seq }) => seq)).toEqual(begun.map((_, index) => index + 1));
    expect(new Set(begun.map(({ event_uuid }) => event_uuid)).size).toBe(begun.length);
    expect(typesOf(begun)).toEqual([
      "operation.succeeded",
      "operation.succeeded",
      "key.created",
      "key.created",
      "collection.finalized",
      "operation.succeeded",
    ]);
    expect(begun[4]?.data).toMatchObject({ collection_uuid: made.collection_uuid, total_copies: 40 });
  });

  test("report each token of a mint and its operation, in one row", async () => {
    const before = await lastSeq();
    // Inside: the API shows the events, and not that they are one row.
    const counted = async () =>
      (await inLedger<{ rows: number }>(shop.integrationUuid, "SELECT count(*) AS rows FROM events"))[0]!
        .rows;
    const rows = (await counted())!;
    const answer = await mint(made.collection_uuid, { quantity_per_receiver: 3 });
    const uuid = answer.headers.get("x-operation-uuid");
    const { tokens } = await bodyOf<{ tokens: object[] }>(answer, 201);
    const told = await list(`?after=${before}`);
    expect(typesOf(told)).toEqual(["nft.minted", "nft.minted", "nft.minted", "operation.succeeded"]);
    expect(told.slice(0, 3).map(({ data }) => data)).toEqual(
      tokens.map((token) => ({ ...token, source: "api", operation_uuid: uuid, reference: null })),
    );
    const operation = await bodyOf<object>(await api(`/operation/${uuid}`, { key: shop.key }), 200);
    expect(told[3]?.data).toEqual(operation);
    expect(await counted()).toBe(rows + 1);
  });

  test("report updates and failures with the same data as the API", async () => {
    const before = await lastSeq();
    const json = { title: "Night herons" };
    const update = { method: "PUT", key: shop.key, json } as const;
    const collection = await bodyOf(await api(`/collection/${made.collection_uuid}`, update), 200);
    const change = { token_id: `${made.near_collection.collection_id}:1`, title: "One" };
    const nftUpdate = { method: "PUT", key: shop.key, json: change } as const;
    const { token } = await bodyOf<{ token: object }>(
      await api(`/collection/${made.collection_uuid}/nft-update`, nftUpdate),
      200,
    );
    const { collection_uuid: halfSold } = await createHalfSold(shop);
    await bodyOf(await mint(halfSold, { quantity_per_receiver: 2 }), 409);
    const told = await list(`?after=${before}`);
    expect(typesOf(told)).toEqual([
      "collection.updated",
      "operation.succeeded",
      "nft.updated",
      "operation.succeeded",
      "collection.finalized",
      "operation.succeeded",
      "operation.failed",
    ]);
    const by = ({ data }: Event) => ({ operation_uuid: data.operation_uuid, reference: null });
    expect(told[0]?.data).toEqual({ ...(collection as object), ...by(told[1]!) });
    expect(told[2]?.data).toEqual({ ...token, ...by(told[3]!) });
    expect(told[6]?.data).toMatchObject({
      state: "failed",
      answer: { status: 409, body: { code: "sold_out" } },
    });
    // What the wallet has minted is told here, and not to the next test.
    await background.reconcile();
  });

  test("report selling out once, for the mint that took the last copy", async () => {
    const { collection_uuid: uuid } = await createCollection(shop, { copies: [4] });
    const before = await lastSeq();
    await Promise.all(Array.from({ length: 4 }, async () => bodyOf(await mint(uuid), 201)));
    await background.reconcile();
    const told = await list(`?after=${before}`);
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_, index) => before + index + 1));
    expect(typesOf(told).filter((type) => type === "collection.sold_out")).toHaveLength(1);
    expect(typesOf(told).filter((type) => type === "nft.minted")).toHaveLength(4);
    const [soldOut] = await list(`?after=${before}&type=collection.sold_out`);
    expect(soldOut?.data).toMatchObject({ collection_uuid: uuid, total_copies: 4, minted: 4 });
  });

  test("report an operation once, and all its effects, even if its request ends early", async () => {
    const before = await lastSeq();
    await setFaults({ kind: "request_lost", methods: ["send_tx"] });
    const { operation_uuid: uuid } = await bodyOf<{ operation_uuid: string }>(
      await mint(made.collection_uuid, {}, { prefer: "respond-async" }),
      202,
    );
    expect(await list(`?after=${before}`)).toEqual([]);
    await setFaults();
    await Promise.all([background.resume(uuid), background.resume(uuid), operationOver(shop.key, uuid)]);
    await background.resume(uuid);
    expect(typesOf(await list(`?after=${before}`))).toEqual(["nft.minted", "operation.succeeded"]);
  });

  test("report that a wallet's balance is low, and that it was topped up", async () => {
    const poor = await createIntegration("Poor");
    await background.reconcile();
    const before = (await list("", poor.key)).at(-1)?.seq ?? 0;
    await drain(poor.integrationUuid);
    await background.reconcile();
    await background.reconcile();
    await pay(shop.integrationUuid, poor.walletAccountId, 2n * 10n ** 24n);
    await background.reconcile();
    const told = await list(`?after=${before}`, poor.key);
    expect(typesOf(told)).toEqual(["wallet.low", "wallet.topped_up"]);
    expect(told[1]?.data).toMatchObject({ account_id: poor.walletAccountId, queued: 0 });
  });
});

describe("GET /event", () => {
  const pagedBy = async (query: string, key = shop.key) => {
    const paged: Event[] = [];
    let next: string | undefined = `/event?${query}`;
    while (next !== undefined) {
      const page: Response = await api(next, { key });
      next = /^<http:\/\/mintage\.test([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
      paged.push(...(await bodyOf<Event[]>(page, 200)));
    }
    return paged;
  };

  test("returns pages by seq, also with filters", async () => {
    // A page may begin and end within what one batch told.
    for (const [types, limit] of [
      ["type=operation.succeeded&", 1],
      ["type=nft.minted&", 2],
      ["type=collection.sold_out&", 1],
      ["", 2],
      ["", 5],
    ] as const) {
      expect(await pagedBy(`${types}limit=${limit}`)).toEqual(await list(`?${types}`));
    }
  });

  test("leads with a filter to an event behind many of other types, over pages that are empty", async () => {
    const { key } = await newTenant();
    const make = async () =>
      bodyOf<{ key_uuid: string }>(await api("/key", { key, json: { name: "till", scopes: ["read"] } }), 201);
    const { key_uuid: uuid } = await make();
    for (let others = 0; others < 60; others++) await make();
    await bodyOf(await api(`/key/${uuid}/rotate`, { key, method: "POST" }), 200);
    const rotated = (await list("", key)).filter(({ type }) => type === "key.rotated");
    expect(rotated).toHaveLength(1);
    expect(await list("?type=key.rotated", key)).toEqual(rotated);
    expect(await pagedBy("type=key.rotated&limit=5", key)).toEqual(rotated);
  });

  test("takes one call of the ledger, and returns the last seq, the operations and sold-out collections", async () => {
    const { collection_uuid: uuid } = await createCollection(shop, { copies: [2] });
    await bodyOf(await mint(uuid, { quantity_per_receiver: 2 }), 201);
    const asked: string[] = [];
    const WALLET = watchedLedgers((method, call) => {
      asked.push(method);
      return call();
    });
    const send = async (...request: Parameters<typeof api>) =>
      (await apiWith({ WALLET }, ...request)).response;
    const read = (query: string, headers: Record<string, string> = {}) =>
      send(`/event${query}`, { key: shop.key, headers });
    await bodyOf(await read("?limit=1"), 200);
    const last = await lastSeq();
    asked.length = 0;
    const told = await bodyOf<Event[]>(await read(`?after=${last - 7}&limit=6`), 200);
    expect(told).toHaveLength(6);
    expect(asked.splice(0)).toHaveLength(1);
    const soldOut = await bodyOf<Event[]>(await read("?after=1&type=collection.sold_out"), 200);
    expect(soldOut.length).toBeGreaterThan(0);
    expect(asked.splice(0)).toHaveLength(1);
    await bodyOf(await read(`?after=${last + 9}`), 409);
    expect(asked.splice(0)).toHaveLength(1);
    const stream = await read(`?after=${last - 2}`, { accept: "text/event-stream" });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain(`id: ${last}\n`);
    expect(asked.splice(0)).toHaveLength(1);
    await reader.cancel();
    await bodyOf(await read(`?after=${last + 9}`, { accept: "text/event-stream" }), 409);
  });

  test("waits for new events", async () => {
    const before = await lastSeq();
    const wait = async (): Promise<Event[]> => {
      const told = await list(`?after=${before}&wait=25`);
      // A busy machine may take longer.
      return told.length > 0 ? told : wait();
    };
    const waiting = wait();
    await bodyOf(await mint(made.collection_uuid), 201);
    expect(typesOf(await waiting)).toEqual(["nft.minted", "operation.succeeded"]);
    expect(await list(`?after=${before + 2}&wait=1`)).toEqual([]);
  });

  test("shares one database read a second among many waiting readers", async () => {
    const { key } = await newTenant();
    let queries = 0;
    const WALLET = watchedLedgers((_, call) => {
      queries += 1;
      return call();
    });
    const ask = workerWith({ WALLET });
    const waiting = async (wait: number) =>
      bodyOf<Event[]>((await ask(`/event?wait=${wait}`, { key })).response, 200);
    await waiting(0);
    const before = queries;
    await waiting(0);
    const once = queries - before;
    const start = queries;
    expect(await Promise.all(Array.from({ length: 30 }, () => waiting(4)))).toEqual(Array(30).fill([]));
    // Each reads when it begins; a look a second by each would be a hundred more.
    expect(queries - start).toBeLessThan(30 * once + 30);
  });

  test("streams events, and continues after Last-Event-ID", async () => {
    const before = await lastSeq();
    const open = (headers: Record<string, string>) =>
      api(`/event?after=0`, { key: shop.key, headers: { accept: "text/event-stream", ...headers } });
    const answer = await open({ "last-event-id": String(before) });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    await bodyOf(await mint(made.collection_uuid), 201);
    let text = "";
    while (!text.includes("operation.succeeded")) text += (await reader.read()).value;
    await reader.cancel();
    const blocks = text.split("\n\n").filter((block) => block.startsWith("id: "));
    const told = await list(`?after=${before}`);
    expect(blocks).toEqual(
      told.map((event) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}`),
    );
    await bodyOf(await open({ "last-event-id": "x" }), 400);
  });

  test("refuses invalid parameters by their names", async () => {
    for (const [query, path] of [
      ["after=-1", "after"],
      ["after=x", "after"],
      ["type=nft.melted", "type"],
      ["wait=26", "wait"],
      ["limit=0", "limit"],
      ["cursor=1", "cursor"],
    ]) {
      const refused = await bodyOf(await api(`/event?${query}`, { key: shop.key }), 400);
      expect(refused, query).toMatchObject({ issues: [{ path: [path] }] });
    }
  });

  test("accepts a read key, requires a key, and shows only the integration's own events", async () => {
    await bodyOf(await mint(made.collection_uuid), 201);
    expect((await list("", shop.readKey)).length).toBeGreaterThan(0);
    await bodyOf(await api("/event"), 401);
    await bodyOf(await api("/event", { headers: { accept: "text/event-stream" } }), 401);
    const theirs = JSON.stringify(await list("", stranger.key));
    expect(theirs).not.toContain(made.collection_uuid);
    expect(theirs).not.toContain(shop.walletAccountId);
  });

  test("has no events older than 90 days, and never reuses a number", async () => {
    const before = await list("", stranger.key);
    await background.reconcile(91 * 24 * 3_600_000);
    const left = await list("", stranger.key);
    expect(left).toEqual([]);
    await createCollection(stranger, { copies: [1] });
    const told = await list(`?after=${before.at(-1)!.seq}`, stranger.key);
    expect(told.map(({ seq }) => seq)).toEqual([before.at(-1)!.seq + 1, before.at(-1)!.seq + 2]);
  });
});

describe("readers that wait for events", () => {
  const EVENT_STREAM = { accept: "text/event-stream" };
  const ask = async (key: string, query = "", headers: Record<string, string> = {}) =>
    (await apiWith({}, `/event${query}`, { key, headers })).response;
  const open = (key: string) => ask(key, "", EVENT_STREAM);
  const close = (answers: readonly Response[]) => Promise.all(answers.map((answer) => answer.body?.cancel()));

  /** Takes all of an integration's memory but for that of two readers: as much is left free as the second one takes. */
  const leaveTwo = (integrationId: string) => {
    const shares = [32, 16, 8, 4, 2, 1, 1 / 2, 1 / 8].map(
      (megabytes) => takeMemory(megabytes * 1_048_576, integrationId)!,
    );
    return () => {
      for (const giveBack of shares) giveBack();
    };
  };

  const refused = async (answer: Response) => {
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await bodyOf(answer, 429)).toMatchObject({ code: "rate_limited", limit: "rate", retryable: true });
  };

  test("are limited by an integration's memory, streams and requests together", async () => {
    const [{ key, integrationId }, { key: other }] = [await newTenant(), await newTenant()];
    const giveBack = leaveTwo(integrationId);
    const streams = [await open(key)];
    expect(streams[0]!.status).toBe(200);
    const waiting = ask(key, "?wait=20");
    await refused(await open(key));
    expect(await bodyOf(await ask(key), 200)).toEqual([]);
    expect((await api("/event", { key, method: "HEAD", headers: EVENT_STREAM })).status).toBe(200);
    streams.push(await open(other));
    expect(await bodyOf(await waiting, 200)).toEqual([]);
    streams.push(await open(key));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    await close(streams);
    streams.push(await open(key));
    expect(streams.at(-1)!.status).toBe(200);
    await close(streams.splice(3));
    giveBack();
  });
});

describe("large events", () => {
  test("limit a page by its bytes, are all on the pages, and are streamed in small pieces", async () => {
    const rich = await createIntegration("Rich");
    await pay("platform", rich.walletAccountId, 30n * 10n ** 24n);
    const { collection_uuid: uuid } = await createCollection(rich, { copies: [100] });
    const { key } = rich;
    const lastOf = async () => (await list("", key)).at(-1)?.seq ?? 0;
    const before = await lastOf();
    const metadata = { extra: JSON.stringify({ story: "heron ".repeat(2_500) }) };
    for (const _ of [1, 2, 3, 4]) {
      const json = { receiver_addresses: [receiver], quantity_per_receiver: 25, metadata };
      await bodyOf(await api(`/collection/${uuid}/mint`, { key, json }), 201);
    }
    const last = await lastOf();
    const seqs: number[] = [];
    let pages = 0;
    for (let next: string | undefined = `/event?after=${before}&limit=1000`; next; pages += 1) {
      const answer = await api(next, { key });
      next = /<http:\/\/mintage\.test\/api\/v1([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1];
      const text = await answer.text();
      expect(text.length).toBeLessThan(1_100_000);
      seqs.push(...(JSON.parse(text) as Event[]).map(({ seq }) => seq));
    }
    expect(seqs).toEqual(Array.from({ length: last - before }, (_, index) => before + 1 + index));
    expect(pages).toBeGreaterThan(1);
    expect((await list(`?after=${before}`, key)).map(({ seq }) => seq)).toEqual(seqs);

    const headers = { accept: "text/event-stream" };
    const stream = await api(`/event?after=${before}`, { key, headers });
    const read: string[] = [];
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    while (!read.join("").includes(`id: ${last}\n`)) read.push((await reader.read()).value ?? "");
    await reader.cancel();
    const ids = [...read.join("").matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(seqs);
    for (const piece of read) expect(piece.length).toBeLessThan(100_000);
  });
});

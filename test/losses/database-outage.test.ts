import { afterEach, beforeAll, expect, test, vi } from "vitest";
import {
  type ApiRequest,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import type { Break } from "../support/failing-database.ts";
import { heldTimers } from "../support/held-timers.ts";
import { background } from "../support/operations.ts";
import { until } from "../support/waiting.ts";
import { setWalletBindings } from "../support/wallets.ts";

/** D1 stands still: its calls don't answer, and in the end all of them fail, of which some are committed. */

let shop: TestIntegration;
let collection: Finalized;
let receiver: string;

beforeAll(async () => {
  shop = await createIntegration();
  collection = await createCollection(shop, { copies: [200] });
  [receiver] = (await createReceivers(1)) as [string];
});

afterEach(() => vi.restoreAllMocks());

/** Sends a request through a database that hangs from the first call that `from` is in. */
const sendWhileHung = async (
  from: RegExp,
  path: string,
  request: ApiRequest,
  fate: (sql: string) => Break | null = (sql) => (from.test(sql) ? "after" : "before"),
) => {
  let [isHung, waiting] = [false, 0];
  let end: () => void = () => undefined;
  const outage = new Promise<void>((resolve) => {
    end = resolve;
  });
  const DB = failingD1(async (sql) => {
    isHung ||= from.test(sql);
    if (!isHung || fate(sql) === null) return null;
    waiting += 1;
    await outage;
    return fate(sql);
  });
  const deadlines = heldTimers(10_000);
  const sent = apiWith({ DB }, path, { key: shop.key, ...request });
  let answered = false;
  void sent.finally(() => {
    answered = true;
  });
  await until(async () => {
    if (waiting > 0) for (const pass of deadlines.splice(0)) pass();
    return answered;
  });
  vi.restoreAllMocks();
  const { response, background: rest } = await sent;
  return {
    response,
    /** The outage is over: what hung fails, and what was to be committed late is. */
    over: async () => {
      end();
      await rest();
    },
  };
};

const UNKNOWN = { code: "database_unavailable", outcome: "unknown" };
const mintRequest = (key: string): ApiRequest => ({
  key: shop.key,
  json: { receiver_addresses: [receiver] },
  headers: { "idempotency-key": key },
});
const mintPath = () => `/collection/${collection.collection_uuid}/mint`;
const minted = () => mintedOnChain(shop, collection);

test("a mint needs no database: it is carried out during the outage, once, and its answer is found by its key", async () => {
  const before = await minted();
  const key = crypto.randomUUID();
  const DB = failingD1(() => new Promise<never>(() => undefined));
  const restore = await setWalletBindings(shop.integrationUuid, { DB });
  const { response } = await apiWith({ DB }, mintPath(), mintRequest(key));
  const body = await bodyOf(response, 201);
  expect(await minted()).toBe(before + 1);
  await restore();
  expect(await bodyOf(await api(mintPath(), mintRequest(key)), 201)).toEqual(body);
  await background.reconcile(60_000);
  expect(await minted()).toBe(before + 1);
  const told = await bodyOf<{ minted: number }>(
    await api(`/collection/${collection.collection_uuid}`, { key: shop.key }),
    200,
  );
  expect(told.minted).toBe(before + 1);
});

test("a draft that is committed late isn't created twice by a repeated request", async () => {
  const drafts = async () =>
    (await bodyOf<unknown[]>(await api("/collection-draft", { key: shop.key }), 200)).length;
  const before = await drafts();
  const key = crypto.randomUUID();
  const request = {
    key: shop.key,
    json: { contract_uuid: shop.contractUuid, title: "Herons" },
    headers: { "idempotency-key": key },
  };
  const insert = /insert into "drafts"/i;
  const { response, over } = await sendWhileHung(insert, "/collection-draft", request, (sql) =>
    insert.test(sql) ? "after" : "before",
  );
  expect(await bodyOf(response, 503)).toMatchObject(UNKNOWN);
  await bodyOf(await api("/collection-draft", request), 201);
  await over();
  expect(await drafts()).toBe(before + 1);
});

test("a write of the database whose Idempotency-Key can't be looked up is refused with 503, and a failed read has no outcome", async () => {
  const lookUp = await sendWhileHung(/"idempotency_keys"/, "/collection-draft", {
    json: { contract_uuid: shop.contractUuid, title: "Herons" },
    headers: { "idempotency-key": crypto.randomUUID() },
  });
  expect(await bodyOf(lookUp.response, 503)).toMatchObject(UNKNOWN);
  await lookUp.over();
  const read = await sendWhileHung(/select/i, "/collection", {});
  const body = await bodyOf<object>(read.response, 503);
  expect(body).toMatchObject({ code: "database_unavailable", retryable: true });
  expect(body).not.toHaveProperty("outcome");
  await read.over();
});

test("a key that was read within a quarter of an hour is known during the outage, and no other", async () => {
  const other = await createIntegration();
  const broken = async (key: string, DB: D1Database) => {
    const { response } = await apiWith({ DB }, "/collection-draft", { key, json: { title: 7 } });
    return (await bodyOf<{ code: string }>(response, response.status)).code;
  };
  const failing = failingD1(() => "before");
  const hanging = failingD1(() => new Promise<never>(() => undefined));
  await bodyOf(await api("/collection-draft", { key: shop.key, json: { title: 7 } }), 400);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  try {
    for (const DB of [failing, hanging]) {
      vi.setSystemTime(Date.now() + 6_000);
      expect(await broken(shop.key, DB)).toBe("invalid_request");
    }
    expect(await broken(other.key, failing)).toBe("database_unavailable");
    vi.setSystemTime(Date.now() + 15 * 60_000);
    expect(await broken(shop.key, failing)).toBe("database_unavailable");
  } finally {
    vi.useRealTimers();
  }
});

test("requests that need no database are answered during the outage", async () => {
  const DB = failingD1(() => new Promise<never>(() => undefined));
  for (const path of ["/health", "/docs", "/openapi.json"]) {
    const { response } = await apiWith({ DB }, path);
    expect([path, response.status]).toEqual([path, 200]);
    await response.body?.cancel();
  }
});

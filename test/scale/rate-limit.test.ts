import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { admin, api, apiWith, bodyOf, statusesOf } from "../support/api.ts";
import { failingD1 } from "../support/database.ts";
import { type Counter, counterOf } from "../support/other-isolate.ts";

/** What a key may do: 1,000 requests in 10 s. */
const LIMIT = 1_000;

let integration: string;

beforeAll(async () => {
  const created = await admin("/integration", { json: { name: "Busy shop" } });
  integration = (await bodyOf<{ integration_uuid: string }>(created, 201)).integration_uuid;
});

// The limit of an address counts requests with keys that the isolate has not seen: the bursts together would exceed it.
let address = 0;
beforeEach(() => {
  address += 1;
});
const fromHere = () => ({ "cf-connecting-ip": `192.0.2.${address}` });

afterEach(() => {
  vi.useRealTimers();
});

/** Stops the clock, so that no period and no grant ends while requests are sent, even on a slow machine. */
const stopClock = () => vi.setSystemTime(Date.now());

interface Key {
  readonly key_uuid: string;
  readonly api_key: string;
}

const issue = async (role = "full"): Promise<Key> =>
  bodyOf(await admin(`/integration/${integration}/key`, { json: { name: role, role } }), 201);

const read = (key: Key) => api("/collection-draft", { key: key.api_key, headers: fromHere() });

/** Sends requests at the same moment. Returns the number of answers by status. */
const burst = (count: number, send: () => Promise<Response>): Promise<Record<number, number>> =>
  statusesOf(Array.from({ length: count }, send));

/** Uses up a key's requests except for some, as another isolate would. */
const useUp = async (key: Key, left = 0): Promise<void> => {
  const counter = counterOf(key.key_uuid);
  const { id, count } = await counter.take({ limit: LIMIT, wanted: LIMIT - left });
  await counter.end({ id, unused: count - (LIMIT - left) });
};

test("300 requests at once are accepted", async () => {
  const key = await issue();
  expect(await burst(300, () => read(key))).toEqual({ 200: 300 });
});

// The runtime ends an object that nobody has called for ten seconds, and the counter then forgets. With the clock
// stopped, a burst has to be short enough to be sent in ten seconds on a slow machine.

test("requests are accepted up to the limit, and not one more", async () => {
  stopClock();
  const key = await issue();
  await useUp(key, 150);
  expect(await burst(100, () => read(key))).toEqual({ 200: 100 });
  expect(await burst(50, () => read(key))).toEqual({ 200: 50 });
  expect(await burst(1, () => read(key))).toEqual({ 429: 1 });
});

test("of too many simultaneous requests exactly the remaining number is accepted", async () => {
  stopClock();
  const key = await issue();
  await useUp(key, 150);
  expect(await burst(200, () => read(key))).toEqual({ 200: 150, 429: 50 });
});

test("100 writes at once are accepted", async () => {
  const key = await issue();
  const remove = () =>
    api(`/collection-draft/${crypto.randomUUID()}`, {
      method: "DELETE",
      key: key.api_key,
      headers: fromHere(),
    });
  expect(await burst(100, remove)).toEqual({ 404: 100 });
});

test("a key over its limit gets Retry-After and is accepted then, and other keys are not affected", async () => {
  stopClock();
  const key = await issue();
  const other = await issue();
  await useUp(key);
  const refused = await read(key);
  expect(refused.headers.get("retry-after")).toMatch(/^([1-9]|10)$/);
  expect(refused.headers.get("ratelimit-policy")).toBe('"key";q=1000;w=10');
  expect(refused.headers.get("ratelimit")).toBe(`"key";r=0;t=${refused.headers.get("retry-after")}`);
  expect(refused.headers.get("link")).toBeNull();
  expect(await bodyOf(refused, 429)).toMatchObject({ code: "rate_limited" });
  expect(await burst(2, () => read(key))).toEqual({ 429: 2 });
  expect(await burst(1, () => read(other))).toEqual({ 200: 1 });
  vi.setSystemTime(Date.now() + Number(refused.headers.get("retry-after")) * 1_000);
  expect(await burst(300, () => read(key))).toEqual({ 200: 300 });
});

test("a write above the limit is not carried out", async () => {
  stopClock();
  const key = await issue();
  await useUp(key);
  const request = { method: "DELETE", key: key.api_key, headers: { "idempotency-key": "too many" } };
  expect(await burst(1, () => api(`/collection-draft/${crypto.randomUUID()}`, request))).toEqual({ 429: 1 });
  // Its key is free for another request.
  vi.setSystemTime(Date.now() + 10_000);
  expect(await burst(1, () => api(`/collection-draft/${crypto.randomUUID()}`, request))).toEqual({ 404: 1 });
});

test("every answer to a valid key shows the remaining requests", async () => {
  const key = await issue();
  const readKey = await issue("read");
  const draft = `/collection-draft/${crypto.randomUUID()}`;
  const answers: [Response, number][] = [
    [await read(key), 200],
    [await api(draft, { key: key.api_key }), 404],
    [await api("/nothing-here", { key: key.api_key }), 404],
    [await api("/collection-draft", { key: key.api_key, json: {} }), 400],
    [await api("/collection-draft", { key: readKey.api_key, json: {} }), 403],
  ];
  for (const [answer, status] of answers) {
    await bodyOf(answer, status);
    expect(answer.headers.get("ratelimit-policy")).toBe('"key";q=1000;w=10');
    expect(answer.headers.get("ratelimit")).toMatch(/^"key";r=99\d;t=([1-9]|10)$/);
  }
  const unknown = await api("/collection-draft");
  await bodyOf(unknown, 401);
  expect(unknown.headers.get("ratelimit")).toBeNull();
});

test("the number of remaining requests decreases with every request", async () => {
  stopClock();
  const key = await issue();
  const left: number[] = [];
  for (let sent = 0; sent < 30; sent++) {
    const answer = await read(key);
    await answer.body?.cancel();
    left.push(Number(/;r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]));
  }
  expect(left).toEqual(Array.from({ length: 30 }, (_, index) => LIMIT - 1 - index));
});

test("requests that another isolate reserved and didn't make don't count", async () => {
  stopClock();
  const counter = counterOf((await issue()).key_uuid);
  const first = await counter.take({ limit: 100, wanted: 50 });
  expect(first.count).toBeGreaterThan(50);
  const second = counter.take({ limit: 100, wanted: 50 });
  await counter.end({ id: first.id, unused: first.count - 50 });
  expect(await second).toMatchObject({ count: 50, remaining: 0 });
  expect(await counter.take({ limit: 100, wanted: 1 })).toMatchObject({ count: 0, remaining: 0 });
});

test("no request is refused while another isolate may still return its reservation", async () => {
  stopClock();
  const counter = counterOf((await issue()).key_uuid);
  const first = await counter.take({ limit: 100, wanted: 40 });
  const second = await counter.take({ limit: 100, wanted: 40 });
  const spare = [first, second].map(({ count }) => count - 40);
  expect(Math.min(...spare)).toBeGreaterThan(0);
  // All that is left: without what the second gives back it would be less.
  const third = counter.take({ limit: 100, wanted: 20 });
  await counter.end({ id: first.id, unused: spare[0]! });
  await counter.end({ id: second.id, unused: spare[1]! });
  expect(await third).toMatchObject({ count: 20, remaining: 0 });
});

test("a reservation that is never returned counts as used", async () => {
  stopClock();
  const counter = counterOf((await issue()).key_uuid);
  const first = await counter.take({ limit: 100, wanted: 50 });
  const rest = counter.take({ limit: 100, wanted: 50 });
  // Longer than a grant and far shorter than the period.
  vi.setSystemTime(Date.now() + 2_000);
  expect((await rest).count).toBe(100 - first.count);
});

test("a reservation is returned only once", async () => {
  stopClock();
  const counter = counterOf((await issue()).key_uuid);
  const first = await counter.take({ limit: 100, wanted: 50 });
  for (let times = 0; times < 3; times++) await counter.end({ id: first.id, unused: first.count - 50 });
  await counter.end({ id: 12_345, unused: 50 });
  expect((await counter.take({ limit: 100, wanted: 51 })).count).toBe(50);
});

/** A read with another counter than the Worker's own. */
async function readWith(key: Key, counter: Partial<Counter>, changes: Partial<Env> = {}): Promise<Response> {
  const REQUEST_COUNTER = { getByName: () => counter };
  const request = { key: key.api_key, headers: fromHere() };
  return (await apiWith({ REQUEST_COUNTER, ...changes }, "/collection-draft", request)).response;
}

test("an isolate reserves many requests in one call, and makes no further call once it was refused", async () => {
  stopClock();
  const key = await issue();
  const real = counterOf(key.key_uuid);
  let calls = 0;
  const take: Counter["take"] = async (ask) => {
    calls += 1;
    // Longer than the service's own grants, so that a slow machine doesn't ask more often.
    return { ...(await real.take(ask)), lastsMs: 5_000 };
  };
  const counted = () => readWith(key, { take, end: real.end });
  expect(await burst(300, counted)).toEqual({ 200: 300 });
  for (let sent = 0; sent < 20; sent++) expect(await burst(1, counted)).toEqual({ 200: 1 });
  expect(calls).toBeLessThan(32);
  await useUp(key, 320);
  expect(await burst(40, counted)).toMatchObject({ 429: expect.any(Number) });
  const before = calls;
  expect(await burst(20, counted)).toEqual({ 429: 20 });
  expect(calls).toBe(before);
});

test("a read with a key that is known to be over its limit makes no database query", async () => {
  stopClock();
  const key = await issue();
  const real = counterOf(key.key_uuid);
  const queries: string[] = [];
  const DB = failingD1((sql) => {
    queries.push(sql);
    return null;
  });
  const counted = () => readWith(key, real, { DB });
  expect(await burst(1, counted)).toEqual({ 200: 1 });
  await useUp(key, 1);
  // Until the grant of the first read is used up, this isolate doesn't know.
  while ((await counted()).status === 200);
  queries.length = 0;
  expect(await burst(20, counted)).toEqual({ 429: 20 });
  expect(queries).toEqual([]);
});

test("requests are accepted if the counter fails", async () => {
  const key = await issue();
  const answer = await readWith(key, { take: () => Promise.reject(new Error("unreachable")) });
  expect(await bodyOf(answer, 200)).toEqual([]);
  expect(answer.headers.get("ratelimit-policy")).toBe('"key";q=1000;w=10');
  expect(answer.headers.get("ratelimit")).toBeNull();
});

test("requests are accepted if the counter never answers, whether it answered before or not", async () => {
  const key = await issue();
  const real = counterOf(key.key_uuid);
  let isStuck = true;
  const take: Counter["take"] = (ask) => (isStuck ? new Promise(() => undefined) : real.take(ask));
  const counted = () => readWith(key, { take, end: real.end });
  const [first, second] = await Promise.all([counted(), counted()]);
  for (const answer of [first, second]) {
    expect(await bodyOf(answer, 200)).toEqual([]);
    expect(answer.headers.get("ratelimit")).toBeNull();
  }
  // It isn't asked again for a while, which isn't over before the next request.
  stopClock();
  isStuck = false;
  const meanwhile = await counted();
  expect(meanwhile.headers.get("ratelimit")).toBeNull();
  expect(await bodyOf(meanwhile, 200)).toEqual([]);
  vi.setSystemTime(Date.now() + 11_000);
  const later = await counted();
  expect(later.headers.get("ratelimit")).not.toBeNull();
  expect(await bodyOf(later, 200)).toEqual([]);
});

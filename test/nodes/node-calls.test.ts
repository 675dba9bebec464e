import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
// Inside: counters of calls of nodes, which a request for the metrics would raise.
import { callCounts } from "../../src/chain/call-counts.ts";
import { admin, api, bodyOf, createIntegration, statusesOf, type TestIntegration } from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { extendDeadlines } from "../support/waiting.ts";

/** Seconds in which calls are counted. */
const PERIOD_MS = 10_000;

let shop: TestIntegration;
let stranger: TestIntegration;
let collection: string;
let others: string;
const slug = "counted-herons";

beforeAll(async () => {
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  collection = (await createCollection(shop, { copies: [3] })).collection_uuid;
  others = (await createCollection(stranger, { copies: [3] })).collection_uuid;
  await bodyOf(await putPage(shop.key, collection, { slug, enabled: true }), 200);
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  await setFaults();
});

const callsMade = (): number =>
  [...callCounts().values()].reduce(
    (sum, { answered, failed, refused }) => sum + answered + failed + refused,
    0,
  );

/** Does something, and says how many calls of nodes it caused and the most that so long a time allows. */
async function observed<T>(
  most: number,
  work: () => Promise<T>,
): Promise<{ result: T; calls: number; allowed: number }> {
  const [before, began] = [callsMade(), Date.now()];
  const result = await work();
  const periods = Math.ceil((Date.now() - began) / PERIOD_MS);
  return { result, calls: callsMade() - before, allowed: most * periods };
}

/** A list whose page of a thousand asks ten views at a time, whatever there is. */
const list = (key: string, uuid: string) => api(`/collection/${uuid}/token?limit=1000`, { key });

/** A new key of the shop, whose keys may send so many requests in a period. */
const limitedKey = async (requests: number): Promise<string> => {
  const path = `/integration/${shop.integrationUuid}`;
  await bodyOf(await admin(`${path}/limits`, { method: "PUT", json: { requests } }), 200);
  const issued = await admin(`${path}/key`, { json: { name: "reads", role: "read" } });
  return (await bodyOf<{ api_key: string }>(issued, 201)).api_key;
};

describe("calls of nodes that a key's requests cause", () => {
  test("count as requests beyond two, wait, and are refused in the end, without effect on other keys", async () => {
    const requests = 60;
    const key = await limitedKey(requests);
    // No period ends between the list and the look at what it has used.
    vi.setSystemTime(Date.now());
    const before = callsMade();
    const first = await list(key, collection);
    const left = () => api("/collection-draft", { key }).then(({ headers }) => headers.get("ratelimit"));
    await bodyOf(first, 200);
    const callsOfOne = callsMade() - before;
    expect(callsOfOne).toBeGreaterThanOrEqual(10);
    const used = requests - Number(/;r=(\d+)/.exec((await left()) ?? "")?.[1]);
    expect(used).toBeGreaterThanOrEqual(callsOfOne - 2);
    expect(used).toBeLessThanOrEqual(callsOfOne + 2);
    vi.useRealTimers();

    const lists = 20;
    const { result, calls, allowed } = await observed(requests, async () => {
      const answers = Array.from({ length: lists }, () => list(key, collection));
      const alone = await list(stranger.key, others);
      await bodyOf(alone, 200);
      return Promise.all(answers);
    });
    // Beside these, two of each list, the stranger's, and looks at a final block now and then, which no request pays.
    expect(calls).toBeLessThanOrEqual(allowed + 2 * lists + 2 * callsOfOne);
    const refused = result.filter(({ status }) => status === 429);
    expect(result.filter(({ status }) => status === 200).length + refused.length).toBe(lists);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.headers.get("retry-after")).toMatch(/^([1-9]|10)$/);
      expect(await bodyOf(answer, 429)).toMatchObject({ code: "rate_limited", limit: "rate" });
    }
    for (const answer of result) if (!answer.bodyUsed) await answer.body?.cancel();
    // Of a request that was let pass too: for the calls of this one its key would need more than a minute.
    const codeOfFirst = async () => {
      const answer = await list(await limitedKey(1), collection);
      return ((await answer.json()) as { code?: string }).code;
    };
    await expect.poll(codeOfFirst).toBe("rate_limited");
  });

  test("are all made for 200 checks of different accounts at once", async () => {
    // A busy machine's chain may answer too late: only what a budget refuses counts here.
    const check = async (account: string): Promise<Response> => {
      const answer = await api(`/collection/${others}/eligibility/${account}`, { key: stranger.key });
      return answer.status === 503 ? check(account) : answer;
    };
    const checks = Array.from({ length: 200 }, (_, index) => check(`account-${index}.test`));
    expect(await statusesOf(checks)).toEqual({ 200: 200 });
  });
});

describe("stored answers of nodes", () => {
  test("are read once by all who ask the same, however slow the nodes are", async () => {
    await setFaults({ kind: "delay", ms: 6_000, methods: ["query"] });
    // A node is left after ten seconds; here after a minute, for a slow machine.
    extendDeadlines(6);
    const before = callsMade();
    const mine = Array.from({ length: 30 }, () => api("/me", { key: stranger.key }));
    const of = `/collection/${others}/eligibility/patient.test`;
    const checks = Array.from({ length: 30 }, () => api(of, { key: stranger.key }));
    expect(await statusesOf([...mine, ...checks])).toEqual({ 200: 60 });
    // Balance, metadata, eligibility, the wallet's own balance, and looks at a final block.
    expect(callsMade() - before).toBeLessThan(12);
  });
});

describe("calls of nodes that requests without a key cause", () => {
  const from = (address: string, path: string) =>
    api(`/public/v1/page/${slug}${path}`, { headers: { "cf-connecting-ip": address } });
  /** Asks two views for tokens, never what was asked before, and one for the collection, as others do at the same time. */
  const filtered = (index: number) => `/token?trait=Sky%3D${index}&cursor=${1_000 * (index + 1)}`;

  test("are at most four at once, two for each address, and equal ones are shared", async () => {
    await setFaults({ kind: "delay", ms: 100, methods: ["query"] });
    const real = globalThis.fetch;
    const views = { open: 0, most: 0, asked: 0 };
    vi.stubGlobal("fetch", async (to: string, init: RequestInit) => {
      if (typeof init?.body !== "string" || !init.body.includes("call_function")) return real(to, init);
      views.open += 1;
      views.asked += 1;
      views.most = Math.max(views.most, views.open);
      try {
        return await real(to, init);
      } finally {
        views.open -= 1;
      }
    });
    let next = 1_000;
    const several = (count: number, address: string) =>
      Array.from({ length: count }, () => from(address, filtered(next++)));
    expect(await statusesOf(several(10, "203.0.113.9"))).toEqual({ 200: 10 });
    expect(views.most).toBe(2);
    const all = ["203.0.113.10", "203.0.113.11", "203.0.113.12"].flatMap((each) => several(5, each));
    expect(await statusesOf(all)).toEqual({ 200: 15 });
    expect(views.most).toBe(4);

    // An answer is kept for two seconds, which aren't over before all have asked.
    vi.setSystemTime(Date.now());
    views.asked = 0;
    const equal = Array.from({ length: 20 }, (_, index) =>
      from(`203.0.113.${20 + index}`, "/eligibility/many.test"),
    );
    expect(await statusesOf(equal)).toEqual({ 200: 20 });
    expect(views.asked).toBeLessThan(5);
  });
});

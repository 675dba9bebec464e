import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
// Inside: no request resets an object during a call.
import { WebhookEndpoint } from "../../src/events/webhooks/object.ts";
import {
  type ApiRequest,
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  statusesOf,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import { problemsOf, readDocument } from "../support/openapi.ts";
import { background, firstPasses, killAt, observeCheckpoints } from "../support/operations.ts";
import { newTenant } from "../support/uploads.ts";
import { eventually, later } from "../support/waiting.ts";
import { loseObject } from "../support/wallets.ts";

interface Hook {
  readonly webhook_uuid: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly secret: string;
}

interface Event {
  readonly seq: number;
  readonly event_uuid: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

interface Delivery {
  readonly seq: number;
  readonly at: string;
  readonly event_uuid: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly response: string;
  readonly next_attempt_at: string | null;
}

const MINUTE_MS = 60_000;

/** What an endpoint received. */
interface Received {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: string | undefined;
}

let shop: TestIntegration;
let stranger: TestIntegration;
let collection: string;
let receiver: string;
let received: Received[];
/** What the endpoint answers next; 204 where nothing is left. */
let answers: (() => Response | Promise<Response>)[];

beforeAll(async () => {
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  collection = (await createCollection(shop, { copies: [200] })).collection_uuid;
  [receiver] = (await createReceivers(1)) as [string];
});

beforeEach(() => {
  [received, answers] = [[], []];
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.startsWith("https://hooks.example.com")) return real(input, init);
    const headers = Object.fromEntries(new Headers(init?.headers));
    received.push({ url, headers, body: String(init?.body), redirect: init?.redirect });
    return (answers.shift() ?? (() => new Response(null, { status: 204 })))();
  });
});

afterEach(async () => {
  vi.useRealTimers();
  observeCheckpoints(null);
  for (const { webhook_uuid: uuid } of await read<Hook[]>("/webhook")) {
    await api(`/webhook/${uuid}`, { key: shop.key, method: "DELETE" });
  }
  vi.restoreAllMocks();
});

const read = async <T>(path: string) => bodyOf<T>(await api(path, { key: shop.key }), 200);
const create = async (more: object = {}) =>
  bodyOf<Hook>(
    await api("/webhook", { key: shop.key, json: { url: "https://hooks.example.com/a", ...more } }),
    201,
  );
const put = (uuid: string, json: object, key = shop.key) =>
  api(`/webhook/${uuid}`, { key, method: "PUT", json });
const post = (path: string, json?: object, key = shop.key) => api(path, { key, method: "POST", json });
/** A request with a counter of its own: by their clocks, other tests may have used what an integration may send. */
const uncounted = async (path: string, request: ApiRequest): Promise<Response> => {
  const { REQUEST_COUNTER: counters } = env;
  const REQUEST_COUNTER = { getByName: () => counters.getByName(crypto.randomUUID()) };
  return (await apiWith({ REQUEST_COUNTER }, path, request)).response;
};
const mint = async () => {
  const json = { receiver_addresses: [receiver] };
  await bodyOf(await api(`/collection/${collection}/mint`, { key: shop.key, json }), 201);
};
const deliveries = (uuid: string) => read<Delivery[]>(`/webhook/${uuid}/delivery`);
const ring = (uuid: string) => runDurableObjectAlarm(env.WEBHOOK.getByName(uuid));
/** Lets an endpoint send until it has been sent so many. */
const sent = async (uuid: string, count: number) => {
  while (received.length < count) {
    await ring(uuid);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
const seqOf = (told: readonly Event[], id: string | undefined) =>
  told.find(({ event_uuid }) => event_uuid === id)?.seq ?? 0;
const eventsOf = (some: readonly Received[]) => some.map(({ body }) => JSON.parse(body) as Event);

describe("delivery", () => {
  test("sends events in order, with a signature that an independent receiver accepts", async () => {
    const hook = await create();
    const before = (await read<Event[]>("/event")).at(-1)!.seq;
    await mint();
    await mint();
    await sent(hook.webhook_uuid, 4);
    const told = await read<Event[]>(`/event?after=${before}`);
    expect(eventsOf(received)).toEqual(told);
    const verifier = new Webhook(hook.secret);
    for (const [index, { headers, body, redirect }] of received.entries()) {
      expect(verifier.verify(body, headers)).toEqual(told[index]);
      expect(headers["webhook-id"]).toBe(told[index]?.event_uuid);
      expect(redirect).toBe("manual");
    }
    const attempts = await deliveries(hook.webhook_uuid);
    expect(attempts.map(({ seq, attempt, status }) => [seq, attempt, status])).toEqual(
      told.map(({ seq }) => [seq, 1, 204]).reverse(),
    );
  });

  test("sends the chosen types of events, and no earlier events", async () => {
    await mint();
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await mint();
    await sent(hook.webhook_uuid, 2);
    await ring(hook.webhook_uuid);
    expect(eventsOf(received).map(({ type }) => type)).toEqual(["nft.minted", "nft.minted"]);
  });

  test("repeats a failed event under its id, without delaying later events", async () => {
    answers.push(() => new Response("not now", { status: 500 }));
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await mint();
    await sent(hook.webhook_uuid, 2);
    const [second, first] = await deliveries(hook.webhook_uuid);
    expect(first).toMatchObject({ attempt: 1, status: 500, response: "not now" });
    expect(Date.parse(first!.next_attempt_at!)).toBeGreaterThan(Date.now());
    expect(second).toMatchObject({ attempt: 1, status: 204, next_attempt_at: null });
    await sent(hook.webhook_uuid, 3);
    expect(received[2]?.headers["webhook-id"]).toBe(received[0]?.headers["webhook-id"]);
    expect(received[2]?.body).toBe(received[0]?.body);
    const [again] = await deliveries(hook.webhook_uuid);
    expect(again).toMatchObject({ seq: first!.seq, attempt: 2, status: 204 });
  });

  test("gives up a failed event that the endpoint doesn't subscribe to any more, and sends no other in its place", async () => {
    answers.push(() => new Response(null, { status: 500 }));
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await sent(hook.webhook_uuid, 1);
    await bodyOf(await put(hook.webhook_uuid, { types: ["operation.succeeded"] }), 200);
    await mint();
    await sent(hook.webhook_uuid, 2);
    // The retry is due by then.
    await later(MINUTE_MS, () => ring(hook.webhook_uuid));
    await mint();
    await sent(hook.webhook_uuid, 3);
    expect(eventsOf(received).map(({ type }) => type)).toEqual([
      "nft.minted",
      "operation.succeeded",
      "operation.succeeded",
    ]);
    expect(new Set(eventsOf(received).map(({ event_uuid }) => event_uuid)).size).toBe(3);
  });

  test.each([
    [301, { location: "https://hooks.example.com/elsewhere" }],
    [302, { location: "http://169.254.169.254/" }],
    [429, { "retry-after": "600" }],
    [500, {}],
  ])("counts %d as a failure, and follows no redirect", async (status, headers: Record<string, string>) => {
    answers.push(() => new Response(null, { status, headers }));
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await sent(hook.webhook_uuid, 1);
    await ring(hook.webhook_uuid);
    expect(received).toHaveLength(1);
    const [attempt] = await deliveries(hook.webhook_uuid);
    expect(attempt).toMatchObject({ status, attempt: 1 });
    const pause = Date.parse(attempt!.next_attempt_at!) - Date.now();
    if (status === 429) expect(pause).toBeGreaterThan(500_000);
    else expect(pause).toBeLessThan(60_000);
  });

  test("counts a broken connection as a failure, without disclosing internal details", async () => {
    answers.push(() => Promise.reject(new Error("connect 10.0.0.1 refused")));
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await sent(hook.webhook_uuid, 1);
    const [attempt] = await deliveries(hook.webhook_uuid);
    expect(attempt).toMatchObject({ status: null, response: "The connection failed." });
  });

  test("counts a 200 whose body breaks off as a success, and keeps what came of the body", async () => {
    const parts = [new TextEncoder().encode("ok")];
    const pull = (body: ReadableStreamDefaultController) => {
      const part = parts.shift();
      if (part) body.enqueue(part);
      else body.error(new Error("reset"));
    };
    answers.push(() => new Response(new ReadableStream({ pull })));
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await sent(hook.webhook_uuid, 1);
    const [attempt] = await deliveries(hook.webhook_uuid);
    expect(attempt).toMatchObject({ status: 200, response: "ok", next_attempt_at: null });
  });

  test("disables the endpoint after a 410, and reports that", async () => {
    answers.push(() => new Response(null, { status: 410 }));
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await sent(hook.webhook_uuid, 1);
    const before = await read<Hook>(`/webhook/${hook.webhook_uuid}`);
    expect(before).toMatchObject({ enabled: false, disabled_reason: "The endpoint answered 410 Gone." });
    const told = (await read<Event[]>("/event?type=webhook.disabled")).at(-1);
    expect(told?.data).toMatchObject({ webhook_uuid: hook.webhook_uuid, enabled: false });
    expect(JSON.stringify(told)).not.toContain(hook.secret);
    await mint();
    await ring(hook.webhook_uuid);
    expect(received).toHaveLength(1);
    await bodyOf(await put(hook.webhook_uuid, { enabled: true }), 200);
    await sent(hook.webhook_uuid, 2);
    expect(eventsOf(received)[1]?.seq).toBeGreaterThan(eventsOf(received)[0]!.seq);
  });

  test("disables the endpoint after five days without a success, reports that, and begins anew once it is enabled", async () => {
    const failing = () => new Response(null, { status: 500 });
    answers.push(failing, failing, failing, failing, failing, failing);
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await sent(hook.webhook_uuid, 1);
    const [first] = await deliveries(hook.webhook_uuid);
    /** Lets time pass for the endpoint alone: what asks for it is back at the present. */
    const attemptAfter = async (days: number, count: number) => {
      vi.setSystemTime(Date.parse(first!.at) + days * 24 * 3_600_000);
      await sent(hook.webhook_uuid, count);
      vi.useRealTimers();
      return read<Hook>(`/webhook/${hook.webhook_uuid}`);
    };
    expect(await attemptAfter(1, 2)).toMatchObject({ enabled: true });
    expect(await attemptAfter(4.9, 3)).toMatchObject({ enabled: true });
    // Only a test that succeeds counts as a success.
    const tried = await uncounted(`/webhook/${hook.webhook_uuid}/test`, { method: "POST", key: shop.key });
    expect((await bodyOf<Delivery>(tried, 200)).status).toBe(500);
    const reason = "No delivery has succeeded for 5 days.";
    expect(await attemptAfter(5.1, 5)).toMatchObject({ enabled: false, disabled_reason: reason });
    const told = await read<Event[]>("/event?type=webhook.disabled");
    expect(told.at(-1)?.data).toMatchObject({ webhook_uuid: hook.webhook_uuid, disabled_reason: reason });
    await bodyOf(await put(hook.webhook_uuid, { enabled: true }), 200);
    expect(await attemptAfter(5.3, 6)).toMatchObject({ enabled: true });
  });

  test.each(["before", "after"] as const)(
    "disables the endpoint after a 410, and reports that once, though the database breaks %s it is disabled",
    async (failure) => {
      answers.push(() => new Response(null, { status: 410 }));
      const hook = await create({ types: ["nft.minted"] });
      // Inside: no request has the object's own calls of D1 fail.
      const prototype = Object.getPrototypeOf(env.DB) as { batch: (all: unknown[]) => Promise<unknown> };
      const { batch } = prototype;
      let isBroken = false;
      vi.spyOn(prototype, "batch").mockImplementation(async function (this: unknown, all) {
        const disables = (one: unknown) =>
          (one as { statement?: string }).statement?.startsWith('update "webhooks" set "state"');
        if (isBroken || !all.some(disables)) return batch.call(this, all);
        isBroken = true;
        if (failure === "after") await batch.call(this, all);
        throw new Error("Network connection lost.");
      });
      await mint();
      await sent(hook.webhook_uuid, 1);
      await ring(hook.webhook_uuid);
      await background.reconcile();
      expect(isBroken).toBe(true);
      expect(await read<Hook>(`/webhook/${hook.webhook_uuid}`)).toMatchObject({ enabled: false });
      const told = await read<Event[]>("/event?type=webhook.disabled");
      expect(told.filter(({ data }) => data.webhook_uuid === hook.webhook_uuid)).toHaveLength(1);
    },
  );

  test("counts no failures from before the endpoint was changed, nor a pause", async () => {
    const failing = () => new Response(null, { status: 500 });
    answers.push(failing, failing);
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await sent(hook.webhook_uuid, 1);
    await bodyOf(await put(hook.webhook_uuid, { enabled: false }), 200);
    vi.setSystemTime(Date.now() + 6 * 24 * 60 * MINUTE_MS);
    await bodyOf(await put(hook.webhook_uuid, { url: "https://hooks.example.com/b", enabled: true }), 200);
    await sent(hook.webhook_uuid, 2);
    vi.useRealTimers();
    expect(received[1]?.url).toBe("https://hooks.example.com/b");
    expect(await read<Hook>(`/webhook/${hook.webhook_uuid}`)).toMatchObject({ enabled: true });
  });

  test.each(["webhook.before_attempt", "webhook.after_attempt"])(
    "loses no event if it stops at %s, and keeps first attempts in order",
    async (point) => {
      const hook = await create({ types: ["nft.minted"] });
      // What it does stops, and the object stays: nobody here could catch its end.
      const kills = killAt(point, firstPasses(3), () => undefined);
      await mint();
      await mint();
      const told = (await read<Event[]>("/event?type=nft.minted")).slice(-2);
      await sent(hook.webhook_uuid, point === "webhook.before_attempt" ? 2 : 5);
      observeCheckpoints(null);
      expect(kills.count).toBe(3);
      const ids = received.map(({ headers }) => headers["webhook-id"]);
      expect([...new Set(ids)]).toEqual(told.map(({ event_uuid }) => event_uuid));
      expect(ids).toEqual([...ids].sort((a, b) => seqOf(told, a) - seqOf(told, b)));
    },
  );

  test("continues with the schedule if an endpoint wasn't notified", async () => {
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await background.reconcile();
    await sent(hook.webhook_uuid, 1);
    expect(eventsOf(received).map(({ type }) => type)).toEqual(["nft.minted"]);
  });

  test("continues with the schedule if an endpoint's alarm doesn't ring", async () => {
    const hook = await create({ types: ["nft.minted"] });
    let [isLost, lost]: [boolean, number | null] = [true, null];
    await runInDurableObject(env.WEBHOOK.getByName(hook.webhook_uuid), async (_, { storage }) => {
      const [set, get] = [storage.setAlarm.bind(storage), storage.getAlarm.bind(storage)];
      storage.setAlarm = async (at, options) => {
        lost = isLost ? Number(at) - MINUTE_MS : null;
        if (!isLost) await set(at, options);
      };
      storage.getAlarm = async (options) => lost ?? get(options);
    });
    await mint();
    await background.reconcile();
    expect(lost).not.toBeNull();
    isLost = false;
    await background.reconcile();
    // `ring` would run an alarm that only seems to be set.
    expect(lost).toBeNull();
    await sent(hook.webhook_uuid, 1);
    expect(eventsOf(received).map(({ type }) => type)).toEqual(["nft.minted"]);
  });

  test("continues with the schedule if the alarm for a retry is lost, also without new events", async () => {
    answers.push(() => new Response(null, { status: 500, headers: { "retry-after": "600" } }));
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await sent(hook.webhook_uuid, 1);
    const inEndpoint = <T>(work: (storage: DurableObjectStorage) => Promise<T>) =>
      runInDurableObject(env.WEBHOOK.getByName(hook.webhook_uuid), (_, { storage }) => work(storage));
    const alarm = () => inEndpoint((storage) => storage.getAlarm());
    await background.reconcile();
    await expect.poll(alarm).toBeGreaterThan(Date.now() + MINUTE_MS);
    await inEndpoint((storage) => storage.deleteAlarm());
    await background.reconcile();
    await expect.poll(alarm).toBeGreaterThan(Date.now() + MINUTE_MS);
    await later(11 * MINUTE_MS, () => sent(hook.webhook_uuid, 2));
    expect(received[1]?.body).toBe(received[0]?.body);
  });

  test("goes on with higher numbers once a lost ledger is restored, each event once", async () => {
    const hook = await create();
    await mint();
    await sent(hook.webhook_uuid, 2);
    await background.reconcile();
    await loseObject(shop.integrationUuid);
    for (const action of ["restore", "activate"])
      await bodyOf(
        await admin(`/integration/${shop.integrationUuid}/wallet/${action}`, { method: "POST" }),
        200,
      );
    await mint();
    await sent(hook.webhook_uuid, 4);
    await ring(hook.webhook_uuid);
    const told = eventsOf(received);
    expect(told).toHaveLength(4);
    expect(told[2]!.seq).toBeGreaterThan(told[1]!.seq + 1);
    expect(await read<Event[]>(`/event?after=${told[2]!.seq - 1}`)).toEqual(told.slice(2));
  });

  test("can be listed even if the object is reset during the call", async () => {
    const hook = await create();
    const real = WebhookEndpoint.prototype.deliveries;
    const resets = vi.spyOn(WebhookEndpoint.prototype, "deliveries").mockImplementationOnce(function (
      this: WebhookEndpoint,
      ...page
    ) {
      (this as unknown as { readonly ctx: DurableObjectState }).ctx.abort("reset by a test");
      return real.apply(this, page);
    });
    expect(await deliveries(hook.webhook_uuid)).toEqual([]);
    expect(resets).toHaveBeenCalledTimes(2);
  });
});

describe("replay, test and rotation", () => {
  test("send events again, all of a range or only those that were given up", async () => {
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await mint();
    await sent(hook.webhook_uuid, 2);
    const [first, second] = eventsOf(received) as [Event, Event];
    expect(
      (await post(`/webhook/${hook.webhook_uuid}/replay`, { after: first.seq - 1, before: second.seq }))
        .status,
    ).toBe(204);
    await sent(hook.webhook_uuid, 3);
    await ring(hook.webhook_uuid);
    expect(eventsOf(received)).toEqual([first, second, first]);
    const failed = { after: 0, only_failed: true };
    expect((await post(`/webhook/${hook.webhook_uuid}/replay`, failed)).status).toBe(204);
    await ring(hook.webhook_uuid);
    expect(received).toHaveLength(3);
  });

  test("send the given-up events of a range again, without the event that ends it", async () => {
    const hook = await create({ types: ["nft.minted"] });
    for (let times = 0; times < 3; times++) await mint();
    await sent(hook.webhook_uuid, 3);
    const [first, second, third] = eventsOf(received) as [Event, Event, Event];
    const failed = (...add: readonly Event[]) =>
      runInDurableObject(env.WEBHOOK.getByName(hook.webhook_uuid), (_, { storage: { sql } }) => {
        for (const { seq } of add) sql.exec("INSERT INTO failed VALUES (?)", seq);
        return sql.exec("SELECT seq FROM failed ORDER BY seq").toArray();
      });
    await failed(first, second, third);
    const replay = async (after: Event, before?: Event) => {
      const json = { after: after.seq, ...(before && { before: before.seq }), only_failed: true };
      expect((await post(`/webhook/${hook.webhook_uuid}/replay`, json)).status).toBe(204);
    };
    await replay(first, third);
    expect(await failed()).toEqual([{ seq: first.seq }, { seq: third.seq }]);
    await sent(hook.webhook_uuid, 4);
    await ring(hook.webhook_uuid);
    expect(eventsOf(received).slice(3)).toEqual([second]);
    await replay(first);
    await sent(hook.webhook_uuid, 5);
    await ring(hook.webhook_uuid);
    expect(eventsOf(received).slice(4)).toEqual([third]);
  });

  test("are carried out once for an Idempotency-Key, also if the first answer is lost", async () => {
    const hook = await create({ types: ["nft.minted"] });
    await mint();
    await mint();
    await sent(hook.webhook_uuid, 2);
    const [first, second] = eventsOf(received) as [Event, Event];
    const path = `/webhook/${hook.webhook_uuid}`;
    const keyed = (key: string, json?: object) => {
      return { key: shop.key, method: "POST", json, headers: { "idempotency-key": key } };
    };
    const one = keyed("replay", { after: first.seq - 1, before: second.seq });
    const DB = failingD1((sql) => (sql.includes('insert into "idempotency_keys"') ? "before" : null));
    await bodyOf((await apiWith({ DB }, `${path}/replay`, one)).response, 503);
    for (const replayed of [null, "true"]) {
      const answer = await api(`${path}/replay`, one);
      expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([204, replayed]);
    }
    await bodyOf(await api(`${path}/replay`, keyed("replay", { after: second.seq })), 422);
    // Behind any that was carried out again.
    const after = { after: second.seq - 1, before: second.seq + 1 };
    expect((await api(`${path}/replay`, keyed("next", after))).status).toBe(204);
    await sent(hook.webhook_uuid, 4);
    expect(eventsOf(received)).toEqual([first, second, first, second]);

    const tried = await bodyOf<Delivery>(await uncounted(`${path}/test`, keyed("test")), 200);
    expect(await bodyOf<Delivery>(await uncounted(`${path}/test`, keyed("test")), 200)).toEqual(tried);
    expect(received).toHaveLength(5);
  });

  test("are limited to ten replays at a time, and what was accepted is sent", async () => {
    const hook = await create({ types: ["nft.minted"] });
    const held = Promise.withResolvers<Response>();
    answers.push(() => held.promise);
    await mint();
    const first = sent(hook.webhook_uuid, 1);
    await eventually(() => expect(received).toHaveLength(1));
    const { seq } = eventsOf(received)[0]!;
    const replay = () => post(`/webhook/${hook.webhook_uuid}/replay`, { after: seq - 1, before: seq + 1 });
    expect(await statusesOf(Array.from({ length: 10 }, () => replay()))).toEqual({ 204: 10 });
    const refused = await bodyOf<{ message: string }>(await replay(), 429);
    expect(refused).toMatchObject({ code: "rate_limited", retryable: true });
    expect(refused.message).toMatch(/^10 replays of this webhook are in progress\./);
    held.resolve(new Response(null, { status: 204 }));
    await first;
    await sent(hook.webhook_uuid, 11);
    expect((await replay()).status).toBe(204);
    await sent(hook.webhook_uuid, 12);
  });

  test("send a test at once, and return its result", async () => {
    answers.push(() => new Response("x".repeat(1_000), { status: 404 }));
    const hook = await create();
    const attempt = await bodyOf<Delivery>(await post(`/webhook/${hook.webhook_uuid}/test`), 200);
    expect(attempt).toMatchObject({ seq: 0, type: "webhook.test", status: 404, response: "x".repeat(256) });
    const event = new Webhook(hook.secret).verify(received[0]!.body, received[0]!.headers);
    const document = await readDocument();
    const { schema } = document.webhooks["webhook.test"]!.post!.requestBody!.content["application/json"]!;
    expect(problemsOf(document, schema!, event)).toEqual([]);
    expect(event).toMatchObject({ data: { webhook_uuid: hook.webhook_uuid } });
  });

  test("send one test at a time to an endpoint, and few for an integration", async () => {
    // So that no period ends meanwhile, even on a slow machine.
    vi.setSystemTime(Date.now());
    const { key } = await newTenant();
    const make = async () => {
      const made = await api("/webhook", { key, json: { url: "https://hooks.example.com/a" } });
      return (await bodyOf<Hook>(made, 201)).webhook_uuid;
    };
    const test = (uuid: string) => post(`/webhook/${uuid}/test`, undefined, key);
    const [one, other] = [await make(), await make()];
    const held = Promise.withResolvers<Response>();
    answers.push(() => held.promise);
    const first = test(one);
    await eventually(() => expect(received).toHaveLength(1));
    const meanwhile = await test(one);
    expect(meanwhile.headers.get("retry-after")).toBe("15");
    expect(await bodyOf(meanwhile, 429)).toMatchObject({ code: "rate_limited", retryable: true });
    await bodyOf(await test(other), 200);
    held.resolve(new Response(null, { status: 204 }));
    expect(await bodyOf(await first, 200)).toMatchObject({ status: 204 });

    const statuses = await statusesOf(Array.from({ length: 20 }, () => test(crypto.randomUUID())));
    expect(statuses).toEqual({ 404: 20 });
    const rest: number[] = [];
    for (let sent = 0; sent < 5; sent++) {
      // A webhook that is made anew has no tests of its own.
      const answer = await test(await make());
      rest.push(answer.status);
      if (answer.status === 429) expect(answer.headers.get("retry-after")).toMatch(/^([1-9]|10)$/);
      await answer.body?.cancel();
    }
    expect(rest).toEqual([200, 200, 429, 429, 429]);
    expect(received).toHaveLength(4);
  });

  test("return a conflict to one of two simultaneous rotations", async () => {
    const hook = await create({ types: ["nft.minted"] });
    // Both have read the endpoint before either seals its secret.
    const both = Promise.withResolvers<void>();
    let sealing = 0;
    const real = crypto.subtle.encrypt.bind(crypto.subtle);
    vi.spyOn(crypto.subtle, "encrypt").mockImplementation(async (...input) => {
      sealing += 1;
      if (sealing === 2) both.resolve();
      await both.promise;
      return real(...input);
    });
    const answers = await Promise.all([1, 2].map(() => post(`/webhook/${hook.webhook_uuid}/rotate`)));
    const [rotated, refused] = answers.sort((one, other) => one.status - other.status);
    const { secret } = await bodyOf<Hook>(rotated!, 200);
    expect(await bodyOf(refused!, 409)).toMatchObject({ code: "conflict" });
    await post(`/webhook/${hook.webhook_uuid}/test`);
    const [{ body, headers }] = received as [Received];
    for (const signing of [hook.secret, secret]) new Webhook(signing).verify(body, headers);
  });

  test("sign with the old and the new secret after a rotation", async () => {
    const hook = await create();
    const rotated = await bodyOf<Hook>(await post(`/webhook/${hook.webhook_uuid}/rotate`), 200);
    expect(rotated.secret).not.toBe(hook.secret);
    await bodyOf(await post(`/webhook/${hook.webhook_uuid}/test`), 200);
    const { body, headers } = received[0]!;
    for (const { secret } of [hook, rotated]) new Webhook(secret).verify(body, headers);
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  });

  test("sign with the old secret for a day after a rotation, and not longer", async () => {
    const hook = await create();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const rotated = await bodyOf<Hook>(await post(`/webhook/${hook.webhook_uuid}/rotate`), 200);
    const until = Date.now() + 24 * 3_600_000;
    for (const [moment, secrets] of [
      [until - 1, [hook.secret, rotated.secret]],
      [until, [rotated.secret]],
    ] as const) {
      vi.setSystemTime(moment);
      received.length = 0;
      await bodyOf(await post(`/webhook/${hook.webhook_uuid}/test`), 200);
      const { body, headers } = received[0]!;
      expect(headers["webhook-signature"]?.split(" ")).toHaveLength(secrets.length);
      for (const secret of secrets) new Webhook(secret).verify(body, headers);
    }
  });
});

describe("webhooks", () => {
  test("are created, read, listed, changed and deleted, and their secret is shown once", async () => {
    const { secret, ...hook } = await create({ description: "Orders" });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await read(`/webhook/${hook.webhook_uuid}`)).toEqual(hook);
    expect(await read("/webhook")).toEqual([hook]);
    const changed = await bodyOf(
      await put(hook.webhook_uuid, { types: ["wallet.low"], description: null }),
      200,
    );
    expect(changed).toMatchObject({ types: ["wallet.low"], description: null, url: hook.url });
    // Inside: no request shows that secrets are kept sealed.
    const { results } = await env.DB.prepare("SELECT * FROM webhooks").all();
    const bytes = Buffer.from(secret.slice("whsec_".length), "base64");
    expect(JSON.stringify(results)).not.toContain(JSON.stringify([...bytes]).slice(1, -1));
    expect((await api(`/webhook/${hook.webhook_uuid}`, { key: shop.key, method: "DELETE" })).status).toBe(
      204,
    );
    await bodyOf(await api(`/webhook/${hook.webhook_uuid}`, { key: shop.key }), 404);
    await mint();
    await ring(hook.webhook_uuid);
    expect(received).toEqual([]);
  });

  describe("leave no attempts in their object", () => {
    const failedOnce = async (key: string) => {
      answers.push(() => new Response("a name", { status: 500, headers: { "retry-after": "600" } }));
      const json = { url: "https://hooks.example.com/a", types: ["key.created"] };
      const { webhook_uuid: uuid } = await bodyOf<Hook>(await api("/webhook", { key, json }), 201);
      await bodyOf(await api("/key", { key, json: { name: "till", scopes: ["read"] } }), 201);
      await sent(uuid, 1);
      return uuid;
    };
    const attempts = (uuid: string) =>
      // Inside: no request shows what is left of a deleted endpoint.
      runInDurableObject(env.WEBHOOK.getByName(uuid), (_, { storage: { sql } }) =>
        sql.exec("SELECT excerpt FROM attempts UNION ALL SELECT seq FROM retries").toArray(),
      );

    test("if their integration is deleted", async () => {
      const { key, integrationUuid } = await createIntegration("Closing shop");
      const uuid = await failedOnce(key);
      expect(await attempts(uuid)).toHaveLength(2);
      const path = `/integration/${integrationUuid}`;
      await bodyOf(await admin(path, { method: "PUT", json: { suspended: true } }), 200);
      await bodyOf(await admin(`${path}?leave_funds=true`, { method: "DELETE" }), 200);
      await background.reconcile();
      expect(await attempts(uuid)).toEqual([]);
    });

    test("if the call that deletes them fails once they are deleted", async () => {
      const uuid = await failedOnce(shop.key);
      const forget = vi.spyOn(WebhookEndpoint.prototype, "forget").mockRejectedValue(new Error("reset"));
      await (await api(`/webhook/${uuid}`, { key: shop.key, method: "DELETE" })).body?.cancel();
      forget.mockRestore();
      await bodyOf(await api(`/webhook/${uuid}`, { key: shop.key }), 404);
      expect(await attempts(uuid)).toHaveLength(2);
      await ring(uuid);
      expect(await attempts(uuid)).toEqual([]);
    });
  });

  test("have a secret that a repeated request gets again, and that is stored only sealed", async () => {
    const json = { url: "https://hooks.example.com/a" };
    const repeat = async (path: string, key: string, body?: object) => {
      const request = { key: shop.key, method: "POST", json: body, headers: { "idempotency-key": key } };
      const first = await (await api(path, request)).text();
      const second = await api(path, request);
      expect(second.headers.get("idempotency-replayed")).toBe("true");
      expect(await second.text()).toBe(first);
      return JSON.parse(first) as Hook;
    };
    const made = await repeat("/webhook", "made", json);
    const rotated = await repeat(`/webhook/${made.webhook_uuid}/rotate`, "rotated");
    expect(rotated.secret).not.toBe(made.secret);
    const kept = JSON.stringify((await env.DB.prepare("SELECT * FROM idempotency_keys").all()).results);
    expect(kept).toContain("sealed:1:");
    for (const { secret } of [made, rotated]) expect(kept).not.toContain(secret.slice(6));
    expect(await read<Hook[]>("/webhook")).toHaveLength(1);
  });

  test("can be at most twenty", async () => {
    for (let left = 20; left > 0; left--) await create();
    const json = { url: "https://hooks.example.com/a" };
    expect(await bodyOf(await post("/webhook", json), 409)).toMatchObject({ code: "conflict" });
  });

  test.each([
    "http://hooks.example.com/",
    "https://hooks.example.com:8443/",
    "https://user:password@hooks.example.com/",
    "https://10.0.0.1/",
    "https://[::1]/",
    "https://metadata.google.internal/",
    "http://mintage.test/api/v1/collection",
    "file:///etc/passwd",
    "https:\\\\hooks.example.com\\",
    " https://hooks.example.com/",
    "https://hooks.example.com/\n",
    "https://hooks.example.com/\ud800",
    "nowhere",
  ])("can't be at %j", async (url) => {
    expect(await bodyOf(await post("/webhook", { url }), 400)).toMatchObject({ issues: [{ path: ["url"] }] });
    const hook = await create();
    const refused = await bodyOf(await put(hook.webhook_uuid, { url }), 400);
    expect(refused).toMatchObject({ issues: [{ path: ["url"] }] });
  });

  test("are refused with invalid fields, by their names", async () => {
    for (const [more, path] of [
      [{ types: [] }, "types"],
      [{ types: ["nft.melted"] }, "types"],
      [{ secret: "whsec_" }, "secret"],
      [{ description: "x".repeat(257) }, "description"],
    ] as const) {
      const json = { url: "https://hooks.example.com/a", ...more };
      const refused = await bodyOf<{ issues: { path: unknown[] }[] }>(await post("/webhook", json), 400);
      expect(refused.issues[0]?.path[0], JSON.stringify(more)).toBe(path);
    }
  });

  test("are the integration's own, and may only be read with a read key", async () => {
    const { webhook_uuid: uuid } = await create();
    await bodyOf(await api(`/webhook/${uuid}`, { key: shop.readKey }), 200);
    await bodyOf(await put(uuid, { enabled: false }, shop.readKey), 403);
    await bodyOf(await post(`/webhook/${uuid}/test`, undefined, shop.readKey), 403);
    for (const path of ["", "/delivery"]) {
      await bodyOf(await api(`/webhook/${uuid}${path}`, { key: stranger.key }), 404);
    }
    await bodyOf(await put(uuid, { url: "https://hooks.example.com/mine" }, stranger.key), 404);
    await bodyOf(await post(`/webhook/${uuid}/rotate`, undefined, stranger.key), 404);
    await bodyOf(await post(`/webhook/${uuid}/test`, undefined, stranger.key), 404);
    await bodyOf(await post(`/webhook/${uuid}/replay`, { after: 0 }, stranger.key), 404);
    expect((await api(`/webhook/${uuid}`, { key: stranger.key, method: "DELETE" })).status).toBe(404);
    expect(await bodyOf(await api("/webhook", { key: stranger.key }), 200)).toEqual([]);
    expect(received).toEqual([]);
  });
});

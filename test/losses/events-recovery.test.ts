import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
// Inside: events in many rows, of which a request would make each with a mint.
import { openDatabase } from "../../src/db/client.ts";
import { ledgerOf } from "../../src/db/ledger.ts";
import { insertEvents } from "../../src/db/queries/events.ts";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { background } from "../support/operations.ts";
import { pay } from "../support/payments.ts";
import { recoverDatabase } from "../support/recovery.ts";

interface Event {
  readonly seq: number;
  readonly event_uuid: string;
  readonly type: string;
  readonly data: { readonly token_id?: string };
}

let shop: TestIntegration;
let collection: string;
let receiver: string;
const delivered: Event[] = [];

beforeEach(async () => {
  shop = await createIntegration("Taken back");
  collection = (await createCollection(shop, { copies: [100] })).collection_uuid;
  [receiver] = (await createReceivers(1)) as [string];
  delivered.length = 0;
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.startsWith("https://hooks.example.com")) return real(input, init);
    delivered.push(JSON.parse(String(init?.body)) as Event);
    return new Response();
  });
});
afterEach(() => vi.restoreAllMocks());

const list = async (query = "") => bodyOf<Event[]>(await api(`/event${query}`, { key: shop.key }), 200);
const lastSeq = async () => (await list()).at(-1)!.seq;
const mint = async () => {
  const json = { receiver_addresses: [receiver] };
  const answer = await api(`/collection/${collection}/mint`, { key: shop.key, json });
  const { tokens } = await bodyOf<{ tokens: { token_id: string }[] }>(answer, 201);
  return tokens[0]!.token_id;
};
const tokensOf = (told: readonly Event[]) => told.flatMap(({ data }) => data.token_id ?? []);
const settled = async (uuid: string, count: number) => {
  while (delivered.length < count) {
    await runDurableObjectAlarm(env.WEBHOOK.getByName(uuid));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

test("after a recovery event numbers aren't reused, and a reader with an old number misses nothing", async () => {
  const snapshot = await takeSnapshot();
  const lost = [await mint(), await mint()];
  const held = await lastSeq();
  const before = await list();
  await goBack(snapshot);
  const answer = await api(`/event?after=${held}`, { key: shop.key });
  expect(await bodyOf(answer, 409)).toMatchObject({
    code: "conflict",
    message: `There is no event ${held}: the last one is ${held - 4}. Continue with after=${held - 4}.`,
  });
  const stream = { key: shop.key, headers: { accept: "text/event-stream", "last-event-id": String(held) } };
  await bodyOf(await api("/event", stream), 409);
  await recoverDatabase();
  const later = await mint();
  // What was put back is told again, under other numbers and ids; what is new follows.
  const told = await list(`?after=${held}`);
  expect(tokensOf(told)).toEqual([...lost, later]);
  expect(told.map(({ seq }) => seq)).toEqual(told.map((_, index) => 1_000_000_001 + index));
  const ids = new Set(before.map(({ event_uuid }) => event_uuid));
  expect(told.filter(({ event_uuid }) => ids.has(event_uuid))).toEqual([]);
  const end = await lastSeq();
  await recoverDatabase();
  expect(await lastSeq()).toBe(end);
});

test("a second recovery continues in the next generation of numbers", async () => {
  const snapshot = await takeSnapshot();
  await mint();
  for (const generation of [1, 2]) {
    await goBack(snapshot);
    await recoverDatabase();
    const first = (await list(`?after=${(await list()).findLast(({ seq }) => seq < 1e9)!.seq}`))[0];
    expect(first?.seq).toBe(generation * 1_000_000_000 + 1);
  }
});

test("an endpoint that received lost events is sent all later events, from before and after the recovery", async () => {
  const json = { url: "https://hooks.example.com/a" };
  const { webhook_uuid: uuid } = await bodyOf<{ webhook_uuid: string }>(
    await api("/webhook", { key: shop.key, json }),
    201,
  );
  const sent = await mint();
  await settled(uuid, 2);
  await background.reconcile();
  const snapshot = await takeSnapshot();
  const lost = await mint();
  await settled(uuid, 4);
  const held = await lastSeq();
  await goBack(snapshot);
  // The scheduled job tells of money under a number that the endpoint was sent with a mint.
  await pay("platform", shop.walletAccountId, 10n ** 24n);
  await background.reconcile();
  await settled(uuid, 5);
  expect(delivered[4]).toMatchObject({ type: "wallet.topped_up", seq: held - 1 });
  await recoverDatabase();
  const later = await mint();
  await settled(uuid, 9);
  expect(tokensOf(delivered)).toEqual([sent, lost, lost, later]);
  expect(delivered.slice(5).every(({ seq }) => seq > held)).toBe(true);
});

/**
 * An endpoint that was sent a mint that the database has lost, and sleeps. What it was sent is forgotten.
 * @param rows events, a row each, that it was sent before and that are kept
 * @returns the last number that it was sent
 */
const sentWhatIsLost = async (rows = 0) => {
  const json = { url: "https://hooks.example.com/a" };
  const made = await api("/webhook", { key: shop.key, json });
  const { webhook_uuid: uuid } = await bodyOf<{ webhook_uuid: string }>(made, 201);
  const integrationId = shop.integrationUuid as Uuid;
  // Inside: events in many rows, and one that is told between two statements.
  const ledger = ledgerOf({ db: openDatabase(env.DB) }, integrationId);
  const row = { integrationId, runs: [["wallet.low", 1]], data: {}, at: new Date() } as const;
  for (let count = 0; count < rows; count++) await ledger.batch([insertEvents(ledger, row, sql`1`)]);
  await mint();
  await settled(uuid, rows + 2);
  await background.reconcile();
  const snapshot = await takeSnapshot();
  await mint();
  await settled(uuid, rows + 4);
  const held = await lastSeq();
  await goBack(snapshot);
  await enable(uuid, false);
  delivered.length = 0;
  return { uuid, held };
};
const enable = async (uuid: string, enabled: boolean) =>
  bodyOf(await api(`/webhook/${uuid}`, { key: shop.key, method: "PUT", json: { enabled } }), 200);
const topUp = async () => {
  await pay("platform", shop.walletAccountId, 10n ** 24n);
  await background.reconcile();
};
const idsOf = (told: readonly Event[]) => told.map(({ event_uuid: id }) => id).sort();

test("an endpoint that resumes after the recovery is sent earlier events with reused numbers", async () => {
  const { uuid, held } = await sentWhatIsLost();
  await topUp();
  expect((await list()).at(-1)).toMatchObject({ type: "wallet.topped_up", seq: held - 1 });
  await recoverDatabase();
  await enable(uuid, true);
  await mint();
  await settled(uuid, 5);
  expect(idsOf(delivered)).toEqual(idsOf(await list(`?after=${held - 2}`)));
});

test("an endpoint that resumes after more events than were lost is sent all of them", async () => {
  const { uuid, held } = await sentWhatIsLost();
  for (let round = 0; round < 3; round++) await topUp();
  expect(await lastSeq()).toBe(held + 1);
  await enable(uuid, true);
  await settled(uuid, 3);
  expect(idsOf(delivered)).toEqual(idsOf(await list(`?after=${held - 2}`)));
});

test("an endpoint finds events with reused numbers beyond the rows of one read", async () => {
  const { uuid, held } = await sentWhatIsLost(60);
  await topUp();
  await enable(uuid, true);
  await settled(uuid, 1);
  expect(delivered).toMatchObject([{ type: "wallet.topped_up", seq: held - 1 }]);
});

test("an endpoint is sent new events while it searches for missed ones", async () => {
  const { uuid, held } = await sentWhatIsLost(1);
  // Right before the numbers are raised above the endpoint's, another event takes one of them.
  const same = "integration_id, count, runs, sold_out, operation_id, collection_id, minted, data, created_at";
  const trigger = `CREATE TRIGGER told_meanwhile BEFORE INSERT ON events WHEN NEW.runs = '[]' BEGIN
    INSERT INTO events (seq, id, ${same}) SELECT ${held - 1}, X'${newUuid().replaceAll("-", "")}', ${same}
      FROM events WHERE integration_id = NEW.integration_id AND runs LIKE '%wallet.low%'; END`;
  await env.DB.exec(trigger.replaceAll(/\s+/g, " "));
  await enable(uuid, true);
  await settled(uuid, 1);
  await env.DB.exec("DROP TRIGGER told_meanwhile");
  expect(delivered).toMatchObject([{ type: "wallet.low", seq: held - 1 }]);
});

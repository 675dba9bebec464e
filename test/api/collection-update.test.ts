import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/db/client.ts";
import { changeSettings } from "../../src/db/queries/collection-effects.ts";
import { newUuid, type Uuid, uuidToBytes } from "../../src/domain/ids.ts";
import { walletOf } from "../../src/wallet/client.ts";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { collectionOnChain, createCollection, type Finalized } from "../support/collections.ts";
import { background, killedAt, operationOver } from "../support/operations.ts";
import { watched } from "../support/trips.ts";

let integration: TestIntegration;
let collection: Finalized;

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration, {
    settings: { description: "At dusk", public_mint_config: { mint_fee: "0" } },
  });
});

const update = (json: unknown, headers: Record<string, string> = {}) =>
  api(`/collection/${collection.collection_uuid}`, { key: integration.key, method: "PUT", json, headers });

const onChain = () => collectionOnChain<Record<string, unknown>>(integration, collection);

const read = async () =>
  bodyOf<Record<string, unknown>>(
    await api(`/collection/${collection.collection_uuid}`, { key: integration.key }),
    200,
  );

test("what is given changes on the chain and in the answer; null clears; the rest stays", async () => {
  const body = await bodyOf<Record<string, unknown>>(
    await update({
      title: "Herons at dawn",
      public_mint_config: null,
      private_mint_config: { mint_fee: "3000000000000000000000", ends_at: "2031-02-03T04:05:06Z" },
      initial_royalties: { [integration.walletAccountId]: 1.25 },
      allow_transfers: false,
      approvals_denied_accounts: ["market.near"],
    }),
    200,
  );
  expect(body).toMatchObject({
    collection_uuid: collection.collection_uuid,
    title: "Herons at dawn",
    description: "At dusk",
    public_mint_config: null,
    private_mint_config: { mint_fee: "3000000000000000000000", ends_at: "2031-02-03T04:05:06.000Z" },
    allow_transfers: false,
  });
  expect(await read()).toEqual(body);
  expect(await onChain()).toMatchObject({
    title: "Herons at dawn",
    description: "At dusk",
    public_mint_config: null,
    private_mint_config: { ends_at_ms: Date.parse("2031-02-03T04:05:06Z") },
    initial_royalties: { [integration.walletAccountId]: 125 },
    allow_transfers: false,
    approvals_denied_accounts: ["market.near"],
  });
});

test("updates at once end alike here and on the chain", async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      update({ title: `Herons ${index}`, description: index % 2 ? null : `No. ${index}` }),
    ),
  );
  for (const answer of answers) await bodyOf(answer, 200);
  const { title, description } = await onChain();
  expect(await read()).toMatchObject({ title, description: description ?? null });
});

test("an update that is accepted later has the last word, though the first was broken off", async () => {
  await bodyOf(await killedAt("operation.accepted", () => update({ title: "Accepted first" })), 500);
  // The second waits for the first, which the schedule resumes.
  const second = update({ title: "Accepted second" });
  await background.reconcile(60_000);
  expect(await bodyOf(await second, 200)).toMatchObject({ title: "Accepted second" });
  expect(await read()).toMatchObject({ title: "Accepted second" });
  expect(await onChain()).toMatchObject({ title: "Accepted second" });
});

test("whoever is late to write an update that is over changes nothing", async () => {
  const accepted = await update({ title: "Written once" }, { prefer: "respond-async" });
  const { operation_uuid } = await bodyOf<{ operation_uuid: Uuid }>(accepted, 202);
  await operationOver(integration.key, operation_uuid);
  await bodyOf(await update({ title: "Written later" }), 200);
  // Two processes may drive one operation. This is the slower one's write.
  const db = openDatabase(env.DB);
  const uuid = collection.collection_uuid as Uuid;
  await db.batch([
    changeSettings(db, uuid, { title: "Written once" }, { operationId: operation_uuid, now: new Date() }),
  ]);
  expect(await read()).toMatchObject({ title: "Written later" });
});

test("an update whose request has gone follows as soon as the one before it is over", async () => {
  for (const title of ["Left first", "Left second", "Left third"]) {
    await bodyOf(await killedAt("operation.accepted", () => update({ title })), 500);
  }
  const { results } = await env.DB.prepare(
    "SELECT lower(hex(id)) AS id FROM operations WHERE state = 'pending' ORDER BY rowid",
  ).all<{ id: string }>();
  const uuids = results.map(({ id }) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
  expect(uuids).toHaveLength(3);
  // Only the first is resumed, and the schedule doesn't run.
  await background.resume(uuids[0]!);
  for (const uuid of uuids) {
    expect(await operationOver(integration.key, uuid)).toMatchObject({ state: "succeeded" });
  }
  expect(await onChain()).toMatchObject({ title: "Left third" });
});

/** Updates of a collection through a database whose trips are noted. */
const watchedUpdates = ({ collection_uuid: uuid }: Finalized, before?: (sql: string) => Promise<unknown>) => {
  const { send, ...rest } = watched(before);
  const update = (json: object) => send(`/collection/${uuid}`, { key: integration.key, method: "PUT", json });
  return { ...rest, send: update };
};

const ENDS = /update "operations" set .*"answer_body"/;

test("is two trips to the database: its acceptance and its end", async () => {
  const { send, trips, over } = watchedUpdates(collection);
  await bodyOf(await send({ title: "Counted first" }), 200);
  await over();
  trips.length = 0;
  const answer = await send({ title: "Counted" });
  expect(trips).toEqual([expect.stringMatching(/insert into "operations"/), expect.stringMatching(ENDS)]);
  expect(await bodyOf(answer, 200)).toEqual(await read());
});

test.each([
  ["minted = minted + 1", { minted: 1 }],
  ["pin_state = 'failed'", { pin_state: "failed" }],
  [
    `settings = json_set(settings, '$.description', 'By comparison'), updated_at = updated_at + 1`,
    { description: "By comparison" },
  ],
])("answers with what changed while it was on its way: %s", async (change, shown) => {
  const own = await createCollection(integration, { copies: [3] });
  let ends = 0;
  const { send, trips } = watchedUpdates(own, async (sql) => {
    if (!ENDS.test(sql) || ++ends > 1) return;
    await env.DB.prepare(`UPDATE collections SET ${change} WHERE id = ?`)
      .bind(uuidToBytes(own.collection_uuid as Uuid))
      .run();
  });
  const body = await bodyOf(await send({ title: "Told late" }), 200);
  expect(body).toMatchObject({ title: "Told late", ...shown });
  expect(ends).toBe(2);
  expect(trips.filter((sql) => ENDS.test(sql))).toHaveLength(2);
  expect(body).toEqual(
    await bodyOf(await api(`/collection/${own.collection_uuid}`, { key: integration.key }), 200),
  );
  const told = await bodyOf<{ type: string; data: object }[]>(
    await api("/event?type=collection.updated", { key: integration.key }),
    200,
  );
  const about = told.filter(({ data }) => JSON.stringify(data).includes(own.collection_uuid));
  expect(about.map(({ data }) => data)).toEqual([body]);
});

test("an update that waits asks when the one before has ended, and seldom until then", async () => {
  await bodyOf(await killedAt("operation.accepted", () => update({ title: "Stands still" })), 500);
  const { send, trips } = watchedUpdates(collection);
  const waiting = send({ title: "Waited" });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  // Where the collection is, its acceptance; and a look after a second.
  expect(trips.length).toBeLessThan(5);
  await background.reconcile(60_000);
  expect(await bodyOf(await waiting, 200)).toMatchObject({ title: "Waited" });
  expect(await onChain()).toMatchObject({ title: "Waited" });
});

test("a wallet tells who waits that an operation is acknowledged, at once or when it is", async () => {
  const wallet = walletOf(env, integration.integrationUuid as Uuid);
  const unknown = newUuid();
  expect(await wallet.acknowledged(unknown, 1)).toBe(false);
  let told: boolean | undefined;
  const waiting = wallet.acknowledged(unknown, 600_000).then((answer) => {
    told = answer;
  });
  // Calls may overtake each other on their way to the object.
  for (let tries = 0; told === undefined && tries < 200; tries += 1) {
    await wallet.acknowledgeAll([{ operationUuid: unknown }]);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(told).toBe(true);
  await waiting;
  const { headers } = await update({ title: "Acknowledged" });
  const uuid = headers.get("x-operation-uuid") as Uuid;
  expect(await wallet.acknowledged(uuid, 600_000)).toBe(true);
  expect(await wallet.acknowledged(uuid, 600_000)).toBe(true);
});

test("royalties for an account that doesn't exist are refused by name", async () => {
  const before = await onChain();
  expect(await bodyOf(await update({ ongoing_royalties: { "nobody.test": 1 } }), 400)).toMatchObject({
    code: "unknown_account",
    issues: [{ path: ["ongoing_royalties", "nobody.test"] }],
  });
  expect(await onChain()).toEqual(before);
});

test("nothing to change changes nothing", async () => {
  const before = await read();
  expect(await bodyOf(await update({}), 200)).toEqual(before);
});

test("a collection whose list of accounts is full changes like any other", async () => {
  const accounts = Array.from({ length: 1_000 }, (_, n) => `collector-${String(n).padStart(4, "0")}.near`);
  const full = await createCollection(integration, { settings: { transfers_denied_accounts: accounts } });
  for (const json of [{ title: "Other" }, { transfers_denied_accounts: accounts.toReversed() }]) {
    const path = `/collection/${full.collection_uuid}`;
    const answer = await api(path, { key: integration.key, method: "PUT", json });
    expect(await bodyOf<Record<string, unknown>>(answer, 200)).toMatchObject(json);
  }
});

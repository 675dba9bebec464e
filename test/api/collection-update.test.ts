import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/db/client.ts";
import { changeSettings } from "../../src/db/queries/collection-effects.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { collectionOnChain, createCollection, type Finalized } from "../support/collections.ts";
import { background, killedAt, operationOver } from "../support/operations.ts";

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

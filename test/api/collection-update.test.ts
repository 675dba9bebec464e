import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
// Inside: a write that another process does late, and the wallet's acknowledgement of an operation.
import { openDatabase } from "../../src/db/client.ts";
import { changeSettings } from "../../src/db/queries/collection-effects.ts";
import { type Uuid, uuidToBytes } from "../../src/domain/ids.ts";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { collectionOnChain, createCollection, type Finalized } from "../support/collections.ts";
import { background, killedAt, operationOver } from "../support/operations.ts";
import { watched } from "../support/trips.ts";
import { endObject } from "../support/wallets.ts";

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
  // Inside: a write of another process between two of a request.
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
  const pending = await api("/operation?state=pending", { key: integration.key });
  const uuids = (await bodyOf<{ operation_uuid: string }[]>(pending, 200))
    .map(({ operation_uuid }) => operation_uuid)
    .toReversed();
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
  const { send, ...rest } = watched(integration.integrationUuid, before);
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
  const by = { operation_uuid: expect.any(String), reference: null };
  expect(about.map(({ data }) => data)).toEqual([{ ...(body as object), ...by }]);
});

test("an update first has the one before it carried out, whose request has gone", async () => {
  await bodyOf(await killedAt("operation.accepted", () => update({ title: "Left behind" })), 500);
  expect(await bodyOf(await update({ title: "Waited" }), 200)).toMatchObject({ title: "Waited" });
  expect(await onChain()).toMatchObject({ title: "Waited" });
  expect(await bodyOf(await api("/operation?state=pending", { key: integration.key }), 200)).toEqual([]);
});

test("an update seldom asks the database for one before it that can't be carried out yet", async () => {
  await bodyOf(await killedAt("operation.accepted", () => update({ title: "Stands still" })), 500);
  await endObject(integration.integrationUuid);
  await setFaults({ kind: "down" });
  const { send, trips } = watchedUpdates(collection);
  const waiting = send({ title: "Waited" });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  // Where the collection is, its acceptance; the one before; and a few looks.
  expect(trips.length).toBeLessThan(8);
  await setFaults();
  expect(await bodyOf(await waiting, 200)).toMatchObject({ title: "Waited" });
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

describe("a mint config", () => {
  const WEEK = { starts_at: "2031-01-01T00:00:00.000Z", ends_at: "2031-01-08T00:00:00.000Z" };
  const WHOLE = { mint_fee: "1000000000000000000000000", ...WEEK, limit_per_account: 3 };
  let own: Finalized;

  beforeEach(async () => {
    own = await createCollection(integration, { settings: { public_mint_config: WHOLE } });
  });

  const path = () => `/collection/${own.collection_uuid}`;
  const put = (json: object, key = integration.key) => api(path(), { key, method: "PUT", json });
  const kept = async () => {
    const shown = await bodyOf<Record<string, unknown>>(await api(path(), { key: integration.key }), 200);
    const chain = await collectionOnChain<Record<string, unknown>>(integration, own);
    return { shown: shown.public_mint_config, chain: chain.public_mint_config };
  };
  const both = (config: typeof WHOLE | Record<string, unknown>) => {
    const { starts_at, ends_at, ...rest } = { ...WHOLE, ...config };
    const ms = (time: string | null) => time && Date.parse(time);
    return {
      shown: { starts_at, ends_at, ...rest },
      chain: {
        ...rest,
        starts_at_ms: ms(starts_at),
        ends_at_ms: ms(ends_at),
        currency: null,
        supply: null,
        minted: 0,
      },
    };
  };

  test.each<Record<string, unknown>>([
    { mint_fee: "3000000000000000000000" },
    { limit_per_account: null },
    { ends_at: null, limit_per_account: 7 },
    { starts_at: "2031-01-02T00:00:00.000Z" },
    {},
  ])("changes by what is given of it alone: %j", async (change) => {
    const answer = await bodyOf<Record<string, unknown>>(await put({ public_mint_config: change }), 200);
    expect(answer.public_mint_config).toEqual(both(change).shown);
    expect(await kept()).toEqual(both(change));
  });

  test("changes at once lose nothing of each other", async () => {
    const changes = [{ mint_fee: "0" }, { limit_per_account: 9 }, { ends_at: null }];
    const answers = await Promise.all(changes.map((change) => put({ public_mint_config: change })));
    for (const answer of answers) await bodyOf(answer, 200);
    expect(await kept()).toEqual(both({ mint_fee: "0", limit_per_account: 9, ends_at: null }));
  });

  test("of an update that was broken off changes as the one before it has left it", async () => {
    for (const change of [{ mint_fee: "0" }, { limit_per_account: null }]) {
      await bodyOf(await killedAt("operation.accepted", () => put({ public_mint_config: change })), 500);
    }
    await background.reconcile(60_000);
    expect(await kept()).toEqual(both({ mint_fee: "0", limit_per_account: null }));
  });

  test("is ended by null, and begins with a price", async () => {
    await bodyOf(await put({ public_mint_config: null }), 200);
    const refused = await bodyOf(await put({ public_mint_config: { limit_per_account: 2 } }), 400);
    expect(refused).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["public_mint_config", "mint_fee"] }],
    });
    await bodyOf(await put({ public_mint_config: { mint_fee: "0" } }), 200);
    const { shown } = await kept();
    expect(shown).toEqual({ mint_fee: "0", starts_at: null, ends_at: null, limit_per_account: null });
  });

  test("that an update before it ends is refused by the chain, and stays ended", async () => {
    await bodyOf(await killedAt("operation.accepted", () => put({ public_mint_config: null })), 500);
    const late = put({ public_mint_config: { limit_per_account: 2 } });
    await background.reconcile(60_000);
    expect(await bodyOf(await late, 400)).toMatchObject({
      message: "mint_fee is missing.",
      outcome: "failed_on_chain",
    });
    expect(await kept()).toEqual({ shown: null, chain: null });
  });

  test("keeps its price, ends after it starts, and is nobody else's to change", async () => {
    for (const [config, field] of [
      [{ mint_fee: null }, "mint_fee"],
      [{ ends_at: "2030-12-31T00:00:00Z" }, "ends_at"],
      [{ starts_at: WEEK.ends_at }, "starts_at"],
      [{ price: "1" }, "price"],
    ] as const) {
      expect(await bodyOf(await put({ public_mint_config: config }), 400)).toMatchObject({
        issues: [{ path: ["public_mint_config", field] }],
      });
    }
    const other = await createIntegration();
    await bodyOf(await put({ public_mint_config: { mint_fee: "0" } }, other.key), 404);
    await bodyOf(await put({ public_mint_config: { mint_fee: "0" } }, integration.readKey), 403);
    expect(await kept()).toEqual(both({}));
  });

  test("is quoted as it will be", async () => {
    const ask = (body: object) =>
      api("/quote", { key: integration.key, json: { method: "PUT", path: path(), body } });
    const part = await bodyOf<{ cost: object }>(await ask({ public_mint_config: { mint_fee: "0" } }), 201);
    const whole = { ...WHOLE, mint_fee: "0" };
    expect(part.cost).toEqual(
      (await bodyOf<{ cost: object }>(await ask({ public_mint_config: whole }), 201)).cost,
    );
    const unset = await bodyOf(await ask({ private_mint_config: { limit_per_account: 1 } }), 400);
    expect(unset).toMatchObject({ issues: [{ path: ["body", "private_mint_config", "mint_fee"] }] });
  });
});

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Quote } from "../../client/src/index.ts";
// Inside: no request writes between two writes of another one.
import { changeSettings } from "../../src/db/queries/collection-effects.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { setFaults } from "../support/chain-control.ts";
import { collectionOnChain, createCollection, type Finalized } from "../support/collections.ts";
import { testLedger } from "../support/ledgers.ts";
import { background, killAt, killedAt, observeCheckpoints, operationOver } from "../support/operations.ts";
import { sendFrom } from "../support/payments.ts";
import { watched } from "../support/trips.ts";
import { endObject } from "../support/wallets.ts";

let integration: TestIntegration;
let collection: Finalized;

beforeAll(async () => {
  integration = await createIntegration();
  collection = await createCollection(integration);
});

const update = (
  json: unknown,
  headers: Record<string, string> = {},
  { collection_uuid: uuid } = collection,
) => api(`/collection/${uuid}`, { key: integration.key, method: "PUT", json, headers });

const onChain = (of = collection) => collectionOnChain<Record<string, unknown>>(integration, of);

const read = async ({ collection_uuid: uuid } = collection) =>
  bodyOf<Record<string, unknown>>(await api(`/collection/${uuid}`, { key: integration.key }), 200);

test("given fields change on the chain and in the answer, null clears a field, and others stay", async () => {
  const own = await createCollection(integration, {
    settings: { description: "At dusk", public_mint_config: { mint_fee: "0" } },
  });
  const changes = {
    title: "Herons at dawn",
    public_mint_config: null,
    private_mint_config: { mint_fee: "3000000000000000000000", ends_at: "2031-02-03T04:05:06Z" },
    initial_royalties: { [integration.walletAccountId]: 1.25 },
    allow_transfers: false,
    approvals_denied_accounts: ["market.near"],
  };
  const body = await bodyOf<Record<string, unknown>>(await update(changes, {}, own), 200);
  expect(body).toMatchObject({
    collection_uuid: own.collection_uuid,
    title: "Herons at dawn",
    description: "At dusk",
    public_mint_config: null,
    private_mint_config: { mint_fee: "3000000000000000000000", ends_at: "2031-02-03T04:05:06.000Z" },
    allow_transfers: false,
  });
  expect(await read(own)).toEqual(body);
  expect(await onChain(own)).toMatchObject({
    title: "Herons at dawn",
    description: "At dusk",
    public_mint_config: null,
    private_mint_config: { ends_at_ms: Date.parse("2031-02-03T04:05:06Z") },
    initial_royalties: { [integration.walletAccountId]: 125 },
    allow_transfers: false,
    approvals_denied_accounts: ["market.near"],
  });
});

test("concurrent updates end with the same values here and on the chain", async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      update({ title: `Herons ${index}`, description: index % 2 ? null : `No. ${index}` }),
    ),
  );
  for (const answer of answers) await bodyOf(answer, 200);
  const { title, description } = await onChain();
  expect(await read()).toMatchObject({ title, description: description ?? null });
});

test("an update that is accepted later takes effect last, even if the first one broke off", async () => {
  await bodyOf(await killedAt("operation.before_submit", () => update({ title: "Accepted first" })), 202);
  // The second waits for the first, which the schedule resumes.
  const second = update({ title: "Accepted second" });
  await background.reconcile(60_000);
  expect(await bodyOf(await second, 200)).toMatchObject({ title: "Accepted second" });
  expect(await read()).toMatchObject({ title: "Accepted second" });
  expect(await onChain()).toMatchObject({ title: "Accepted second" });
});

test("an update that is written late, after it ended, changes nothing", async () => {
  const accepted = await update({ title: "Written once" }, { prefer: "respond-async" });
  const { operation_uuid } = await bodyOf<{ operation_uuid: Uuid }>(accepted, 202);
  await operationOver(integration.key, operation_uuid);
  await bodyOf(await update({ title: "Written later" }), 200);
  // Two processes may drive one operation. This is the slower one's write.
  // Inside: no request writes between two writes of another one.
  const db = testLedger(integration.integrationUuid);
  const uuid = collection.collection_uuid as Uuid;
  await db.batch([
    changeSettings(db, uuid, { title: "Written once" }, { operationId: operation_uuid, now: new Date() }),
  ]);
  expect(await read()).toMatchObject({ title: "Written later" });
});

test("an update whose request has ended is carried out as soon as the one before it is over", async () => {
  killAt("operation.before_submit");
  for (const title of ["Left first", "Left second", "Left third"])
    await bodyOf(await update({ title }, { prefer: "respond-async" }), 202);
  const pending = await api("/operation?state=pending", { key: integration.key });
  const uuids = (await bodyOf<{ operation_uuid: string }[]>(pending, 200))
    .map(({ operation_uuid }) => operation_uuid)
    .toReversed();
  expect(uuids).toHaveLength(3);
  observeCheckpoints(null);
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

test("an update takes one database call, for room in the audit log", async () => {
  const { send, trips, over } = watchedUpdates(collection);
  await bodyOf(await send({ title: "Counted first" }), 200);
  await over();
  trips.length = 0;
  const answer = await send({ title: "Counted" });
  expect(trips.filter((sql) => !/"ledgers"|"collections"/.test(sql))).toEqual([
    expect.stringContaining("audit_entries"),
  ]);
  expect(await bodyOf(answer, 200)).toEqual(await read());
});

test.each([
  ["minted = minted + 1", { minted: 1 }],
  ["pin_state = 'failed'", { pin_state: "failed" }],
  [
    "settings = json_set(settings, '$.description', 'By comparison'), updated_at = updated_at + 1",
    { description: "By comparison" },
  ],
])("an update's answer includes what changed in the meantime: %s", async (change, shown) => {
  const own = await createCollection(integration, { copies: [3] });
  const id = own.collection_uuid.replaceAll("-", "");
  let ends = 0;
  await runInDurableObject(env.WALLET.getByName(integration.integrationUuid), (_, { storage: { sql } }) => {
    observeCheckpoints((name) => {
      if (name === "operation.before_effects" && ++ends === 1)
        sql.exec(`UPDATE collections SET ${change} WHERE lower(hex(id)) = ?`, id);
    });
  });
  const path = `/collection/${own.collection_uuid}`;
  const body = await bodyOf(
    await api(path, { key: integration.key, method: "PUT", json: { title: "Told late" } }),
    200,
  );
  observeCheckpoints(null);
  expect(body).toMatchObject({ title: "Told late", ...shown });
  expect(ends).toBe(2);
  expect(body).toEqual(await bodyOf(await api(path, { key: integration.key }), 200));
  const told = await bodyOf<{ data: object }[]>(
    await api("/event?type=collection.updated", { key: integration.key }),
    200,
  );
  const about = told.filter(({ data }) => JSON.stringify(data).includes(own.collection_uuid));
  const by = { operation_uuid: expect.any(String), reference: null };
  expect(about.map(({ data }) => data)).toEqual([{ ...(body as object), ...by }]);
});

test("an update first carries out an earlier one whose request has ended", async () => {
  await bodyOf(await killedAt("operation.before_submit", () => update({ title: "Left behind" })), 202);
  expect(await bodyOf(await update({ title: "Waited" }), 200)).toMatchObject({ title: "Waited" });
  expect(await onChain()).toMatchObject({ title: "Waited" });
  expect(await bodyOf(await api("/operation?state=pending", { key: integration.key }), 200)).toEqual([]);
});

test("an update seldom asks the database for an earlier one that can't be carried out yet", async () => {
  killAt("operation.before_submit");
  await bodyOf(await update({ title: "Stands still" }), 202);
  await endObject(integration.integrationUuid);
  await setFaults({ kind: "down" });
  observeCheckpoints(null);
  const { send, trips } = watchedUpdates(collection);
  const waiting = send({ title: "Waited" });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  // Where the collection is, its acceptance; the one before; and a few looks.
  expect(trips.length).toBeLessThan(8);
  await setFaults();
  expect(await bodyOf(await waiting, 200)).toMatchObject({ title: "Waited" });
});

test("royalties for an account that doesn't exist are refused by the field's name", async () => {
  const before = await onChain();
  expect(await bodyOf(await update({ ongoing_royalties: { "nobody.test": 1 } }), 400)).toMatchObject({
    code: "unknown_account",
    issues: [{ path: ["ongoing_royalties", "nobody.test"] }],
  });
  expect(await onChain()).toEqual(before);
});

test("an update without changes sends nothing", async () => {
  const before = await read();
  expect(await bodyOf(await update({}), 200)).toEqual(before);
});

test("a collection with the maximum of accounts in its lists can be updated like any other", async () => {
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
  const put = (json: object, key = integration.key, headers = {}) =>
    api(path(), { key, method: "PUT", json, headers });
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
  ])("has only its given fields changed: %j", async (change) => {
    const answer = await bodyOf<Record<string, unknown>>(await put({ public_mint_config: change }), 200);
    expect(answer.public_mint_config).toEqual(both(change).shown);
    expect(await kept()).toEqual(both(change));
  });

  test("keeps all changes of concurrent updates", async () => {
    const changes = [{ mint_fee: "0" }, { limit_per_account: 9 }, { ends_at: null }];
    const answers = await Promise.all(changes.map((change) => put({ public_mint_config: change })));
    for (const answer of answers) await bodyOf(answer, 200);
    expect(await kept()).toEqual(both({ mint_fee: "0", limit_per_account: 9, ends_at: null }));
  });

  test("of an interrupted update is changed after that update was applied", async () => {
    killAt("operation.before_submit");
    for (const change of [{ mint_fee: "0" }, { limit_per_account: null }]) {
      const send = () => put({ public_mint_config: change }, integration.key, { prefer: "respond-async" });
      await bodyOf(await send(), 202);
    }
    observeCheckpoints(null);
    await background.reconcile(60_000);
    await expect.poll(kept).toEqual(both({ mint_fee: "0", limit_per_account: null }));
  });

  test("is ended by null, and created with a price", async () => {
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

  test("that an earlier update ends stays ended, and a later change of it is refused by the chain", async () => {
    killAt("operation.before_submit");
    await bodyOf(await put({ public_mint_config: null }), 202);
    const late = put({ public_mint_config: { limit_per_account: 2 } });
    const pending = async () =>
      bodyOf<object[]>(await api("/operation?state=pending", { key: integration.key }), 200);
    await expect.poll(pending).toHaveLength(2);
    observeCheckpoints(null);
    await background.reconcile(60_000);
    expect(await bodyOf(await late, 400)).toMatchObject({
      message: "mint_fee is missing.",
      outcome: "failed_on_chain",
    });
    expect(await kept()).toEqual({ shown: null, chain: null });
  });

  test("keeps its price, ends after it starts, and can't be changed by another integration", async () => {
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

  test("is quoted with its new values", async () => {
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

test("an update pays for the records of payees without a name within its quote, and mints then pay for themselves", async () => {
  const [shop, collector] = await Promise.all([createIntegration("Payees"), createIntegration("Collector")]);
  const { collection_uuid: uuid, near_collection: onChain } = await createCollection(shop, { copies: [500] });
  const { contractAccountId: contract } = shop;
  const call = (method: string, args: object, deposit: bigint) => ({
    kind: "function_call" as const,
    ...{ method, args: new TextEncoder().encode(JSON.stringify(args)) },
    ...{ gas: `${10n ** 14n}`, deposit: deposit.toString() },
  });
  const empty = () => sendFrom(shop.integrationUuid, contract, [call("withdraw", {}, 1n)]);
  await empty();
  const payees = Array.from({ length: 10 }, (_, at) => `${at}`.padStart(64, "0"));
  const price = 37n * 10n ** 20n;
  const body = {
    public_mint_config: { mint_fee: price.toString() },
    initial_royalties: Object.fromEntries(payees.map((account) => [account, 9])),
  };
  const path = `/collection/${uuid}`;
  const json = { method: "PUT", path, body };
  const quote = await bodyOf<Quote>(await api("/quote", { key: shop.key, json }), 201);
  const headers = { "mintage-quote": quote.quote_uuid };
  await bodyOf(await api(path, { key: shop.key, method: "PUT", json: body, headers }), 200);
  await empty();
  const account = collector.walletAccountId;
  const bought = { collection_id: onChain.collection_id };
  for (let minted = 0; minted < 2; minted++) {
    expect(await bodyOf(await api(`${path}/eligibility/${account}`, { key: shop.key }), 200)).toMatchObject({
      allowed: true,
      mint_fee: price.toString(),
    });
    await sendFrom(collector.integrationUuid, contract, [call("nft_mint", bought, price)]);
    await empty();
  }
  // Of what is beyond the storage of a token, twice: three payees are paid at once, the others' shares wait.
  const share = (2n * (price - 27n * 10n ** 20n) * 9n) / 100n;
  const waits = (account_id: string) => view<string>(env.NEAR_RPC_URL, contract, "shares_of", { account_id });
  expect(await Promise.all(payees.map(waits))).toEqual([
    ...Array(3).fill("0"),
    ...Array(7).fill(share.toString()),
  ]);
});

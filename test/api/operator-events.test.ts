import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { Event } from "../../client/src/index.ts";
// Inside: no request runs the jobs that watch, or changes their settings.
import type { ServiceContext } from "../../src/context.ts";
import { watchForOperator, watchWallets } from "../../src/operator/jobs/operator-watch.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { setFaults } from "../support/chain-control.ts";
import { createCollection } from "../support/collections.ts";
import { failingD1 } from "../support/database.ts";
import { failingAtEvents, inLedger, putLedger, takeLedger } from "../support/ledgers.ts";
import { background, readOperation, serviceContext } from "../support/operations.ts";
import { FORGETFUL, givenUp } from "../support/own-wallets.ts";
import { drain } from "../support/payments.ts";
import { until } from "../support/waiting.ts";
import { dropObject, endObject } from "../support/wallets.ts";

/** What the integration that OPERATOR_INTEGRATION names is told of. */

const OPERATOR = env.OPERATOR_INTEGRATION;

let key: string;
let shop: TestIntegration;
/** What the operator is told of first. */
let begun: Event[];

/** What happened at the operator's integration behind an event. */
const told = async (after = 0) => bodyOf<Event[]>(await api(`/event?after=${after}`, { key }), 200);
const lastSeq = async () => (await told()).at(-1)?.seq ?? 0;
const withSettings = (changes: Partial<ServiceContext["settings"]>): ServiceContext => {
  const context = serviceContext();
  return { ...context, settings: { ...context.settings, ...changes } };
};

/** The operator's integration under the id that the settings have had since the start. */
const enterOperator = async () => {
  const now = Date.now();
  // Inside: no request creates an integration with the id that the settings name.
  await env.DB.prepare(
    `INSERT INTO integrations (id, name, wallet_state, created_at, updated_at)
     VALUES (unhex(replace(?, '-', '')), 'Operator', 'new', ?, ?)`,
  )
    .bind(OPERATOR, now, now)
    .run();
};

beforeAll(async () => {
  shop = await createIntegration("Shop");
  // What there is to report while the settings name an integration that doesn't exist.
  await watchForOperator(withSettings({ DATABASE_LIMIT: 1 }));
  await drain(shop.integrationUuid, 3n * 10n ** 23n);
  await watchWallets(serviceContext());
  await enterOperator();
  const issued = await admin(`/integration/${OPERATOR}/key`, { json: { name: "operator", role: "read" } });
  key = (await bodyOf<{ api_key: string }>(issued, 201)).api_key;
  await background.reconcile();
  begun = await told();
});

afterEach(() => setFaults());

test("what was to be reported before the operator's integration existed isn't reported later", () => {
  expect(begun.map(({ type }) => type)).toEqual(["key.created"]);
});

test("the database's fill level is reported once per threshold, and again after it shrank", async () => {
  const size = (await bodyOf<{ database: { size_bytes: number } }>(await api("/ready"), 200)).database
    .size_bytes;
  const after = await lastSeq();
  const filledTo = (percent: number) => withSettings({ DATABASE_LIMIT: Math.floor((size * 100) / percent) });
  await watchForOperator(filledTo(20));
  for (const percent of [72, 73, 91, 20, 72]) {
    await Promise.all([watchForOperator(filledTo(percent)), watchForOperator(filledTo(percent))]);
  }
  const events = await told(after);
  expect(events.map(({ type, data }) => [type, data.percent])).toEqual([
    ["database.filling", 70],
    ["database.filling", 90],
    ["database.filling", 70],
  ]);
  expect(events[0]?.data).toMatchObject({
    size_bytes: expect.any(Number),
    limit_bytes: Math.floor((size * 100) / 72),
  });
});

test("a low wallet is reported to its integration and to the operator", async () => {
  const poor = await createIntegration("Poor");
  await background.reconcile();
  const after = await lastSeq();
  await drain(poor.integrationUuid);
  await background.reconcile();
  await background.reconcile();
  expect(await told(after)).toMatchObject([
    {
      type: "wallet.low",
      data: { integration_uuid: poor.integrationUuid, account_id: poor.walletAccountId, queued: 0 },
    },
  ]);
  const [own] = await bodyOf<Event[]>(await api("/event?type=wallet.low", { key: poor.key }), 200);
  expect(own?.data).not.toHaveProperty("integration_uuid");
});

test("a low wallet that two runs of the schedule see at once is reported once", async () => {
  const poor = await createIntegration("Poor twice");
  await background.reconcile();
  const after = await lastSeq();
  await drain(poor.integrationUuid);
  let other: Promise<void> | undefined;
  const DB = failingD1(async (sql) => {
    if (/update "integrations" set "wallet_seen"/i.test(sql)) {
      other ??= watchWallets(serviceContext());
      await other;
    }
    return null;
  });
  await watchWallets(serviceContext(0, undefined, { DB }));
  expect(other).toBeDefined();
  expect((await told(after)).map(({ type }) => type)).toEqual(["wallet.low"]);
  expect(await bodyOf<Event[]>(await api("/event?type=wallet.low", { key: poor.key }), 200)).toHaveLength(1);
});

test.each(["before", "after"] as const)(
  "a low wallet is reported once though the ledgers break %s they have the event",
  async (failure) => {
    const poor = await createIntegration(`Poor, ${failure} a failure`);
    await background.reconcile();
    const after = await lastSeq();
    await drain(poor.integrationUuid);
    await watchWallets(serviceContext(0, undefined, { WALLET: failingAtEvents(failure) }));
    await background.reconcile();
    await background.reconcile();
    expect((await told(after)).map(({ type }) => type)).toEqual(["wallet.low"]);
    const own = await bodyOf<Event[]>(await api("/event?type=wallet.low", { key: poor.key }), 200);
    expect(own).toHaveLength(1);
  },
);

test("the platform's wallet is reported as low if it can't pay for another wallet and contract", async () => {
  const after = await lastSeq();
  const rich = withSettings({ WALLET_FUNDING: "1" });
  const poor = withSettings({ WALLET_FUNDING: String(10n ** 40n) });
  await watchForOperator(rich);
  await Promise.all([watchForOperator(poor), watchForOperator(poor)]);
  await watchForOperator(poor);
  expect(await told(after)).toMatchObject([
    { type: "wallet.low", data: { integration_uuid: null, account_id: env.PLATFORM_ACCOUNT_ID } },
  ]);
});

/** A mint whose outcome no node can prove. */
const unprovable = async (owner: TestIntegration) => {
  const { collection_uuid: uuid } = await createCollection(owner, { copies: [5] });
  const json = { receiver_addresses: await createReceivers(1) };
  await setFaults(...FORGETFUL);
  const headers = { prefer: "respond-async" };
  const asked = await api(`/collection/${uuid}/mint`, { key: owner.key, json, headers });
  const { operation_uuid: operation } = await bodyOf<{ operation_uuid: string }>(asked, 202);
  await givenUp(owner.integrationUuid, operation);
  return { uuid, operation };
};

test("an unknown outcome is reported to the operator, and to no other integration", async () => {
  const owner = await createIntegration("Unlucky");
  const after = await lastSeq();
  const { uuid, operation } = await unprovable(owner);
  await until(async () => {
    await background.resume(operation);
    return (await readOperation(owner.key, operation)).state === "unknown";
  });
  expect(await told(after)).toMatchObject([
    {
      type: "operation.unknown",
      data: {
        integration_uuid: owner.integrationUuid,
        operation_uuid: operation,
        kind: "mint",
        state: "unknown",
        subject_uuid: uuid,
      },
    },
  ]);
  const mine = await bodyOf<Event[]>(await api("/event?type=operation.unknown", { key: shop.key }), 200);
  expect(mine).toEqual([]);
});

test("an unknown outcome waits ten minutes for an operator whose own ledger is lost", async () => {
  const owner = await createIntegration("Unlucky, too");
  await background.reconcile();
  const kept = await takeLedger(OPERATOR, "all");
  await dropObject(OPERATOR);
  const { operation } = await unprovable(owner);
  await background.resume(operation).catch(() => undefined);
  expect(await readOperation(owner.key, operation)).toMatchObject({ state: "pending" });
  // Inside: no request makes an operation ten minutes older.
  await inLedger(owner.integrationUuid, "UPDATE operations SET created_at = created_at - 600000");
  await until(async () => {
    await background.resume(operation);
    return (await readOperation(owner.key, operation)).state === "unknown";
  });
  await putLedger(OPERATOR, kept);
  await endObject(OPERATOR);
});

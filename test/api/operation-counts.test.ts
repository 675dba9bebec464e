import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { Overview } from "../../client/src/index.ts";
// Inside: no request counts an end a second time.
import { runBatch } from "../../src/db/client.ts";
import { countEnd } from "../../src/db/queries/operation-counts.ts";
import { operations } from "../../src/db/schema/ledger.ts";
import { tidyLedgers } from "../../src/operator/jobs/clean-up.ts";
import { watchDatabase } from "../../testing/database-usage.ts";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { createCollection, createHalfSold } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { inLedger, inLedgers, testLedger } from "../support/ledgers.ts";
import { background, killedAt, operationOver, serviceContext } from "../support/operations.ts";
import { inOneDay, later } from "../support/waiting.ts";
import { acknowledged } from "../support/wallets.ts";

/** Counters of operations are a plain count of the operations that are over. */

const DAY = 24 * 3_600_000;

let shop: TestIntegration;
let collection: string;

beforeAll(inOneDay);
beforeAll(async () => {
  shop = await createIntegration("Counted");
  collection = (await createCollection(shop, { copies: [20] })).collection_uuid;
});

const mint = async () => {
  const json = { receiver_addresses: await createReceivers(1) };
  return api(`/collection/${collection}/mint`, { key: shop.key, json });
};

/** What the operations' own rows come to, by kind. */
const plainly = async () => {
  // Inside: counters are compared with the rows that they count.
  const rows = await inLedgers<{ kind: string; succeeded: number; failed: number }>(
    `SELECT kind, sum(state = 'succeeded') AS succeeded, sum(state = 'failed') AS failed FROM operations
     WHERE state IN ('succeeded', 'failed') GROUP BY kind`,
  );
  const sums = new Map<string, { kind: string; succeeded: number; failed: number }>();
  for (const { kind, succeeded, failed } of rows) {
    const sum = sums.get(kind) ?? { kind, succeeded: 0, failed: 0 };
    sums.set(kind, { kind, succeeded: sum.succeeded + succeeded, failed: sum.failed + failed });
  }
  return [...sums.values()].toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
};

const counted = ({ operations: { totals } }: Overview) =>
  totals
    .map(({ within, ...outcomes }) => {
      expect(within).toEqual(within.toSorted((one, other) => one - other));
      expect(within.at(-1)).toBe(outcomes.succeeded);
      return outcomes;
    })
    .toSorted((one, other) => (one.kind < other.kind ? -1 : 1));

const readOverview = async () => bodyOf<Overview>(await admin("/overview"), 200);

const check = async (ahead = 0) => {
  const rows = await plainly();
  // D1 has the counts of mints within seconds.
  await expect.poll(async () => counted(await later(ahead, readOverview))).toEqual(rows);
  return later(ahead, readOverview);
};

describe("an operation that ends", () => {
  test("is counted once, by kind and outcome, on the day it ended", async () => {
    await bodyOf(await mint(), 201);
    const { operations: before } = await check();
    await bodyOf(await mint(), 201);
    const { operations: after } = await check();
    const mints = ({ today }: Overview["operations"]) => today.find(({ kind }) => kind === "mint");
    const { succeeded, failed } = mints(before)!;
    expect(mints(after)).toMatchObject({ succeeded: succeeded + 1, failed });
    expect(mints(after)!.p50_seconds).toBeGreaterThan(0);
    expect(mints(after)!.p95_seconds).toBeGreaterThanOrEqual(mints(after)!.p50_seconds!);
    expect(after.days).toHaveLength(14);
    expect(after.days.at(-1)!.date).toBe(new Date().toISOString().slice(0, 10));
    expect(after.days.at(-1)!.succeeded).toBe(before.days.at(-1)!.succeeded + 1);
    const db = testLedger(shop.integrationUuid);
    const rows = await db.select().from(operations);
    await runBatch(
      db,
      rows.map((row) => countEnd(row, "succeeded", new Date())),
    );
    await check();
  });

  test.each(["operation.before_effects", "operation.after_effects"])(
    "is counted once if its request is killed at %s and others end it",
    async (point) => {
      await (await killedAt(point, mint)).body?.cancel();
      const [newest] = await bodyOf<{ operation_uuid: string }[]>(
        await api("/operation?limit=1", { key: shop.key }),
        200,
      );
      await Promise.all([1, 2].map(() => background.resume(newest!.operation_uuid)));
      expect(await operationOver(shop.key, newest!.operation_uuid)).toMatchObject({ state: "succeeded" });
      await check();
    },
  );

  test("is counted as failed if it failed, not counted after D1 was set back, and counted again with the next schedule", async () => {
    const { collection_uuid: small } = await createHalfSold(shop);
    const before = await takeSnapshot();
    const { operations: then } = await check();
    const receivers = await createReceivers(2);
    const fail = { key: shop.key, json: { receiver_addresses: receivers } };
    await bodyOf(await api(`/collection/${small}/mint`, fail), 409);
    await bodyOf(await mint(), 201);
    await acknowledged(shop.integrationUuid);
    const after = counted(await check());
    expect(after.find(({ kind }) => kind === "mint")).toMatchObject({ failed: 1 });
    await goBack(before);
    expect((await readOverview()).operations.totals).toEqual(then.totals);
    await background.reconcile();
    await background.reconcile();
    expect(counted(await check())).toEqual(after);
  });
});

test("days that are no longer shown are added up", async () => {
  const { operations: before } = await check();
  await tidyLedgers(serviceContext(13 * DAY));
  expect((await check(13 * DAY)).operations.days[0]).toEqual(before.days.at(-1));
  await tidyLedgers(serviceContext(14 * DAY));
  const { operations: after } = await check(14 * DAY);
  expect(after.days.every(({ succeeded, failed }) => succeeded + failed === 0)).toBe(true);
  expect(after.totals).toEqual(before.totals);
  // Inside: no request shows how days are kept.
  const days = async () => (await env.DB.prepare("SELECT DISTINCT day FROM operation_counts").all()).results;
  await expect.poll(days).toEqual([{ day: 0 }]);
  expect(await inLedger(shop.integrationUuid, "SELECT DISTINCT day FROM operation_counts")).toEqual([
    { day: 0 },
  ]);
  expect((await check(14 * DAY)).operations.totals).toEqual(before.totals);
});

test("the overview reads the same number of rows, however many operations have ended", async () => {
  const used = watchDatabase(env.DB);
  const rowsRead = async () => {
    used();
    await readOverview();
    return used();
  };
  const few = await rowsRead();
  expect(few.trips).toBe(2);
  const [integration, subject] = [shop.integrationUuid, collection].map((uuid) => uuid.replaceAll("-", ""));
  await inLedger(
    shop.integrationUuid,
    `INSERT INTO operations (id, integration_id, kind, state, subject_id, request, finished_at, created_at, updated_at)
     WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < 10000)
     SELECT randomblob(16), unhex(?1), 'mint', 'succeeded', unhex(?2), '{}', ?3, ?3, ?3 FROM numbers`,
    integration,
    subject,
    Date.now(),
  );
  expect((await rowsRead()).rows_read).toBe(few.rows_read);
  await inLedger(shop.integrationUuid, "DELETE FROM operations WHERE request = '{}'");
});

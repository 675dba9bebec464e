import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/db/client.ts";
import { countsSince, mintedSince } from "../../src/db/queries/operation-counts.ts";
import { operations } from "../../src/db/schema/index.ts";
import { observeCheckpoints } from "../../src/domain/checkpoints.ts";
import { type Uuid, uuidAt, uuidFromBytes } from "../../src/domain/ids.ts";
import { type SlotCount, slotAt } from "../../src/domain/overview.ts";
import { countOperations } from "../../src/operator/jobs/operation-counts.ts";
import { readOverview } from "../../src/operator/overview.ts";
import { watchDatabase } from "../../testing/database-usage.ts";
import { createIntegration, type TestIntegration } from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { goBack, type Snapshot, takeSnapshot } from "../support/database.ts";
import { killAt, serviceContext } from "../support/operations.ts";
import { unrecorded } from "../support/statements.ts";

/** Counters that the schedule keeps, with what it hasn't passed over yet, are a plain count of the operations. */

const HOUR = 3_600_000;
const SECOND = 1_000;

let shops: readonly TestIntegration[];
let collections: readonly string[];
let before: Snapshot;

beforeAll(async () => {
  shops = [await createIntegration("One"), await createIntegration("Two")];
  collections = await Promise.all(shops.map(async (shop) => (await createCollection(shop)).collection_uuid));
  before = await takeSnapshot();
});

beforeEach(() => goBack(before));
afterEach(() => observeCheckpoints(null));

const db = openDatabase(env.DB);
const contracts = () => shops.map(({ contractUuid }) => contractUuid as Uuid);

/** What the counters should come to: the operations themselves, read one by one. */
const plainly = async (since: number) => {
  const { results } = await unrecorded(env.DB)
    .prepare(
      `SELECT o.*, (SELECT contract_id FROM collections WHERE id = o.subject_id) AS contract FROM operations AS o
       WHERE created_at >= ?`,
    )
    .bind(since * 300_000)
    .all<{
      kind: string;
      state: string;
      request: string;
      created_at: number;
      finished_at: number;
      contract: number[] | null;
    }>();
  const slots = new Map<number, SlotCount>();
  const minted = new Map<Uuid, number>();
  for (const { kind, state, request, created_at: at, finished_at: end, contract } of results) {
    const slot = slotAt(at);
    const { accepted, succeeded, failed, took } = slots.get(slot) ?? NONE;
    const isDone = state === "succeeded";
    slots.set(slot, {
      slot,
      accepted: accepted + 1,
      succeeded: succeeded + Number(isDone),
      failed: failed + Number(state === "failed"),
      took: took + (isDone ? end - at : 0),
    });
    if (kind !== "mint" || !isDone || contract === null) continue;
    const { receivers, quantity } = JSON.parse(request) as { receivers: string[]; quantity: number };
    const id = uuidFromBytes(Uint8Array.from(contract));
    minted.set(id, (minted.get(id) ?? 0) + receivers.length * quantity);
  }
  return { slots: [...slots.values()].toSorted((one, other) => one.slot - other.slot), minted };
};

const NONE = { accepted: 0, succeeded: 0, failed: 0, took: 0 };

const counted = async (since: number) => {
  const slots = new Map<number, SlotCount>();
  for (const { slot, ...part } of await countsSince(db, since)) {
    const whole = slots.get(slot) ?? { slot, ...NONE };
    slots.set(slot, {
      slot,
      accepted: whole.accepted + part.accepted,
      succeeded: whole.succeeded + part.succeeded,
      failed: whole.failed + part.failed,
      took: whole.took + part.took,
    });
  }
  return {
    slots: [...slots.values()].toSorted((one, other) => one.slot - other.slot),
    minted: await mintedSince(db, contracts(), since),
  };
};

/** The service of a test, by whose clock things happen. */
class Service {
  now = Date.now();
  #open: Uuid[] = [];

  /** Accepts operations; an earlier moment is that of one that was put back after a rollback. */
  async accept(count: number, kind: "mint" | "nft_update", earlier: number): Promise<void> {
    const at = new Date(this.now - earlier);
    for (let number = 0; number < count; number += 1) {
      const id = uuidAt(at).slice(0, 19) + crypto.randomUUID().slice(19);
      await db.insert(operations).values({
        id: id as Uuid,
        integrationId: shops[number % 2]!.integrationUuid as Uuid,
        kind,
        state: "pending",
        subjectId: collections[number % 2] as Uuid,
        request: { receivers: ["a.near", "b.near"], quantity: 1 + number },
        createdAt: at,
        updatedAt: at,
      });
      this.#open.push(id as Uuid);
    }
  }

  async end(count: number, state: "succeeded" | "failed"): Promise<void> {
    const ids = this.#open.splice(0, count).map((id) => id.replaceAll("-", ""));
    await unrecorded(env.DB)
      .prepare(
        "UPDATE operations SET state = ?, finished_at = ? WHERE hex(id) IN (SELECT upper(value) FROM json_each(?))",
      )
      .bind(state, this.now, JSON.stringify(ids))
      .run();
  }

  /** The archive takes what is over and older than any list of the overview, and never the newest row. */
  async archive(): Promise<void> {
    await unrecorded(env.DB)
      .prepare(
        `DELETE FROM operations WHERE created_at < ? AND state IN ('succeeded', 'failed') AND kind = 'nft_update'
         AND rowid < (SELECT max(rowid) FROM operations)`,
      )
      .bind(this.now - 27 * HOUR)
      .run();
  }

  run(page: number): Promise<void> {
    return countOperations({ db, now: () => new Date(this.now) }, page);
  }

  async killed(page: number, point: string, pass: number): Promise<void> {
    killAt(`operation_counts.${point}`, (number) => number === pass);
    await this.run(page).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith("killed"))) throw error;
    });
    observeCheckpoints(null);
  }

  async check(): Promise<void> {
    const since = slotAt(this.now - 24 * HOUR);
    expect(await counted(since)).toEqual(await plainly(since));
  }
}

type Step = (service: Service) => Promise<void>;

const few = fc.integer({ min: 1, max: 4 });
const page = fc.integer({ min: 1, max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(
      few,
      fc.constantFrom("mint" as const, "nft_update" as const),
      fc.constantFrom(0, 0, 900, 20 * HOUR, 30 * HOUR),
    )
    .map(
      ([count, kind, earlier]): Step =>
        (service) =>
          service.accept(count, kind, earlier),
    ),
  fc.tuple(few, fc.constantFrom("succeeded" as const, "failed" as const)).map(
    ([count, state]): Step =>
      (service) =>
        service.end(count, state),
  ),
  fc.constantFrom(SECOND, 40 * SECOND, 40 * SECOND, 7 * 60 * SECOND, 3 * HOUR).map(
    (time): Step =>
      async (service) => {
        service.now += time;
      },
  ),
  page.map(
    (size): Step =>
      (service) =>
        service.run(size),
  ),
  page.map(
    (size): Step =>
      async (service) =>
        void (await Promise.all([service.run(size), service.run(size + 1)])),
  ),
  fc.tuple(page, fc.constantFrom("before_page", "rows_counted"), few).map(
    ([size, point, pass]): Step =>
      (service) =>
        service.killed(size, point, pass),
  ),
  fc.constant<Step>((service) => service.archive()),
);

describe("counters of operations", () => {
  test("are with the rest a plain count, whenever the schedule runs, is killed or meets another run", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
        await goBack(before);
        const service = new Service();
        for (const each of steps) {
          await each(service);
          await service.check();
        }
        service.now += HOUR;
        await service.run(1_000);
        await service.check();
      }),
      { numRuns: 25 },
    ));

  test("go on where rows have other numbers, because the database was exported and imported", async () => {
    const service = new Service();
    await service.accept(3, "nft_update", 30 * HOUR);
    await service.end(3, "succeeded");
    await service.accept(5, "mint", 0);
    service.now += 60 * SECOND;
    await service.run(1_000);
    await service.archive();
    await renumber();
    await service.check();
    await service.accept(4, "mint", 0);
    await service.check();
    service.now += 60 * SECOND;
    await service.run(1_000);
    await service.check();
  });

  test("forget what no overview reads any more", async () => {
    const service = new Service();
    await service.accept(2, "mint", 0);
    await service.end(2, "succeeded");
    service.now += 60 * SECOND;
    await service.run(1_000);
    service.now += 28 * HOUR;
    await service.accept(1, "mint", 0);
    service.now += 60 * SECOND;
    await service.run(1_000);
    const oldest = slotAt(service.now - 26 * HOUR);
    for (const table of ["operation_counts", "minted_counts"]) {
      const rows = await env.DB.prepare(`SELECT count(*) AS count FROM ${table} WHERE slot < ?`)
        .bind(oldest)
        .first();
      expect([table, rows]).toEqual([table, { count: 0 }]);
    }
    await service.check();
  });
});

describe("what GET /admin/v1/overview asks of the database", () => {
  test("doesn't grow with the day's operations", async () => {
    const service = new Service();
    const used = watchDatabase(env.DB);
    const rowsRead = async (later: number) => {
      used();
      await readOverview(serviceContext(later));
      return used().rows_read;
    };
    await fillDay(1_000);
    service.now += 60 * SECOND;
    await service.run(1_000);
    const few = await rowsRead(0);
    await fillDay(9_000);
    await service.run(1_000);
    await service.check();
    // What an isolate keeps for half a minute is asked for again. Slots that had no operation may have one now.
    expect(await rowsRead(60 * SECOND)).toBeLessThan(few + 100);
  });
});

/** Mints of the last twenty hours, all of them over. */
const fillDay = async (count: number): Promise<void> => {
  const start = Date.now() - 20 * HOUR;
  const id = "unhex(printf('%012x', at) || '7000' || '8' || lower(hex(randomblob(7))) || '0')";
  const [integration, subject] = [shops[0]!.integrationUuid, collections[0]!].map((uuid) =>
    uuid.replaceAll("-", ""),
  );
  await unrecorded(env.DB)
    .prepare(
      `INSERT INTO operations (id, integration_id, kind, state, subject_id, request, finished_at, created_at, updated_at)
       WITH RECURSIVE numbers (i, at) AS (
         SELECT 0, ?1 UNION ALL SELECT i + 1, ?1 + (i + 1) * 7 * ?2 FROM numbers WHERE i + 1 < ?3)
       SELECT ${id}, unhex(?4), 'mint', 'succeeded', unhex(?5), '{"receivers":["a.near"],"quantity":1}', at + 2000, at, at
       FROM numbers`,
    )
    .bind(start, Math.floor((10 * HOUR) / count / 7), count, integration, subject)
    .run();
};

/** Gives all operations numbers from one on, in their order, as an import does. */
const renumber = async (): Promise<void> => {
  const rows = await takeSnapshot();
  const numbered = rows
    .get("operations")!
    .toSorted((one, other) => Number(one.rowid) - Number(other.rowid))
    .map((row, place) => ({ ...row, rowid: place + 1 }));
  await goBack(new Map([...rows, ["operations", numbered]]));
};

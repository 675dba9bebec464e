import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
// Inside: a row has its id as bytes.
import { uuidFromBytes } from "../../src/domain/ids.ts";
import { admin, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { addOperations, DAY, NEWEST } from "../support/archives.ts";
import { goBack, type Snapshot, takeSnapshot } from "../support/database.ts";
import { inLedger, putLedger, takeLedger, watchedLedgers } from "../support/ledgers.ts";
import { background } from "../support/operations.ts";
import { shipAll } from "../support/wallets.ts";

/** What R2 refuses of one integration keeps no other's operations in the database, and none is lost by it. */

const OLD = 6;

let shop: TestIntegration;
let stranger: TestIntegration;
let before: Snapshot;
let ledgers: ReadonlyMap<string, Awaited<ReturnType<typeof takeLedger>>>;

beforeAll(async () => {
  // In the order in which a round looks at them.
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  for (const { integrationUuid } of [shop, stranger]) {
    await addOperations(integrationUuid, crypto.randomUUID(), OLD, "mint");
    await addOperations(integrationUuid, crypto.randomUUID(), NEWEST);
    await shipAll(integrationUuid);
  }
  before = await takeSnapshot();
  const uuids = [shop, stranger].map(({ integrationUuid }) => integrationUuid);
  ledgers = new Map(await Promise.all(uuids.map(async (uuid) => [uuid, await takeLedger(uuid)] as const)));
});

afterEach(async () => {
  for (const [uuid, copy] of ledgers) await putLedger(uuid, copy);
  await goBack(before);
});

type Log = { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[];

/** A run of the schedule a month later, with a bucket that refuses some puts. @returns what it has logged of the archive */
const run = async (isRefused: (key: string, body: string) => boolean): Promise<Log> => {
  const told: Log = [];
  const BUCKET = new Proxy(env.BUCKET, {
    get: (target, name) => {
      if (name !== "put") {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (...parameters: Parameters<R2Bucket["put"]>) => {
        if (isRefused(parameters[0], String(parameters[1]))) throw new Error("put: 10001");
        return target.put(...parameters);
      };
    },
  });
  const log = (event: string, fields: Readonly<Record<string, unknown>> = {}) => {
    if (event.startsWith("archive.")) told.push({ event, fields });
  };
  await background.reconcile(40 * DAY, log, { BUCKET });
  return told;
};

/** Old operations in the ledger, and in files that its rows name and that are there. */
const placesOf = async ({ integrationUuid }: TestIntegration): Promise<[ledger: number, files: number]> => {
  // Inside: the API shows an operation wherever it is; these tests are about where.
  const rows = await inLedger<{ count: number }>(
    integrationUuid,
    "SELECT count(*) AS count FROM operations WHERE kind = 'mint'",
  );
  const named = await inLedger<{ key: string }>(integrationUuid, "SELECT object_key AS key FROM archives");
  let files = 0;
  for (const { key } of named) {
    const text = await (await env.BUCKET.get(key))!.text();
    files += text.split("\n").filter((line) => line.includes('"row"')).length;
  }
  return [rows[0]!.count, files];
};

const refusedInOverview = async (): Promise<number> =>
  (await bodyOf<{ archive_refused: number }>(await admin("/overview"), 200)).archive_refused;

describe("operation files that R2 refuses", () => {
  test("of one integration are counted in the overview and retried, and other files are stored", async () => {
    const log = await run((key) => key.startsWith(`archive/${shop.integrationUuid}/`));
    expect(await placesOf(shop)).toEqual([OLD, 0]);
    expect(await placesOf(stranger)).toEqual([0, OLD]);
    expect(log).toContainEqual({
      event: "archive.file_refused",
      fields: expect.objectContaining({ integration_uuid: shop.integrationUuid, operations: OLD }),
    });
    expect(await refusedInOverview()).toBe(1);
    await run(() => false);
    expect(await placesOf(shop)).toEqual([0, OLD]);
    expect(await placesOf(stranger)).toEqual([0, OLD]);
    expect(await refusedInOverview()).toBe(0);
  });

  test("of one day leave the integration's other days to be moved", async () => {
    const found = await inLedger<{ id: string }>(
      shop.integrationUuid,
      "SELECT hex(id) AS id FROM operations WHERE kind = 'mint' ORDER BY id",
    );
    const [first, second] = found.map(({ id }) => id);
    await inLedger(
      shop.integrationUuid,
      "UPDATE operations SET finished_at = finished_at - ? WHERE id IN (unhex(?), unhex(?))",
      ...[3 * DAY, first, second],
    );
    const uuid = uuidFromBytes(Buffer.from(first!, "hex"));
    const log = await run((key, body) => key.startsWith("archive/") && body.includes(uuid));
    expect(log.map(({ event }) => event)).toContain("archive.file_refused");
    expect(await placesOf(shop)).toEqual([2, OLD - 2]);
    expect(await placesOf(stranger)).toEqual([0, OLD]);
    await run(() => false);
    expect(await placesOf(shop)).toEqual([0, OLD]);
  });

  test("operations of one integration that can't be read don't stop the others", async () => {
    let reads = 0;
    const WALLET = watchedLedgers(async (method, call, parameters) => {
      // The page of the first integration, however often it is asked for again.
      if (method === "run" && JSON.stringify(parameters).includes("octet_length(request)") && ++reads <= 3)
        throw new Error("the object was reset");
      return call();
    });
    const events: string[] = [];
    await background.reconcile(40 * DAY, (event) => void events.push(event), { WALLET });
    expect(events).toContain("archive.page_failed");
    expect(await placesOf(shop)).toEqual([OLD, 0]);
    expect(await placesOf(stranger)).toEqual([0, OLD]);
    expect(await refusedInOverview()).toBe(1);
  });

  test("leave all operations in the database if R2 refuses every file", async () => {
    await run((key) => key.startsWith("archive/"));
    expect(await placesOf(shop)).toEqual([OLD, 0]);
    expect(await placesOf(stranger)).toEqual([OLD, 0]);
    expect(await refusedInOverview()).toBe(2);
  });
});

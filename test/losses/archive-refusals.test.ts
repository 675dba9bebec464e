import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { admin, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { addOperations, DAY, NEWEST } from "../support/archives.ts";
import { goBack, type Snapshot, takeSnapshot } from "../support/database.ts";
import { background } from "../support/operations.ts";

/** What R2 refuses of one integration keeps no other's operations in the database, and none is lost by it. */

const OLD = 6;

let shop: TestIntegration;
let stranger: TestIntegration;
let before: Snapshot;

beforeAll(async () => {
  // In the order in which a round looks at them.
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  for (const { integrationUuid } of [shop, stranger]) {
    await addOperations(integrationUuid, crypto.randomUUID(), OLD, "mint");
    await addOperations(integrationUuid, crypto.randomUUID(), NEWEST);
  }
  before = await takeSnapshot();
});

afterEach(() => goBack(before));

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

const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll("-", ""), "hex");

/** Old operations in the database, and in files that rows name and that are there. */
const placesOf = async ({ integrationUuid }: TestIntegration): Promise<[database: number, files: number]> => {
  const id = bytesOf(integrationUuid);
  // Inside: the API shows an operation wherever it is; these tests are about where.
  const rows = await env.DB.prepare(
    "SELECT count(*) AS count FROM operations WHERE integration_id = ? AND kind = 'mint'",
  )
    .bind(id)
    .first<{ count: number }>();
  const named = await env.DB.prepare("SELECT object_key AS key FROM archives WHERE integration_id = ?")
    .bind(id)
    .all<{ key: string }>();
  let files = 0;
  for (const { key } of named.results) {
    const text = await (await env.BUCKET.get(key))!.text();
    files += text.split("\n").filter((line) => line.includes('"row"')).length;
  }
  return [rows!.count, files];
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
    const { results } = await env.DB.prepare(
      "SELECT lower(hex(id)) AS id FROM operations WHERE integration_id = ? AND kind = 'mint' ORDER BY id",
    )
      .bind(bytesOf(shop.integrationUuid))
      .all<{ id: string }>();
    const [first, second] = results.map(({ id }) => id);
    await env.DB.prepare(
      "UPDATE operations SET finished_at = finished_at - ? WHERE id IN (unhex(?), unhex(?))",
    )
      .bind(3 * DAY, first, second)
      .run();
    const log = await run((key, body) => key.startsWith("archive/") && body.includes(uuidOf(first!)));
    expect(log.map(({ event }) => event)).toContain("archive.file_refused");
    expect(await placesOf(shop)).toEqual([2, OLD - 2]);
    expect(await placesOf(stranger)).toEqual([0, OLD]);
    await run(() => false);
    expect(await placesOf(shop)).toEqual([0, OLD]);
  });

  test("operations of one integration that can't be read don't stop the others", async () => {
    let reads = 0;
    const DB = new Proxy(env.DB, {
      get: (target, name) => {
        if (name === "prepare") {
          return (text: string) => {
            // The page of the first integration.
            if (text.includes("octet_length(request)") && ++reads === 1) throw new Error("D1_ERROR");
            return target.prepare(text);
          };
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const events: string[] = [];
    await background.reconcile(40 * DAY, (event) => void events.push(event), { DB });
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

test("the operation with the highest row number stays until there is a later one", async () => {
  await env.DB.prepare(
    `UPDATE operations SET rowid = (SELECT max(rowid) + 1 FROM operations)
     WHERE id = (SELECT min(id) FROM operations WHERE integration_id = ? AND kind = 'mint')`,
  )
    .bind(bytesOf(shop.integrationUuid))
    .run();
  await run(() => false);
  expect(await placesOf(shop)).toEqual([1, OLD - 1]);
  await addOperations(stranger.integrationUuid, crypto.randomUUID(), 1);
  await run(() => false);
  expect(await placesOf(shop)).toEqual([0, OLD]);
});

const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { admin, api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { addOperations, archive, DAY, NEWEST } from "../support/archives.ts";
import { createCollection, createHalfSold } from "../support/collections.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { inLedger, putLedger, takeLedger } from "../support/ledgers.ts";
import { background, killAt, observeCheckpoints } from "../support/operations.ts";

/** Operations and transactions that ended a month ago are in R2, and every endpoint answers as if they weren't. */

let shop: TestIntegration;
let stranger: TestIntegration;
let collection: string;
/** Collections of which a mint of two fails on the chain. */
let halfSold: readonly [string, string];
/** A key for each test, since one may send a bounded number of requests. */
const keys: string[] = [];
let key: string;
/** What is archived, in the order of acceptance. */
let old: string[];

beforeAll(async () => {
  [shop, stranger] = [await createIntegration("Shop"), await createIntegration("Stranger")];
  collection = (await createCollection(shop, { copies: [4] })).collection_uuid;
  key = shop.key;
  halfSold = [(await createHalfSold(shop)).collection_uuid, (await createHalfSold(shop)).collection_uuid];
  await allowlist("alice.near");
  for (let tokens = 0; tokens < 4; tokens += 1) await bodyOf(await mint(), 201);
  await failedMint(halfSold[0]);
  await bodyOf(await allowBob(), 200);
  old = (await whole<{ operation_uuid: string; kind: string }>("/operation"))
    .filter(({ kind }) => kind === "mint" || kind === "allowlist_add")
    .map(({ operation_uuid }) => operation_uuid)
    .toReversed();
  await fillUp();
  for (let count = 0; count < 20; count += 1) {
    const path = `/integration/${shop.integrationUuid}/key`;
    const issued = await admin(path, { json: { name: `key ${count}`, role: "full" } });
    keys.push((await bodyOf<{ api_key: string }>(issued, 201)).api_key);
  }
});

afterEach(() => observeCheckpoints(null));

const allowlist = async (account: string) =>
  bodyOf(
    await api(`/collection/${collection}/allowlist-add`, {
      method: "PUT",
      key: shop.key,
      json: { accounts: [account] },
    }),
    200,
  );
const allowBob = () =>
  api(`/collection/${collection}/allowlist-add`, {
    method: "PUT",
    key,
    headers: { "Idempotency-Key": "bob" },
    json: { accounts: ["bob.near"] },
  });
const mint = () =>
  api(`/collection/${collection}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [shop.walletAccountId], reference: "order-7" },
  });

const failedMint = async (uuid: string) => {
  const json = { receiver_addresses: [shop.walletAccountId], quantity_per_receiver: 2 };
  return bodyOf(await api(`/collection/${uuid}/mint`, { key: shop.key, json }), 409);
};

/**
 * Younger operations, so that the ones before aren't among the newest. The last is one that the wallet knows, by which it
 * sees that the database wasn't rolled back; it failed, so that recovery begins with the wallet's first.
 */
const fillUp = async () => {
  await addOperations(shop.integrationUuid, collection, NEWEST - 1);
  await failedMint(halfSold[1]);
};

/** A whole list as one answer has it. */
const whole = async <Item>(path: string): Promise<Item[]> => bodyOf(await api(path, { key }), 200);

/** A list as its pages have it. */
const paged = async (path: string, limit: number): Promise<unknown[]> => {
  const items: unknown[] = [];
  let next: string | undefined = `${path}${path.includes("?") ? "&" : "?"}limit=${limit}`;
  while (next !== undefined) {
    const response: Response = await api(next, { key });
    const link: string | null = response.headers.get("link");
    items.push(...(await bodyOf<unknown[]>(response, 200)));
    const address: string | undefined = /<([^>]+)>; rel="next"/.exec(link ?? "")?.[1];
    next = address === undefined ? undefined : new URL(address).pathname + new URL(address).search;
  }
  return items;
};

/** Everything that the integration can read about its operations. */
const everything = async () => {
  const { created_at } = await bodyOf<{ created_at: string }>(
    await api(`/operation/${old[2]}`, { key }),
    200,
  );
  const lists = [
    "/operation",
    "/operation?state=failed",
    "/operation?state=pending",
    "/operation?kind=mint&state=succeeded",
    "/operation?kind=allowlist_add",
    `/operation?subject_uuid=${collection}`,
    "/operation?reference=order-7",
    `/operation?created_after=${created_at}`,
    "/transaction",
  ];
  const read: unknown[] = [];
  for (const list of lists) {
    const items = await whole(list);
    for (const limit of items.length > 50 ? [45, 1_000] : [1, 3])
      expect(await paged(list, limit)).toEqual(items);
    read.push({ list, items });
  }
  for (const uuid of old) read.push(await whole(`/operation/${uuid}`));
  read.push(await whole("/event?after=0&limit=1000"));
  return read;
};

const inDatabase = async (): Promise<number> => {
  const ids = old.map(blob).join(", ");
  // Inside: the API shows an operation wherever it is; these tests are about where.
  const [row] = await inLedger<{ count: number }>(
    shop.integrationUuid,
    `SELECT (SELECT count(*) FROM operations WHERE id IN (${ids})) + (SELECT count(*) FROM transactions
     WHERE operation_id IN (${ids})) AS count`,
  );
  return row!.count;
};
/** Those of these tests, and the creation of the wallet. */
const inFiles = async (): Promise<number> =>
  (
    await inLedger<{ count: number }>(
      shop.integrationUuid,
      "SELECT coalesce(sum(operations), 0) AS count FROM archives",
    )
  )[0]!.count;
const keptFiles = async (): Promise<string[]> =>
  (await env.BUCKET.list({ prefix: "archive/" })).objects.map(({ key }) => key);

const blob = (uuid: string): string => `x'${uuid.replaceAll("-", "")}'`;

/** Runs a test on the database as it was before, and takes it back afterwards. */
const undone = async (work: (undo: () => Promise<void>) => Promise<void>) => {
  key = keys.pop() ?? shop.key;
  const [before, ledger] = [await takeSnapshot(), await takeLedger(shop.integrationUuid)];
  const undo = async () => {
    await goBack(before);
    await putLedger(shop.integrationUuid, ledger);
  };
  try {
    await work(undo);
  } finally {
    observeCheckpoints(null);
    await undo();
  }
};

describe("operations that ended long ago", () => {
  test("leave the database, and can be read as before", () =>
    undone(async () => {
      const before = await everything();
      expect(await inDatabase()).toBeGreaterThan(old.length);
      await archive(20 * DAY);
      expect(await inFiles()).toBe(0);
      await archive();
      expect([await inDatabase(), await inFiles()]).toEqual([0, old.length + 1]);
      expect(await everything()).toEqual(before);
      expect((await keptFiles()).every((key) => key.startsWith(`archive/${shop.integrationUuid}/20`))).toBe(
        true,
      );
      await archive();
      expect(await everything()).toEqual(before);
    }));

  test("are visible to their integration and the operator only", () =>
    undone(async () => {
      const [uuid] = old;
      const before = await whole(`/operation/${uuid}`);
      await archive();
      expect((await api(`/operation/${uuid}`, { key: stranger.key })).status).toBe(404);
      expect((await admin(`/operation/${uuid}`)).status).toBe(404);
      const query = `integration_uuid=${shop.integrationUuid}`;
      expect(await bodyOf(await admin(`/operation/${uuid}?${query}`), 200)).toEqual(before);
    }));

  test("are returned for their Idempotency-Key", () =>
    undone(async () => {
      const before = await bodyOf(await allowBob(), 200);
      await archive();
      const again = await allowBob();
      expect(again.headers.get("Idempotency-Replayed")).toBe("true");
      expect(await bodyOf(again, 200)).toEqual(before);
      expect(await inDatabase()).toBe(0);
    }));

  test("keep their transactions' positions in the list, whenever those were recorded", () =>
    undone(async () => {
      const [first, second] = [old[1]!, old[3]!];
      const moved = (uuid: string) =>
        `UPDATE transactions SET created_at = created_at - ${3 * DAY} WHERE operation_id = ${blob(uuid)}`;
      for (const sql of [
        moved(first),
        // As one that was unknown for days: some of its transactions were recorded before others.
        `INSERT INTO transactions SELECT randomblob(32), operation_id, integration_id, step, result, created_at
         FROM transactions WHERE operation_id = ${blob(second)}`,
        `${moved(second)} AND rowid = (SELECT max(rowid) FROM transactions)`,
      ])
        await inLedger(shop.integrationUuid, sql);
      const before = await everything();
      await archive();
      expect([await inDatabase(), await inFiles()]).toEqual([1 + 2, old.length]);
      expect(await everything()).toEqual(before);
    }));

  test("of a deleted integration are archived too, and can be read by the operator", () =>
    undone(async () => {
      const before = await whole(`/operation/${old[0]}`);
      const own = `/integration/${shop.integrationUuid}`;
      await bodyOf(await admin(own, { method: "PUT", json: { suspended: true } }), 200);
      await bodyOf(await admin(`${own}?leave_funds=true`, { method: "DELETE" }), 200);
      await archive();
      expect(await inDatabase()).toBe(0);
      const query = `integration_uuid=${shop.integrationUuid}`;
      expect(await bodyOf(await admin(`/operation/${old[0]}?${query}`), 200)).toEqual(before);
    }));

  test.each(["archive.before_file", "archive.file_written", "archive.rows_replaced"])(
    "are neither lost nor listed twice if a run stops at %s",
    (point) =>
      undone(async () => {
        const before = await everything();
        const kills = killAt(point);
        await archive();
        expect(kills.count).toBeGreaterThan(0);
        observeCheckpoints(null);
        expect(await everything()).toEqual(before);
        await archive();
        expect([await inDatabase(), await inFiles()]).toEqual([0, old.length + 1]);
        expect(await everything()).toEqual(before);
      }),
  );

  test("are listed once if two runs archive them concurrently", () =>
    undone(async () => {
      const before = await everything();
      await Promise.all([archive(), archive()]);
      expect([await inDatabase(), await inFiles()]).toEqual([0, old.length + 1]);
      expect(await everything()).toEqual(before);
    }));

  test("are listed once after the database was rolled back to a time before", () =>
    undone(async (undo) => {
      const before = await everything();
      await archive();
      await undo();
      expect(await everything()).toEqual(before);
      await archive();
      expect([await inDatabase(), await inFiles()]).toEqual([0, old.length + 1]);
      expect(await everything()).toEqual(before);
    }));

  test("leave no unreferenced file permanently", () =>
    undone(async (undo) => {
      await archive();
      const orphans = await keptFiles();
      await undo();
      await background.cleanUp(60 * DAY);
      expect(await keptFiles()).toEqual(orphans);
      await archive();
      await background.cleanUp(62 * DAY);
      const left = await keptFiles();
      expect(left.filter((key) => orphans.includes(key))).toEqual([]);
      expect(left.length).toBeGreaterThan(0);
      const named = await inLedger<{ key: string }>(
        shop.integrationUuid,
        "SELECT object_key AS key FROM archives",
      );
      expect(named.map(({ key }) => key).toSorted()).toEqual(left.toSorted());
    }));
});

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
// Inside: no answer shows how many rows a statement writes.
import { openDatabase } from "../../src/db/client.ts";
import { keepMintTransaction } from "../../src/db/queries/mint-transactions.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { apiWith, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { createCollection } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { watchedLedgers } from "../support/ledgers.ts";
import { setWalletBindings } from "../support/wallets.ts";

/**
 * What a mint costs at Cloudflare is what it reads and writes: docs/running.md has the prices. The counts are those that
 * D1 and SQLite tell themselves.
 */

interface Counts {
  d1_read: number;
  d1_written: number;
  object_calls: number;
  object_read: number;
  object_written: number;
}

let shop: TestIntegration;
let collection: string;

beforeAll(async () => {
  shop = await createIntegration("Counted shop");
  collection = (await createCollection(shop, { copies: [1_000] })).collection_uuid;
});

/** D1 that adds up the rows that its answers tell. */
const countingDatabase = (counts: Counts): D1Database => {
  const note = <T>(answer: T): T => {
    for (const { meta } of [answer].flat() as D1Result[]) {
      counts.d1_read += meta.rows_read ?? 0;
      counts.d1_written += meta.rows_written ?? 0;
    }
    return answer;
  };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const statement = (inner: D1PreparedStatement): D1PreparedStatement => {
    const outer = new Proxy(inner, {
      get: (target, name) => {
        if (name === "bind") return (...values: unknown[]) => statement(target.bind(...values));
        // What drizzle reads as arrays has no counts: it is asked for as objects, which costs the same.
        if (name === "raw") {
          return async () => {
            const { results } = note(await target.all<Record<string, unknown>>());
            return results.map((row) => Object.values(row));
          };
        }
        if (name === "all" || name === "run") return async () => note(await target[name]());
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    originals.set(outer, inner);
    return outer;
  };
  // Inside: no answer shows how many rows a request reads and writes.
  return new Proxy(env.DB, {
    get: (target, name) => {
      if (name === "prepare") return (text: string) => statement(target.prepare(text));
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) =>
          note(await target.batch(statements.map((one) => originals.get(one) ?? one)));
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
};

/** Adds up the rows that the wallet's own SQLite reads and writes from now on. */
const countObject = (counts: Counts): Promise<void> =>
  runInDurableObject(env.WALLET.getByName(shop.integrationUuid), (_, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    Object.defineProperty(sql, "exec", {
      configurable: true,
      value: (...parameters: Parameters<typeof exec>) => {
        const cursor = exec(...parameters);
        // Complete once it is read, which a write is at once.
        const rows = cursor.toArray();
        counts.object_read += cursor.rowsRead;
        counts.object_written += cursor.rowsWritten;
        const raw = () => rows.map((row) => Object.values(row));
        const { columnNames } = cursor;
        return Object.assign(rows, { toArray: () => rows, one: () => rows[0], raw, columnNames });
      },
    });
  });

const none = (): Counts => ({
  d1_read: 0,
  d1_written: 0,
  object_calls: 0,
  object_read: 0,
  object_written: 0,
});

/** Mints once, and adds up what that costs. */
const mint = async (counts: Counts, headers: Readonly<Record<string, string>>): Promise<void> => {
  const [receiver] = await createReceivers(1);
  const DB = countingDatabase(counts);
  const WALLET = watchedLedgers((_method, call) => {
    counts.object_calls += 1;
    return call();
  });
  const bindings = { DB, WALLET };
  await setWalletBindings(shop.integrationUuid, { DB });
  const { response, background } = await apiWith(bindings, `/collection/${collection}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [receiver] },
    headers,
  });
  await bodyOf(response, 201);
  await background();
};

test("a single mint with a stored answer asks D1 for nothing, and is one call of its ledger", async () => {
  // The isolate learns where the collection is.
  await mint(none(), {});
  const counts = none();
  await countObject(counts);
  await mint(counts, { "idempotency-key": crypto.randomUUID() });
  expect(counts).toMatchObject({ d1_read: 0, d1_written: 0, object_calls: 1 });
  // A loaded machine has the object look more often.
  expect(counts.object_written).toBeLessThanOrEqual(90);
  expect(counts.object_read).toBeLessThanOrEqual(500);
});

test("a mint transaction that a page has noted isn't written again by a second request", async () => {
  const shown = await createCollection(shop, { copies: [10] });
  const slug = `counted-${crypto.randomUUID().slice(0, 8)}`;
  await bodyOf(await putPage(shop.key, shown.collection_uuid, { slug, enabled: true }), 200);
  const db = openDatabase(env.DB);
  const note = async (...tokenIds: string[]): Promise<number> => {
    const statement = keepMintTransaction(db, shown.collection_uuid as Uuid, { hash: "hash", tokenIds });
    const [{ meta }] = (await db.batch([statement])) as [D1Result];
    return meta.rows_written;
  };
  expect([await note("1:99", "1:100"), await note("1:99", "1:100"), await note("1:101")]).toEqual([2, 0, 1]);
});

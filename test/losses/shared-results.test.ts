import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
// Inside: no answer shows how the results of a shared transaction are stored.
import { runBatch } from "../../src/db/client.ts";
import { ledgerOf, sentOf } from "../../src/db/ledger.ts";
import {
  copySharedResult,
  insertTransactions,
  resultsOfOperation,
} from "../../src/db/queries/operation-transactions.ts";
import { transactions } from "../../src/db/schema/ledger.ts";
import type { Statement } from "../../src/db/statements.ts";
import { type Uuid, uuidFromBytes, uuidToBytes } from "../../src/domain/ids.ts";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { addOperations, archive, DAY, NEWEST } from "../support/archives.ts";
import { createCollection } from "../support/collections.ts";
import { inLedger, inLedgers, putLedger, takeLedger } from "../support/ledgers.ts";
import { finalAnswer, type OperationResource, readOperation } from "../support/operations.ts";
import { walletOf } from "../support/own-wallets.ts";
import { unsigned } from "../support/shared-mints.ts";
import { until } from "../support/waiting.ts";

/** The result of a transaction is stored once, however many operations share it, and every answer shows it. */

interface Minted {
  readonly tokens: readonly { readonly token_id: string }[];
  readonly tx_results: readonly { readonly transaction_hash: string; readonly logs: readonly string[] }[];
}

interface Row {
  readonly operation: string;
  readonly length: number;
  readonly result: string;
}

let shop: TestIntegration;
let collection: string;
let receivers: string[];
/** Operations that share a transaction, in the order in which their rows were written, and what their callers were told. */
let shared: { readonly uuid: string; readonly key: string; readonly body: Minted }[];
let kept: Awaited<ReturnType<typeof takeLedger>>;

beforeAll(async () => {
  shop = await createIntegration("Shared results");
  collection = (await createCollection(shop, { copies: [100] })).collection_uuid;
  receivers = await createReceivers(3);
  // Recovery begins behind an operation that the database has.
  await bodyOf(await mint("before", receivers[0]!), 201);
  const wallet = walletOf(shop.integrationUuid);
  const { answers } = await unsigned(shop.integrationUuid, async () => {
    const sent = receivers.map((receiver, index) => mint(`mint ${index}`, receiver));
    await until(async () => (await wallet.status()).queued === receivers.length);
    return { answers: sent };
  });
  const told = await Promise.all(
    answers.map(async (answer, index) => {
      const uuid = (await answer).headers.get("x-operation-uuid")!;
      const { body } = await finalAnswer<Minted>(shop.key, await answer);
      return { uuid, key: `mint ${index}`, body };
    }),
  );
  const order = (await rows()).map(({ operation }) => operation);
  shared = told.toSorted((one, other) => order.indexOf(one.uuid) - order.indexOf(other.uuid));
  await addOperations(shop.integrationUuid, collection, NEWEST);
  kept = await takeLedger(shop.integrationUuid);
});

afterEach(async () => {
  await putLedger(shop.integrationUuid, kept);
  const { objects } = await env.BUCKET.list({ prefix: `archive/${shop.integrationUuid}/` });
  await env.BUCKET.delete(objects.map(({ key }) => key));
});

const mint = (key: string, receiver: string): Promise<Response> =>
  api(`/collection/${collection}/mint`, {
    key: shop.key,
    headers: { "idempotency-key": key },
    json: { receiver_addresses: [receiver] },
  });

const blob = (uuid: string): string => `x'${uuid.replaceAll("-", "")}'`;

/** Rows of the transactions that several operations share, in the order of their keys: the first record comes first. */
const rows = async (): Promise<Row[]> => {
  // Inside: no answer shows how the results of a shared transaction are stored.
  const results = await inLedger<Row>(
    shop.integrationUuid,
    `SELECT hex(operation_id) AS operation, length(hash) AS length, result FROM transactions AS own
     WHERE length(hash) > 32 OR EXISTS (
       SELECT 1 FROM transactions AS other WHERE length(other.hash) > 32 AND substr(other.hash, 1, 32) = own.hash)
     ORDER BY hash`,
  );
  return results.map((row) => ({ ...row, operation: uuidFromBytes(Buffer.from(row.operation, "hex")) }));
};

const archivedTexts = async (): Promise<string[]> => {
  const { objects } = await env.BUCKET.list({ prefix: `archive/${shop.integrationUuid}/` });
  return Promise.all(objects.map(async ({ key }) => (await env.BUCKET.get(key))!.text()));
};

/** That each operation, its key, its event and the list of transactions show what they showed at first. */
const expectAsTold = async (): Promise<void> => {
  for (const { uuid, body } of shared) {
    const operation = await readOperation<Minted>(shop.key, uuid);
    expect(operation.answer).toEqual({ status: 201, body });
    expect(operation.transactions).toEqual(body.tx_results);
  }
  const events = await bodyOf<{ type: string; data: OperationResource<Minted> }[]>(
    await api("/event?type=operation.succeeded&limit=100", { key: shop.key }),
    200,
  );
  const listed = await bodyOf<{ transaction_hash: string }[]>(
    await api("/transaction", { key: shop.key }),
    200,
  );
  for (const [index, { uuid, body, key }] of shared.entries()) {
    const again = await mint(key, receivers[Number(key.at(-1))]!);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(body);
    const told = events.find(({ data }) => data.operation_uuid === uuid)!;
    expect(told.data.answer).toEqual({ status: 201, body });
    expect(told.data.transactions).toEqual(body.tx_results);
    const [result] = body.tx_results;
    const same = listed.filter(({ transaction_hash }) => transaction_hash === result!.transaction_hash);
    expect(same, `${index}`).toEqual([result]);
  }
};

/** Operations that ended so late that they stay when others are archived. */
const staying = (uuids: readonly string[]) =>
  inLedger(
    shop.integrationUuid,
    `UPDATE operations SET finished_at = finished_at + ${20 * DAY} WHERE id IN (${uuids.map(blob).join(", ")})`,
  );

const inDatabase = async (): Promise<number> =>
  (
    await inLedger<{ count: number }>(
      shop.integrationUuid,
      `SELECT count(*) AS count FROM operations WHERE id IN (${shared.map(({ uuid }) => blob(uuid)).join(", ")})`,
    )
  )[0]!.count;

describe("the result of a transaction that several operations share", () => {
  test("is stored once, and shown in each answer", async () => {
    const [first] = shared;
    expect(first!.body.tx_results[0]!.logs.length).toBeGreaterThan(0);
    expect(shared.map(({ body }) => body.tx_results)).toEqual(Array(3).fill(first!.body.tx_results));
    expect(await rows()).toEqual([
      { operation: first!.uuid, length: 32, result: JSON.stringify(first!.body.tx_results[0]) },
      { operation: shared[1]!.uuid, length: 48, result: "null" },
      { operation: shared[2]!.uuid, length: 48, result: "null" },
    ]);
    const told = "SELECT answer_body AS body FROM operations WHERE answer_body LIKE '%gas_burnt%'";
    expect(await inLedger(shop.integrationUuid, told)).toEqual([]);
    await expectAsTold();
  });

  test("is kept for the other operations when the operation that has it is archived", async () => {
    const [first, ...others] = shared;
    await staying(others.map(({ uuid }) => uuid));
    await archive();
    expect(await inDatabase()).toBe(2);
    expect(await archivedTexts()).toEqual([expect.stringContaining(first!.uuid)]);
    await expectAsTold();
    await archive(80 * DAY);
    expect(await inDatabase()).toBe(0);
    await expectAsTold();
  });

  test("is in the archive files of operations that are archived before the one that has it", async () => {
    await staying([shared[0]!.uuid]);
    await archive();
    expect(await inDatabase()).toBe(1);
    await expectAsTold();
  });

  test("is stored once in each archive file too", async () => {
    await archive();
    expect(await inDatabase()).toBe(0);
    const text = (await archivedTexts()).join("\n");
    const [result] = shared[0]!.body.tx_results;
    expect(text.split(JSON.stringify(result!.logs)).length).toBe(2);
    await expectAsTold();
  });
});

test("a later record with a different result keeps its own result", async () => {
  const db = ledgerOf({ env }, shop.integrationUuid as Uuid);
  const [first, second, third] = shared.map(({ uuid }) => uuid as Uuid) as [Uuid, Uuid, Uuid];
  const hash = crypto.getRandomValues(new Uint8Array(32));
  const record = (id: Uuid, status: string): Statement[] => {
    const operation = { id, integrationId: shop.integrationUuid as Uuid };
    return insertTransactions(operation, [{ hash, step: "mint", result: { status } }], new Date());
  };
  const last = async (id: Uuid) => (await resultsOfOperation(db, id)).at(-1)!.result;
  const run = (statements: readonly Statement[]) => runBatch(db, statements);
  await inLedgers(`UPDATE operations SET state = 'unknown' WHERE id = ${blob(first)}`);
  await run([...record(first, "pending"), ...record(second, "success"), ...record(third, "pending")]);
  expect([await last(first), await last(second), await last(third)]).toEqual([
    { status: "pending" },
    { status: "success" },
    { status: "pending" },
  ]);
  // The first one is settled. One that is over isn't written again.
  await run([...record(first, "success"), ...record(second, "pending")]);
  expect([await last(first), await last(second)]).toEqual([{ status: "success" }, { status: "success" }]);
});

test("a record replaces an earlier one, even if the first was archived in the meantime", async () => {
  const db = ledgerOf({ env }, shop.integrationUuid as Uuid);
  const [first, second] = shared.map(({ uuid }) => uuid as Uuid) as [Uuid, Uuid];
  const hash = crypto.getRandomValues(new Uint8Array(32));
  const record = (id: Uuid, status: string): Statement[] => {
    const operation = { id, integrationId: shop.integrationUuid as Uuid };
    return insertTransactions(operation, [{ hash, step: "mint", result: { status } }], new Date());
  };
  const run = (statements: readonly Statement[]) => runBatch(db, statements);
  await inLedgers(`UPDATE operations SET state = 'unknown' WHERE id = ${blob(second)}`);
  await run([...record(first, "pending"), ...record(second, "pending")]);
  const before = await resultsOfOperation(db, second);
  // As an archive does that takes the first one along.
  const gone = sql`operation_id = ${uuidToBytes(first)} AND hash = ${hash}`;
  await run([copySharedResult(db, sql`true`, gone), db.delete(transactions).where(gone)]);
  expect(await resultsOfOperation(db, second)).toEqual(before);
  await run(record(second, "success"));
  expect((await resultsOfOperation(db, second)).map(({ result }) => result)).toEqual([
    ...before.slice(0, -1).map(({ result }) => result),
    { status: "success" },
  ]);
});

test("the text of a result is sent to the database once", () => {
  const operation = { id: shared[0]!.uuid as Uuid, integrationId: shop.integrationUuid as Uuid };
  const record = { hash: new Uint8Array(32), step: "mint", result: { logs: ["a long one"] } };
  const [insert] = insertTransactions(operation, [record], new Date());
  const { params } = sentOf(insert!);
  expect(params.filter((value) => value === JSON.stringify(record.result))).toHaveLength(1);
});

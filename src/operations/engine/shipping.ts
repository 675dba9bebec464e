import { asc, eq, sql } from "drizzle-orm";
import type { Ledger } from "../../db/ledger.ts";
import { unhexed } from "../../db/queries/blobs.ts";
import { RESULT } from "../../db/queries/operation-transactions.ts";
import { idempotencyKeys, operations, transactions, unshipped } from "../../db/schema/ledger.ts";
import { newUuid, toHex, type Uuid } from "../../domain/ids.ts";
import { type ArchivedOperation, linesOf } from "../../files/archive/file.ts";
import { recordKey } from "../../files/storage/keys.ts";
import { MOST_BYTES, MOST_LINES, putLines } from "../../files/storage/line-files.ts";
import { within } from "../../waiting.ts";

/** How long operations that were accepted or have ended are gathered for a file, unless they fill it. Milliseconds. */
const GATHERED_MS = 20_000;
/** How long R2 may take, and the pause after it failed. Milliseconds. */
const PUT_MS = 10_000;
const PAUSE_MS = 20_000;
/** Files of one run. */
const FILES = 8;

interface ShippingParts {
  readonly ledger: Ledger;
  readonly bucket: R2Bucket;
  readonly now: () => number;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/**
 * Copies operations to R2 soon after their acceptance and their end, with their results and keys, so that a ledger that loses
 * its storage gets them back (bring-back.ts). Most have ended by the time of the first copy. A file is put before its rows are taken for shipped: an interruption ships some twice.
 */
export class Shipping {
  readonly #parts: ShippingParts;
  #pausedUntil = 0;
  #isRunning = false;

  constructor(parts: ShippingParts) {
    this.#parts = parts;
  }

  /** When something is to be shipped, milliseconds since the Unix epoch; null: nothing is. */
  next(storage: SqlStorage): number | null {
    const [first] = storage
      .exec<{ at: number }>("SELECT changed_at AS at FROM unshipped ORDER BY operation_id LIMIT 1")
      .toArray();
    return first === undefined ? null : Math.max(first.at + GATHERED_MS, this.#pausedUntil);
  }

  /** Ships what is due. Never rejects. */
  async run(integrationId: Uuid): Promise<void> {
    const { ledger, now, log } = this.#parts;
    if (this.#isRunning || now() < this.#pausedUntil) return;
    this.#isRunning = true;
    try {
      for (let file = 0; file < FILES; file++) {
        // The index of changed_at would be another row for each operation.
        const found = await ledger
          .select({ operationId: unshipped.operationId, changedAt: unshipped.changedAt, bytes: BYTES })
          .from(unshipped)
          .orderBy(asc(unshipped.operationId))
          .limit(MOST_LINES);
        const ids = withinBytes(found);
        const isFull = found.length === MOST_LINES || ids.length < found.length;
        const isDue = found.some(({ changedAt }) => changedAt.getTime() + GATHERED_MS <= now());
        if (!isFull && !isDue) return;
        await this.#ship(integrationId, ids);
      }
    } catch (error) {
      this.#pausedUntil = now() + PAUSE_MS;
      log("ledger.not_shipped", { error });
    } finally {
      this.#isRunning = false;
    }
  }

  async #ship(integrationId: Uuid, ids: readonly Uuid[]): Promise<void> {
    const { ledger, bucket, now } = this.#parts;
    const ended = await recordsOf(ledger, ids);
    const key = recordKey(integrationId, new Date(now()), newUuid());
    if ((await within(PUT_MS, putLines(bucket, key, linesOf(ended)))) === null)
      throw new Error("R2 took too long");
    const shipped = JSON.stringify(
      ended.map(({ row }) => [row.id.replaceAll("-", ""), row.updatedAt.getTime()]),
    );
    // One that has changed since, by the operator's decision, is shipped again.
    await ledger.delete(unshipped).where(sql`EXISTS (
      SELECT 1 FROM json_each(${shipped}) AS given JOIN operations ON operations.id = unhex(given.value ->> 0)
      WHERE operations.id = unshipped.operation_id AND operations.updated_at = given.value ->> 1)`);
    await ledger
      .delete(unshipped)
      .where(sql`operation_id IN ${unhexed(hexes(ids))} AND operation_id NOT IN (SELECT id FROM operations)`);
  }
}

/** Size of an operation's texts. */
const BYTES = sql<number>`coalesce((SELECT octet_length(request) + coalesce(octet_length(answer_body), 0)
    FROM operations WHERE id = unshipped.operation_id), 0)
  + (SELECT coalesce(sum(octet_length(result)), 0) FROM transactions WHERE operation_id = unshipped.operation_id)`;

/** As many of the first as a file takes, and at least one: an object has 128 MB. */
const withinBytes = (found: readonly { readonly operationId: Uuid; readonly bytes: number }[]): Uuid[] => {
  let sum = 0;
  return found
    .filter(({ bytes }, index) => {
      sum += bytes;
      return index === 0 || sum <= MOST_BYTES;
    })
    .map(({ operationId }) => operationId);
};

const hexes = (ids: readonly Uuid[]): string => JSON.stringify(ids.map((id) => id.replaceAll("-", "")));

/** Operations with their transactions and keys. */
const recordsOf = async (ledger: Ledger, ids: readonly Uuid[]): Promise<ArchivedOperation[]> => {
  const named = unhexed(hexes(ids));
  const [rows, results, keys] = await ledger.batch([
    ledger.select().from(operations).where(sql`id IN ${named}`),
    ledger
      .select({
        operationId: transactions.operationId,
        hash: transactions.hash,
        step: transactions.step,
        result: RESULT.mapWith(transactions.result),
        createdAt: transactions.createdAt,
        rowNumber: sql<number>`rowid`,
      })
      .from(transactions)
      .where(sql`operation_id IN ${named}`)
      .orderBy(sql`rowid`),
    ledger
      .select()
      .from(idempotencyKeys)
      .innerJoin(operations, eq(operations.id, idempotencyKeys.operationId))
      .where(sql`idempotency_keys.operation_id IN ${named}`),
  ]);
  const byOperation = Map.groupBy(results, ({ operationId }) => operationId);
  const keysOf = Map.groupBy(keys, ({ operations: { id } }) => id);
  return rows.map((row) => ({
    row,
    transactions: (byOperation.get(row.id) ?? []).map(({ hash, step, result, createdAt, rowNumber }) => ({
      hash: toHex(hash),
      step,
      result,
      at: createdAt.getTime(),
      rowNumber,
    })),
    keys: (keysOf.get(row.id) ?? []).map(
      ({ idempotency_keys: { key, fingerprint, createdAt, expiresAt } }) => ({
        key,
        fingerprint: fingerprint === null ? null : toHex(fingerprint),
        createdAt: createdAt.getTime(),
        expiresAt: expiresAt.getTime(),
      }),
    ),
  }));
};

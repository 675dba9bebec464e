import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import type { Ledger } from "../../db/ledger.ts";
import { idsIn } from "../../db/queries/collections.ts";
import { events, idempotencyKeys, operations, unshipped } from "../../db/schema/ledger.ts";
import { newUuid, toHex, type Uuid } from "../../domain/ids.ts";
import { type ArchivedOperation, linesOf } from "../../files/archive/file.ts";
import { recordKey } from "../../files/storage/keys.ts";
import { MOST_BYTES, MOST_LINES, putLines } from "../../files/storage/line-files.ts";
import { recorded, selectRecorded } from "./archive-pages.ts";

/** How long operations that were accepted or have ended are gathered for a file, unless they fill it. Milliseconds. */
const GATHERED_MS = 20_000;
/** Pause after R2 failed. Milliseconds. */
const PAUSE_MS = 20_000;
/** How often it is looked whether a file is full. Milliseconds. */
const LOOK_MS = 1_000;

interface ShippingParts {
  readonly ledger: Ledger;
  readonly bucket: R2Bucket;
  readonly now: () => number;
  /** The integration whose ledger it is; null: nothing of it may be copied now. */
  readonly owner: () => Uuid | null;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/**
 * Copies operations to R2 soon after their acceptance and their end, with their results and keys, so that a ledger that loses
 * its storage gets them back (restore-ledger.ts). Most have ended by the time of the first copy. A file is put before its rows are
 * taken for shipped: an interruption ships some twice.
 */
export class Shipping {
  readonly #parts: ShippingParts;
  #pausedUntil = 0;
  #running: Promise<void> | null = null;
  #isTimed = false;

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

  /** Something was accepted or has ended: it is shipped in time, also while the object's alarm is busy. */
  wake(storage: SqlStorage): void {
    if (this.#isTimed || this.#parts.owner() === null) return;
    const at = this.next(storage);
    if (at === null) return;
    this.#isTimed = true;
    // Under load a file is full before.
    const wait = Math.min(Math.max(at - this.#parts.now(), 0), LOOK_MS);
    setTimeout(() => {
      this.#isTimed = false;
      void this.run().then(() => this.wake(storage));
    }, wait);
  }

  /** Ships what is due, to the end. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    const { ledger, now, log, owner } = this.#parts;
    try {
      for (;;) {
        const integrationId = owner();
        if (integrationId === null || now() < this.#pausedUntil) return;
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
    }
  }

  async #ship(integrationId: Uuid, ids: readonly Uuid[]): Promise<void> {
    const { ledger, bucket, now } = this.#parts;
    const ended = await recordsOf(ledger, ids);
    const key = recordKey(integrationId, new Date(now()), newUuid());
    await putLines(bucket, key, linesOf(ended));
    const shipped = JSON.stringify(
      ended.map(({ row }) => [row.id.replaceAll("-", ""), row.updatedAt.getTime()]),
    );
    // One that has changed since, by the operator's decision, is shipped again.
    await ledger.delete(unshipped).where(sql`EXISTS (
      SELECT 1 FROM json_each(${shipped}) AS given JOIN operations ON operations.id = unhex(given.value ->> 0)
      WHERE operations.id = unshipped.operation_id AND operations.updated_at = given.value ->> 1)`);
    await ledger
      .delete(unshipped)
      .where(sql`operation_id IN ${idsIn(ids)} AND operation_id NOT IN (SELECT id FROM operations)`);
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

/** Operations with their transactions and keys. */
const recordsOf = async (ledger: Ledger, ids: readonly Uuid[]): Promise<ArchivedOperation[]> => {
  const named = idsIn(ids);
  const [rows, results, keys, reported] = await ledger.batch([
    ...selectRecorded(ledger, named),
    // By the rows' own keys: no index finds a key by its operation.
    ledger
      .select({ idempotency_keys: idempotencyKeys })
      .from(unshipped)
      .innerJoin(operations, eq(operations.id, unshipped.operationId))
      .innerJoin(
        idempotencyKeys,
        and(
          eq(idempotencyKeys.integrationId, operations.integrationId),
          eq(idempotencyKeys.key, unshipped.key),
          eq(idempotencyKeys.operationId, operations.id),
        ),
      )
      .where(sql`unshipped.operation_id IN ${named}`),
    ledger
      .select({ events })
      .from(unshipped)
      .innerJoin(operations, eq(operations.id, unshipped.operationId))
      .innerJoin(
        events,
        and(eq(events.integrationId, operations.integrationId), eq(events.seq, unshipped.eventSeq)),
      )
      .where(and(sql`unshipped.operation_id IN ${named}`, isNotNull(unshipped.eventSeq))),
  ]);
  const keysOf = Map.groupBy(keys, ({ idempotency_keys: { operationId } }) => operationId);
  const eventsOf = new Map(reported.map(({ events: row }) => [row.operationId, row]));
  return recorded([rows, results]).map((operation) => ({
    ...operation,
    keys: (keysOf.get(operation.row.id) ?? []).map(
      ({ idempotency_keys: { key, fingerprint, createdAt, expiresAt } }) => ({
        key,
        fingerprint: fingerprint === null ? null : toHex(fingerprint),
        createdAt: createdAt.getTime(),
        expiresAt: expiresAt.getTime(),
      }),
    ),
    events: eventsOf.get(operation.row.id),
  }));
};

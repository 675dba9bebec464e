import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import type { Ledger } from "../../db/ledger.ts";
import {
  contracts,
  collections as copiedCollections,
  operationCounts as copiedCounts,
  ledgers,
} from "../../db/schema/index.ts";
import {
  collections,
  idempotencyKeys,
  leftContracts,
  meta,
  operationCounts,
  operations,
  transactions,
  unshipped,
} from "../../db/schema/ledger.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { type ArchivedOperation, operationsOf } from "../../files/archive/file.ts";
import { recordPrefix } from "../../files/storage/keys.ts";
import { readLines } from "../../files/storage/line-files.ts";

const PAGE = 50;

interface Sources {
  readonly db: Database;
  readonly bucket: R2Bucket;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/**
 * Gives a ledger that was emptied or set back what it lacks: collections and counts from D1's copies, and from R2 the
 * operations, with their keys. What it has stays, but for operations that are open in it and have ended in R2.
 * Repeatable. @returns the number of operations read
 */
export const bringBack = async (
  { db, bucket, log }: Sources,
  ledger: Ledger,
  integrationId: Uuid,
): Promise<number> => {
  await adoptCopies(db, ledger, integrationId);
  let count = 0;
  for (let cursor: string | undefined; ; ) {
    const page: R2Objects = await bucket.list({ prefix: recordPrefix(integrationId), cursor, limit: PAGE });
    for (const { key } of page.objects) {
      const found = operationsOf((await readLines(bucket, key)) ?? []);
      for (const operation of found) await putBack(ledger, operation);
      count += found.length;
    }
    if (!page.truncated) break;
    cursor = page.cursor;
  }
  await ledger.update(meta).set({ broughtBack: true });
  log("ledger.brought_back", { integration_uuid: integrationId, operations: count });
  return count;
};

const adoptCopies = async (db: Database, ledger: Ledger, integrationId: Uuid): Promise<void> => {
  for (let after: Uuid | null = null; ; ) {
    const page: (typeof copiedCollections.$inferSelect)[] = await db
      .select()
      .from(copiedCollections)
      .where(
        and(
          eq(copiedCollections.integrationId, integrationId),
          after ? gt(copiedCollections.id, after) : undefined,
        ),
      )
      .orderBy(asc(copiedCollections.id))
      .limit(PAGE);
    for (const { ledgerVersion, ...row } of page) {
      await ledger
        .insert(collections)
        .values(row)
        .onConflictDoUpdate({
          target: collections.id,
          set: row,
          setWhere: sql`${collections.ledgerVersion} < ${ledgerVersion}`,
        });
    }
    if (page.length < PAGE) break;
    after = page.at(-1)!.id;
  }
  const [counts, left, [known]] = await db.batch([
    db
      .select()
      .from(copiedCounts)
      .where(sql`integration_id = ${uuidToBytes(integrationId)} AND day > -1`),
    db
      .select({ accountId: contracts.accountId, leftAt: contracts.leftAt })
      .from(contracts)
      .where(and(eq(contracts.integrationId, integrationId), isNotNull(contracts.leftAt))),
    db.select({ unpaidSales: ledgers.unpaidSales }).from(ledgers).where(eq(ledgers.id, integrationId)),
  ]);
  for (const row of counts) {
    await ledger
      .insert(operationCounts)
      .values({ ...row, ledgerVersion: 0 })
      .onConflictDoUpdate({
        target: [
          operationCounts.integrationId,
          operationCounts.day,
          operationCounts.kind,
          operationCounts.state,
          operationCounts.bucket,
        ],
        set: { count: row.count },
        setWhere: sql`${operationCounts.ledgerVersion} < ${row.ledgerVersion}`,
      });
  }
  for (const { accountId, leftAt } of left) {
    await ledger.insert(leftContracts).values({ accountId, leftAt: leftAt! }).onConflictDoNothing();
  }
  // D1's sum is the later one, which a payout may have lowered: nothing was earned since.
  if (known)
    await ledger
      .update(meta)
      .set({ unpaidSales: known.unpaidSales })
      .where(sql`forgot_version > version OR version = 0`);
};

const putBack = async (ledger: Ledger, { row, transactions: recorded, keys = [] }: ArchivedOperation) => {
  const { id, integrationId } = row;
  const { state, answerStatus, answerBody, finishedAt, height, actualCost, updatedAt } = row;
  await ledger.batch([
    ledger.insert(operations).values(row).onConflictDoUpdate({
      target: operations.id,
      set: { state, answerStatus, answerBody, finishedAt, height, actualCost, updatedAt },
      setWhere: sql`operations.state IN ('pending', 'unknown') AND operations.updated_at < excluded.updated_at`,
    }),
    ...recorded.map(({ hash, step, result, at }) =>
      ledger
        .insert(transactions)
        .values({
          hash: new Uint8Array(Buffer.from(hash, "hex")),
          operationId: id,
          integrationId,
          step,
          result,
          createdAt: new Date(at),
        })
        .onConflictDoNothing(),
    ),
    ...keys.map(({ key, fingerprint, createdAt, expiresAt }) =>
      ledger
        .insert(idempotencyKeys)
        .values({
          integrationId,
          key,
          fingerprint: fingerprint === null ? null : new Uint8Array(Buffer.from(fingerprint, "hex")),
          operationId: id,
          createdAt: new Date(createdAt),
          expiresAt: new Date(expiresAt),
        })
        .onConflictDoNothing(),
    ),
    // R2 has it as it is.
    ledger
      .delete(unshipped)
      .where(
        and(
          eq(unshipped.operationId, id),
          sql`EXISTS (SELECT 1 FROM operations WHERE id = ${uuidToBytes(id)} AND updated_at = ${updatedAt.getTime()})`,
        ),
      ),
  ]);
};

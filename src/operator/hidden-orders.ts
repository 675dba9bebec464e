import { and, asc, eq, sql } from "drizzle-orm";
import type { HiddenOrder } from "../api/resources/reveal.ts";
import type { Rotation } from "../api/resources/wallet.ts";
import {
  keepOrder,
  olderOrdersInR2,
  readOrder,
  resealOrder,
  shuffledAssets,
} from "../collections/hidden-assets.ts";
import type { ServiceContext } from "../context.ts";
import { type Database, runBatch } from "../db/client.ts";
import { ledgerOf } from "../db/ledger.ts";
import { recordChange } from "../db/queries/audit.ts";
import { setOrder } from "../db/queries/collection-effects.ts";
import { ledgersByOpen } from "../db/queries/integrations.ts";
import { OPEN } from "../db/queries/operations.ts";
import { readSweep, writeSweep } from "../db/queries/sweeps.ts";
import { collections } from "../db/schema/index.ts";
import { operations } from "../db/schema/ledger.ts";
import { ServiceError } from "../domain/errors.ts";
import { type Uuid, uuidToBytes } from "../domain/ids.ts";
import { newestVersion } from "../domain/sealing.ts";

/**
 * Everything that opens a collection's commitment, for keeping elsewhere: whoever has it can reveal the collection from
 * the contract owner's account without the service. The audit log records it. @throws ServiceError not_found, conflict
 */
export const exportOrder = async (context: ServiceContext, id: Uuid): Promise<HiddenOrder> => {
  const collection = await context.db.select().from(collections).where(eq(collections.id, id)).get();
  if (!collection)
    throw new ServiceError("not_found", "There is no such collection. Check its collection_uuid.");
  if (collection.reveal === null)
    throw new ServiceError("conflict", "This collection has never hidden its assets.");
  const { all, batches } = await shuffledAssets(context, collection);
  const exported = { action: "collection.order_exported", subjectId: id } as const;
  await runBatch(context.db, recordChange(context, collection.integrationId, exported, sql`true`));
  return {
    collection_uuid: id,
    collection_id: collection.onChainId,
    commitment: collection.reveal.commitment,
    batches: batches.map(({ first, assets, bytes, next }) => ({
      asset_uuids: all.slice(first, first + assets).map((asset) => asset.id),
      assets: base64(bytes),
      next: base64(next),
    })),
  };
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const SWEEP = "reveal_secret_rotation";
const ROUND = 200;
/** Ledgers that are asked for finalizations at once. */
const AT_ONCE = 20;

/** Where a round is: behind this collection with this version. */
interface Cursor {
  readonly version: number;
  readonly id: Uuid;
}

const VERSION = sql<number>`(reveal ->> '$.order.secretVersion')`;

const isOlder = (version: number) => and(sql`reveal IS NOT NULL`, sql`${VERSION} < ${version}`);

/** Collections with an order that is sealed under an older version, after a cursor. */
const ordersBefore = (db: Database, version: number, after: Cursor | null) =>
  db
    .select({
      id: collections.id,
      integrationId: collections.integrationId,
      reveal: collections.reveal,
      version: VERSION,
    })
    .from(collections)
    .where(
      and(
        isOlder(version),
        after ? sql`(${VERSION}, id) > (${after.version}, ${uuidToBytes(after.id)})` : undefined,
      ),
    )
    .orderBy(VERSION, asc(collections.id))
    .limit(ROUND);

/** Finalizations under way with an order that is sealed under an older version. Their end seals it again, in D1 and in R2. */
const isPendingOlder = (version: number) =>
  sql`${OPEN} AND kind = 'finalize' AND request ->> '$.reveal.order.secretVersion' < ${version}`;

const countPendingOlder = async (context: ServiceContext, version: number): Promise<number> => {
  let count = 0;
  for await (const some of ledgersByOpen(context.db, AT_ONCE, 0)) {
    const asked = await Promise.allSettled(
      some.map((id) => ledgerOf(context, id).$count(operations, isPendingOlder(version))),
    );
    // A ledger that doesn't answer may have one.
    for (const one of asked) count += one.status === "fulfilled" ? one.value : 1;
  }
  return count;
};

/** Seals orders of hidden assets again under the newest version, some a call, in D1 and in R2. A failure blocks no others. */
export const resealOrders = async (context: ServiceContext): Promise<Rotation["reveals"]> => {
  const { db, settings, log, now } = context;
  const version = newestVersion(settings.WALLET_SECRETS);
  const after = JSON.parse((await readSweep(db, SWEEP)) ?? "null") as Cursor | null;
  let rows = await ordersBefore(db, version, after);
  if (rows.length === 0 && after !== null) rows = await ordersBefore(db, version, null);
  const last = rows.length < ROUND ? undefined : rows.at(-1);
  const cursor = last && ({ version: last.version, id: last.id } satisfies Cursor);
  await writeSweep(db, SWEEP, cursor ? JSON.stringify(cursor) : null, now());
  const failed: Uuid[] = [];
  let resealed = 0;
  for (const { id, integrationId, reveal } of rows) {
    try {
      const order = await resealOrder(context, id, reveal!.order!);
      await keepOrder(context, id, order);
      await setOrder(ledgerOf(context, integrationId), id, order);
      resealed += 1;
    } catch (error) {
      log("reveal.reseal_failed", { collection_uuid: id, error });
      failed.push(id);
    }
  }
  // R2 alone has the order of a failed finalization, which the draft's next finalization uses.
  const inR2 = (await olderOrdersInR2(context, version)).filter((id) => !failed.includes(id));
  let left = inR2.length;
  for (const id of inR2.slice(0, ROUND)) {
    try {
      await keepOrder(context, id, await resealOrder(context, id, (await readOrder(context, id))!));
      resealed += 1;
      left -= 1;
    } catch (error) {
      log("reveal.reseal_failed", { collection_uuid: id, error });
      failed.push(id);
    }
  }
  const [finalized, pending] = await Promise.all([
    db.$count(collections, isOlder(version)),
    countPendingOlder(context, version),
  ]);
  return { resealed, failed, remaining: finalized + pending + left };
};

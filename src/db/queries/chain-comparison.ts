import { and, asc, eq, gt, gte, inArray, lte, not, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { CollectionSettings } from "../../domain/settings.ts";
import type { Database } from "../client.ts";
import { collections, contracts, integrations, operations } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { hasOpenOperation, OPEN, type Subject } from "./operations.ts";

/** The next contracts that are ready, behind an id, or from that one itself on. */
export const nextContracts = (db: Database, after: Uuid | null, itself: boolean, limit: number) =>
  db
    .select()
    .from(contracts)
    .where(
      and(
        eq(contracts.state, "ready"),
        after === null ? undefined : itself ? gte(contracts.id, after) : gt(contracts.id, after),
      ),
    )
    .orderBy(asc(contracts.id))
    .limit(limit)
    .all();

/** What D1 knows of a contract's collections whose ids on-chain are in `(from, to]`. */
export const collectionsOnChain = (db: Database, contractId: Uuid, from: number, to: number) =>
  db
    .select({
      id: collections.id,
      integrationId: collections.integrationId,
      onChainId: collections.onChainId,
      settings: collections.settings,
      minted: collections.minted,
      earned: collections.earned,
      eventsReportedTo: collections.eventsReportedTo,
      scannedSeq: collections.scannedSeq,
      height: collections.height,
    })
    .from(collections)
    .where(
      and(
        eq(collections.contractId, contractId),
        gt(collections.onChainId, from),
        lte(collections.onChainId, to),
      ),
    )
    .all();

/**
 * Takes over settings that somebody changed on the chain without the API, unless an operation has had to do with the
 * collection since `height`, or an update of it is under way.
 */
export const adoptSettings = async (
  db: Database,
  { id, integrationId, height }: { readonly id: Uuid; readonly integrationId: Uuid; readonly height: number },
  settings: CollectionSettings,
  now: Date,
): Promise<boolean> => {
  const adopted = await db
    .update(collections)
    .set({ settings, updatedAt: now })
    .where(
      and(
        eq(collections.id, id),
        eq(collections.height, height),
        not(hasOpenOperation({ integrationId, subjectId: id }, "collection_update")),
      ),
    )
    .returning({ id: collections.id });
  return adopted.length > 0;
};

/**
 * Takes over what the chain shows that a collection has earned, unless that was taken over meanwhile.
 * `sales` is what of it is the wallet's and wasn't counted yet, in nanoNEAR
 */
export const noteEarned = async (
  db: Database,
  {
    id,
    integrationId,
    earned,
  }: { readonly id: Uuid; readonly integrationId: Uuid; readonly earned: string | null },
  { shown, sales, now }: { readonly shown: string | null; readonly sales: bigint; readonly now: Date },
): Promise<void> => {
  const isStill = sql`EXISTS (SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)} AND earned IS ${earned})`;
  await db.batch([
    db
      .update(integrations)
      .set({ unpaidSales: sql`unpaid_sales + CAST(${sales.toString()} AS INTEGER)` })
      .where(and(eq(integrations.id, integrationId), isStill)),
    db
      .update(collections)
      .set({ earned: shown, updatedAt: now })
      .where(and(eq(collections.id, id), sql`${collections.earned} IS ${earned}`)),
  ]);
};

/** A mint that is not over, and to whom it mints. */
export interface OpenMint {
  readonly id: Uuid;
  readonly receivers: readonly string[];
  readonly createdAt: Date;
}

/** Mints and claims of a collection that are not over. */
export const openMints = async (db: Database, { integrationId, subjectId }: Subject): Promise<OpenMint[]> => {
  const rows = await db
    .select({
      id: operations.id,
      receivers: sql<string>`json_extract(${operations.request}, '$.receivers')`,
      createdAt: operations.createdAt,
    })
    .from(operations)
    .where(
      and(
        OPEN,
        inArray(operations.kind, ["mint", "claim"]),
        eq(operations.subjectId, subjectId),
        eq(operations.integrationId, integrationId),
      ),
    )
    .all();
  return rows.map(({ receivers, ...row }) => ({ ...row, receivers: JSON.parse(receivers) as string[] }));
};

/** Condition: exactly the tokens of a collection up to a number are reported. */
export const isReportedTo = (id: Uuid, reported: number): SQL =>
  sql`EXISTS (SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)} AND events_reported_to = ${reported})`;

/**
 * Records that the tokens of a collection up to `upTo` are reported.
 * @param collection as read; another number in the row changes nothing
 * @param seq number of an event up to which none reports a token above `upTo`; undefined: not known
 */
export const setReportedTo = (
  db: Database,
  { id, eventsReportedTo: reported }: Pick<typeof collections.$inferSelect, "id" | "eventsReportedTo">,
  upTo: number,
  seq: number | undefined,
): Statement =>
  db
    .update(collections)
    .set({ eventsReportedTo: upTo, ...(seq !== undefined && { scannedSeq: seq }) })
    .where(and(eq(collections.id, id), eq(collections.eventsReportedTo, reported)));

/** Condition: a pending finalization makes the collection of this `external_id` (hexadecimal). */
export const isBeingFinalized = (externalId: string): SQL => sql`EXISTS (
  SELECT 1 FROM operations WHERE ${OPEN} AND kind = 'finalize'
  AND replace(json_extract(request, '$.collectionUuid'), '-', '') = ${externalId})`;

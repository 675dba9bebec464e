import { and, eq, inArray, ne, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { draftAssets, drafts } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { insertAssets, type PlacedAsset } from "./assets.ts";
import { unhexed } from "./blobs.ts";

/** A draft whose finalization the database has lost; it may be in no journal (`operationId` null). */
export type LostDraft = Pick<
  typeof drafts.$inferSelect,
  | "id"
  | "integrationId"
  | "contractId"
  | "plannedCollectionId"
  | "settings"
  | "operationId"
  | "createdAt"
  | "placeholderSha256"
>;

/** Restores a locked draft with its assets. A finalized one is unchanged. */
export const putBackDraft = (
  db: Database,
  draft: LostDraft,
  assets: Iterable<PlacedAsset>,
  now: Date,
): Statement[] => {
  const { contractId, settings, operationId, plannedCollectionId, placeholderSha256 } = draft;
  const id = uuidToBytes(draft.id);
  const isLocked = sql`(SELECT id FROM drafts WHERE id = ${id} AND state = 'finalizing')`;
  const row = {
    contractId,
    settings,
    operationId,
    plannedCollectionId,
    placeholderSha256,
    state: "finalizing",
    updatedAt: now,
  } as const;
  return [
    db
      .insert(drafts)
      .values({ ...draft, ...row })
      .onConflictDoUpdate({ target: drafts.id, set: row, setWhere: sql`${drafts.state} <> 'finalized'` }),
    db.delete(draftAssets).where(sql`${draftAssets.draftId} = ${isLocked}`),
    ...insertAssets(db, isLocked, assets, { at: draft.createdAt, where: sql`${isLocked} IS NOT NULL` }),
  ];
};

/** The draft that a collection of this uuid was planned for. */
export const findPlanned = (db: Database, integrationId: Uuid, collectionId: Uuid) =>
  db
    .select({ id: drafts.id, operationId: drafts.operationId })
    .from(drafts)
    .where(and(eq(drafts.plannedCollectionId, collectionId), eq(drafts.integrationId, integrationId)))
    .get();

/** Those of some collections whose drafts are there, and finalized. */
export const finalizedAs = async (db: Database, collectionIds: readonly Uuid[]): Promise<Uuid[]> => {
  const ids = JSON.stringify(collectionIds.map((id) => id.replaceAll("-", "")));
  const found = await db
    .select({ id: drafts.plannedCollectionId })
    .from(drafts)
    .where(and(inArray(drafts.plannedCollectionId, unhexed(ids)), eq(drafts.state, "finalized")));
  return found.map(({ id }) => id);
};

/** Marks a draft as finalized as the collection that its ledger has adopted. */
export const finishAdopted = (db: Database, id: Uuid, collectionId: Uuid, now: Date): Statement =>
  db
    .update(drafts)
    .set({ state: "finalized", updatedAt: now })
    .where(and(eq(drafts.id, id), eq(drafts.plannedCollectionId, collectionId)));

/** Locks a draft for a finalization that the database has lost. */
export const lockAgain = async (db: Database, id: Uuid, operationId: Uuid | null, now: Date) => {
  await db
    .update(drafts)
    .set({ state: "finalizing", operationId, updatedAt: now })
    .where(and(eq(drafts.id, id), ne(drafts.state, "finalized")));
};

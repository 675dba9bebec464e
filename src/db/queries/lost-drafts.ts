import { and, eq, ne, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { CollectionSettings } from "../../domain/settings.ts";
import type { Database } from "../client.ts";
import { jsonRows } from "../json-rows.ts";
import { draftAssets, drafts } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/** A draft whose finalization the database has lost. */
export interface LostDraft {
  readonly id: Uuid;
  readonly integrationId: Uuid;
  readonly contractId: Uuid;
  readonly plannedCollectionId: Uuid;
  readonly settings: CollectionSettings;
  /** The finalization; null if it is in no journal. */
  readonly operationId: Uuid | null;
  readonly createdAt: Date;
}

/** An asset of such a draft. Digests are lower-case hexadecimal. */
export interface LostAsset {
  readonly id: Uuid;
  readonly position: number;
  readonly filename: string;
  readonly sha256: string;
  readonly copies: number;
  readonly referenceFilename: string | null;
  readonly referenceSha256: string | null;
  readonly subtitle: string | null;
}

/** Restores a locked draft with its assets. A finalized one is unchanged. */
export const putBackDraft = (
  db: Database,
  draft: LostDraft,
  assets: Iterable<LostAsset>,
  now: Date,
): Statement[] => {
  const { contractId, settings, operationId, plannedCollectionId } = draft;
  const id = uuidToBytes(draft.id);
  const isLocked = sql`(SELECT id FROM drafts WHERE id = ${id} AND state = 'finalizing')`;
  const row = {
    contractId,
    settings,
    operationId,
    plannedCollectionId,
    state: "finalizing",
    updatedAt: now,
  } as const;
  return [
    db
      .insert(drafts)
      .values({ ...draft, ...row })
      .onConflictDoUpdate({ target: drafts.id, set: row, setWhere: sql`${drafts.state} <> 'finalized'` }),
    db.delete(draftAssets).where(sql`${draftAssets.draftId} = ${isLocked}`),
    ...Array.from(jsonRows(assetRows(assets)), (rows) =>
      db.insert(draftAssets).select(sql`
          SELECT unhex(value ->> 0), ${isLocked}, value ->> 1, value ->> 2, unhex(value ->> 3), value ->> 5,
            unhex(value ->> 6), value ->> 7, value ->> 4, ${draft.createdAt.getTime()}
          FROM json_each(${rows}) WHERE ${isLocked} IS NOT NULL`),
    ),
  ];
};

/** The draft that a collection of this uuid was planned for. */
export const findPlanned = (db: Database, integrationId: Uuid, collectionId: Uuid) =>
  db
    .select({ id: drafts.id, operationId: drafts.operationId })
    .from(drafts)
    .where(and(eq(drafts.plannedCollectionId, collectionId), eq(drafts.integrationId, integrationId)))
    .get();

/** Marks a draft as finalized as the collection inserted in the same batch. */
export const finishAdopted = (db: Database, id: Uuid, collectionId: Uuid, now: Date): Statement =>
  db
    .update(drafts)
    .set({ state: "finalized", updatedAt: now })
    .where(
      and(
        eq(drafts.id, id),
        sql`EXISTS (SELECT 1 FROM collections WHERE id = ${uuidToBytes(collectionId)} AND draft_id = ${drafts.id})`,
      ),
    );

/** Locks a draft for a finalization that the database has lost. */
export const lockAgain = async (db: Database, id: Uuid, operationId: Uuid | null, now: Date) => {
  await db
    .update(drafts)
    .set({ state: "finalizing", operationId, updatedAt: now })
    .where(and(eq(drafts.id, id), ne(drafts.state, "finalized")));
};

function* assetRows(assets: Iterable<LostAsset>): Generator<readonly unknown[]> {
  for (const { id, position, filename, sha256, copies, ...rest } of assets) {
    const { referenceFilename, referenceSha256, subtitle } = rest;
    const uuid = id.replaceAll("-", "");
    yield [uuid, position, filename, sha256, copies, referenceFilename, referenceSha256, subtitle];
  }
}

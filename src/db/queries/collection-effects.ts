import { and, eq, ne, or, type SQL, sql } from "drizzle-orm";
import { toHex, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { LockRecord } from "../../domain/locks.ts";
import type { Mint } from "../../domain/mint-notes.ts";
import type { SealedOrder } from "../../domain/reveal.ts";
import type { CollectionSettings, PhaseCounts } from "../../domain/settings.ts";
import { tokenNumber } from "../../domain/token-ids.ts";
import type { Database } from "../client.ts";
import { type Ledger, template } from "../ledger.ts";
import { drafts } from "../schema/index.ts";
import { collections, operations } from "../schema/ledger.ts";
import { failedOn, type Statement, withFields } from "../statements.ts";
import { lastSeq } from "./events.ts";
import { isOpen } from "./operations.ts";

/** Effects of operations on collections, in the ledger, and on drafts, in D1. */

/** Stores a finalized collection. Its tokens are reported as events from now on. */
export const insertCollection = (db: Ledger, row: typeof collections.$inferInsert): Statement =>
  db
    .insert(collections)
    .values({ ...row, scannedSeq: lastSeq() })
    .onConflictDoNothing();

/** Condition: a draft can be finalized as read: open, unchanged, with exactly these assets; null: with at least one. */
export const isFinalizable = (
  draft: typeof drafts.$inferSelect,
  assets: readonly { readonly id: Uuid }[] | null,
): SQL => {
  const id = uuidToBytes(draft.id);
  const ids = assets?.map((asset) => toHex(uuidToBytes(asset.id)));
  const isAsRead =
    ids &&
    sql`AND ${JSON.stringify(ids)} = (SELECT json_group_array(lower(hex(id))) FROM (
      SELECT id FROM draft_assets WHERE draft_id = ${id} ORDER BY position))`;
  return sql`EXISTS (
    SELECT 1 FROM drafts WHERE id = ${id} AND state = 'draft' AND updated_at = ${draft.updatedAt.getTime()}
    AND EXISTS (SELECT 1 FROM draft_assets WHERE draft_id = ${id}) ${isAsRead ?? sql``})`;
};

/** Condition: a draft is still locked for an operation, and for no later one. The caller knows that the operation has failed. */
export const isLockedFor = (draftId: Uuid, operationId: Uuid): SQL => sql`EXISTS (
  SELECT 1 FROM drafts WHERE id = ${uuidToBytes(draftId)} AND state = 'finalizing'
  AND operation_id = ${uuidToBytes(operationId)})`;

/** Stores the plan of a finalization in its request, unless it has one, and returns it. */
export const keepPlan = async <Plan>(ledger: Ledger, operationId: Uuid, plan: Plan): Promise<Plan> => {
  const [kept] = await ledger
    .update(operations)
    .set({
      request: sql`CASE WHEN json_type(${operations.request}, '$.plan') IS NULL
        THEN json_set(${operations.request}, '$.plan', json(${JSON.stringify(plan)})) ELSE ${operations.request} END`,
    })
    .where(eq(operations.id, operationId))
    .returning({ request: operations.request });
  return kept ? (kept.request as { readonly plan: Plan }).plan : plan;
};

/** Condition: the database doesn't show that a collection has fewer copies left. */
export const hasCopiesLeft = (id: Uuid, copies: number): SQL => sql`EXISTS (
  SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)} AND total - minted >= ${copies})`;

/** Condition: the ledger knows exactly these locks of a collection, in the form in which they were read. */
export const hasLocks = (id: Uuid, locks: LockRecord): SQL => sql`EXISTS (
  SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)} AND json(locks) = json(${JSON.stringify(locks)}))`;

/** Condition: the ledger knows one of these locks of a collection. */
export const hasLock = (id: Uuid, locks: readonly (keyof LockRecord)[]): SQL => sql`EXISTS (
  SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)} AND (${sql.join(
    locks.map((lock) => sql`locks ->> ${`$.${lock}`}`),
    sql` OR `,
  )}))`;

/** Locks a draft for a finalization that is to be accepted. @param condition that it is as it was read */
export const lockDraft = (
  db: Database,
  draftId: Uuid,
  {
    operationId,
    collectionId,
    condition,
  }: { readonly operationId: Uuid; readonly collectionId: Uuid; readonly condition: SQL },
  now: Date,
) =>
  db
    .update(drafts)
    .set({ state: "finalizing", operationId, plannedCollectionId: collectionId, updatedAt: now })
    .where(and(eq(drafts.id, draftId), condition))
    .returning({ id: drafts.id });

export const finishDraft = (db: Database, draftId: Uuid, operationId: Uuid, now: Date): Statement =>
  db
    .update(drafts)
    .set({ state: "finalized", updatedAt: now })
    .where(and(eq(drafts.id, draftId), eq(drafts.operationId, operationId)));

/** Makes a draft what it was before `operationId` locked it, which wasn't accepted. */
export const unlockDraft = (
  db: Database,
  { id, ...before }: Pick<typeof drafts.$inferSelect, "id" | "state" | "operationId" | "updatedAt">,
  operationId: Uuid,
): Statement =>
  db
    .update(drafts)
    .set(before)
    .where(and(eq(drafts.id, id), eq(drafts.operationId, operationId)));

/** Unlocks a draft whose finalization had no effect on the chain. */
export const releaseDraft = (db: Database, draftId: Uuid, operationId: Uuid, now: Date): Statement =>
  db
    .update(drafts)
    .set({ state: "draft", operationId: null, updatedAt: now })
    .where(and(eq(drafts.id, draftId), eq(drafts.operationId, operationId)));

/** Raises the number of minted tokens to what the chain shows. */
export const raiseMinted = (db: Ledger, collectionId: Uuid, minted: number, now: Date): Statement =>
  db
    .update(collections)
    .set({ minted: sql`max(${collections.minted}, ${minted})`, updatedAt: now })
    .where(eq(collections.id, collectionId));

/** Stores what the chain shows of a collection's phases. @param operationId the open operation that read it, if one did */
export const notePhaseCounts = (
  db: Ledger,
  collectionId: Uuid,
  phaseCounts: PhaseCounts,
  { now, operationId }: { readonly now: Date; readonly operationId?: Uuid },
): Statement =>
  db
    .update(collections)
    .set({ phaseCounts, updatedAt: now })
    .where(and(eq(collections.id, collectionId), operationId && isOpen(operationId)));

/** Adds locks to those that a collection is known to have: nobody can take one back. */
export const noteLocks = (db: Ledger, collectionId: Uuid, locks: LockRecord, now: Date): Statement =>
  db
    .update(collections)
    .set({
      locks: sql`json_patch(${collections.locks}, ${JSON.stringify(locks)})`,
      updatedAt: now,
    })
    .where(eq(collections.id, collectionId));

/** Replaces the locks that a collection is known to have by those of a height, where the condition holds. */
export const replaceLocks = (
  db: Ledger,
  collectionId: Uuid,
  locks: LockRecord,
  { height, now, condition }: { readonly height: number; readonly now: Date; readonly condition: SQL },
): Statement =>
  db
    .update(collections)
    .set({ locks, height: sql`max(${collections.height}, ${height})`, updatedAt: now })
    .where(and(eq(collections.id, collectionId), condition));

/** The highest number of a mint's tokens: at least so many are minted. */
export const tokensBy = ({ tokenIds }: Mint): number => Math.max(...tokenIds.map(tokenNumber));

const raiseHeightAndMinted = template(
  ["id", "height", "minted", "at"],
  (ledger, { id, height, minted, at }) =>
    ledger
      .update(collections)
      .set({
        height: sql`max(${collections.height}, ${height})`,
        minted: sql`max(${collections.minted}, ${minted})`,
        updatedAt: sql`max(${collections.updatedAt}, ${at})`,
      })
      .where(eq(collections.id, id)),
);

/** Raises the height that later reads must include. A mint also raises the count. */
export const raiseShown = (
  collectionId: Uuid,
  { height, mint, at }: { readonly height: number; readonly mint?: Mint | undefined; readonly at: Date },
): Statement =>
  raiseHeightAndMinted({
    id: uuidToBytes(collectionId),
    height,
    minted: mint === undefined ? 0 : tokensBy(mint),
    at: mint === undefined ? 0 : at.getTime(),
  });

/** Makes the batch fail (`isNotAsRead`) if a collection has changed since its operation's response was made from it. */
export const requireAsRead = (
  db: Ledger,
  { id, minted, pinState, updatedAt }: typeof collections.$inferSelect,
  operationId: Uuid,
): Statement =>
  db
    .update(collections)
    .set({ total: sql`NULL` })
    .where(
      and(
        eq(collections.id, id),
        or(
          ne(collections.minted, minted),
          sql`${collections.pinState} IS NOT ${pinState}`,
          ne(collections.updatedAt, updatedAt),
        ),
        isOpen(operationId),
      ),
    );

/** Whether a batch failed on `requireAsRead`, and was rolled back. */
export const isNotAsRead = (error: unknown): boolean => failedOn(error, "collections.total");

/** Changes settings by field; each field is complete. */
export const changeSettings = (
  db: Ledger,
  collectionId: Uuid,
  changes: Partial<CollectionSettings>,
  { operationId, now }: { readonly operationId: Uuid; readonly now: Date },
): Statement => {
  const settings = withFields(sql`${collections.settings}`, changes);
  return db
    .update(collections)
    .set({ updatedAt: now, ...(settings && { settings }) })
    .where(and(eq(collections.id, collectionId), isOpen(operationId)));
};

/** Notes the order of a collection's hidden assets. */
export const setOrder = (db: Ledger, collectionId: Uuid, order: SealedOrder): Statement =>
  db
    .update(collections)
    .set({ reveal: sql`json_set(${collections.reveal}, '$.order', json(${JSON.stringify(order)}))` })
    .where(eq(collections.id, collectionId));

const showsFewerThan = (collectionId: Uuid, shown: number) =>
  and(eq(collections.id, collectionId), sql`json_extract(${collections.reveal}, '$.shown') < ${shown}`);

/** Whether fewer assets of a collection are noted as shown: `raiseRevealed` would change that. */
export const showsFewer = (collectionId: Uuid, shown: number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${collections} WHERE ${showsFewerThan(collectionId, shown)})`;

/** Notes that assets of a collection before a number are shown; once all are, nothing is left to reveal or to keep unpinned. */
export const raiseRevealed = (
  db: Ledger,
  collectionId: Uuid,
  shown: number,
  { pins, now, condition }: { readonly pins: boolean; readonly now: Date; readonly condition?: SQL },
): Statement => {
  const isAll = sql`${shown} >= ${collections.assets}`;
  return db
    .update(collections)
    .set({
      reveal: sql`json_set(${collections.reveal}, '$.shown', ${shown})`,
      revealAt: sql`CASE WHEN ${isAll} THEN NULL ELSE ${collections.revealAt} END`,
      pinState: sql`CASE WHEN ${isAll} AND ${pins ? 1 : 0} THEN coalesce(${collections.pinState}, 'pending') ELSE ${collections.pinState} END`,
      updatedAt: now,
    })
    .where(and(showsFewerThan(collectionId, shown), condition));
};

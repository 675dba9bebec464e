import { and, eq, ne, or, type SQL, sql } from "drizzle-orm";
import { toHex, type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Mint } from "../../domain/mint-notes.ts";
import type { CollectionSettings } from "../../domain/settings.ts";
import { tokenNumber } from "../../domain/token-ids.ts";
import type { Database } from "../client.ts";
import { collections, drafts, operations } from "../schema/index.ts";
import { failedOn, type Statement } from "../statements.ts";
import { lastSeq } from "./events.ts";
import { withMint } from "./mint-transactions.ts";
import { isOpen, wasAccepted } from "./operations.ts";

/** What operations leave behind in collections and drafts. Each statement does nothing once its operation is over. */

/** Stores a finalized collection. Its tokens are reported as events from now on. */
export const insertCollection = (db: Database, row: typeof collections.$inferInsert): Statement =>
  db
    .insert(collections)
    .values({ ...row, scannedSeq: lastSeq(row.integrationId) })
    .onConflictDoNothing();

/**
 * True while a draft can be finalized as it was read: open, unchanged, and with an asset at least.
 * @param assets all that it has to have, in their order; their rows never change. Null: whichever it has by then
 */
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

/** True while a draft's finalization stands still after `operationId`, which was broken off on the chain. */
export const isBrokenOff = (draftId: Uuid, operationId: Uuid): SQL => sql`EXISTS (
  SELECT 1 FROM drafts WHERE id = ${uuidToBytes(draftId)} AND state = 'finalizing'
  AND operation_id = ${uuidToBytes(operationId)})`;

/**
 * Keeps the plan of a finalization with its operation, unless another was kept meanwhile. Returns the one that stands.
 * It goes into the request, of which it is a part from then on. One that is being put back has no row yet.
 */
export const keepPlan = async <Plan>(db: Database, operationId: Uuid, plan: Plan): Promise<Plan> => {
  const [kept] = await db
    .update(operations)
    .set({
      request: sql`CASE WHEN json_type(${operations.request}, '$.plan') IS NULL
        THEN json_set(${operations.request}, '$.plan', json(${JSON.stringify(plan)})) ELSE ${operations.request} END`,
    })
    .where(eq(operations.id, operationId))
    .returning({ request: operations.request });
  return kept ? (kept.request as { readonly plan: Plan }).plan : plan;
};

/** True while a collection isn't known to have fewer copies left. */
export const hasCopiesLeft = (id: Uuid, copies: number): SQL => sql`EXISTS (
  SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)} AND total - minted >= ${copies})`;

/** The draft's finalization into a collection has been accepted. */
export const lockDraft = (
  db: Database,
  draftId: Uuid,
  { operationId, collectionId }: { readonly operationId: Uuid; readonly collectionId: Uuid },
  now: Date,
): Statement =>
  db
    .update(drafts)
    .set({ state: "finalizing", operationId, plannedCollectionId: collectionId, updatedAt: now })
    .where(and(eq(drafts.id, draftId), wasAccepted(operationId)));

/** The draft has become its collection. */
export const finishDraft = (db: Database, draftId: Uuid, operationId: Uuid, now: Date): Statement =>
  db
    .update(drafts)
    .set({ state: "finalized", updatedAt: now })
    .where(and(eq(drafts.id, draftId), eq(drafts.operationId, operationId), isOpen(operationId)));

/** A finalization that has left nothing on the chain gives its draft back. */
export const releaseDraft = (db: Database, draftId: Uuid, operationId: Uuid, now: Date): Statement =>
  db
    .update(drafts)
    .set({ state: "draft", operationId: null, updatedAt: now })
    .where(and(eq(drafts.id, draftId), eq(drafts.operationId, operationId), isOpen(operationId)));

/** The chain has shown at least this many tokens. */
export const raiseMinted = (db: Database, collectionId: Uuid, minted: number, now: Date): Statement =>
  db
    .update(collections)
    .set({ minted: sql`max(${collections.minted}, ${minted})`, updatedAt: now })
    .where(eq(collections.id, collectionId));

/** The number of the last token that a mint made: the chain has shown at least so many. */
export const tokensBy = ({ tokenIds }: Mint): number => Math.max(...tokenIds.map(tokenNumber));

/**
 * An operation had an effect at this height, which every later read of the collection has to show; of a mint, the chain
 * has shown its tokens, and which transaction made them is noted.
 */
export const raiseShown = (
  db: Database,
  collectionId: Uuid,
  { height, mint, at }: { readonly height: number; readonly mint?: Mint | undefined; readonly at: Date },
): Statement =>
  db
    .update(collections)
    .set({
      height: sql`max(${collections.height}, ${height})`,
      ...(mint !== undefined && {
        minted: sql`max(${collections.minted}, ${tokensBy(mint)})`,
        recentMints: withMint(mint),
        updatedAt: sql`max(${collections.updatedAt}, ${at.getTime()})`,
      }),
    })
    .where(eq(collections.id, collectionId));

/**
 * Fails unless a collection is as it was read, while an operation on it is open: what is answered was made of that.
 * @returns a statement, whose failure `isNotAsRead` recognizes
 */
export const requireAsRead = (
  db: Database,
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

/** Whether a batch failed on `requireAsRead`. It was undone. */
export const isNotAsRead = (error: unknown): boolean => failedOn(error, "collections.total");

/** Changes settings field by field, each of which is given complete. */
export const changeSettings = (
  db: Database,
  collectionId: Uuid,
  changes: Partial<CollectionSettings>,
  { operationId, now }: { readonly operationId: Uuid; readonly now: Date },
): Statement => {
  const fields = Object.entries(changes).flatMap(([name, value]) => [
    sql`${`$.${name}`}`,
    sql`json(${JSON.stringify(value)})`,
  ]);
  const settings = sql`json_set(${sql.join([sql`${collections.settings}`, ...fields], sql`, `)})`;
  return db
    .update(collections)
    .set({ updatedAt: now, ...(fields.length > 0 && { settings }) })
    .where(and(eq(collections.id, collectionId), isOpen(operationId)));
};

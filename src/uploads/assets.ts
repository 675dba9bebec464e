import type { Caller, ServiceContext } from "../context.ts";
import { deleteAsset as deleteRow, pageOfAssets } from "../db/queries/assets.ts";
import { findDraft, ownDraft } from "../db/queries/drafts.ts";
import { type Page, pageOf, unknownCursor } from "../domain/cursors.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Asset } from "../resources/asset.ts";
import { toAsset } from "./asset.ts";

/**
 * Assets of a draft in their order, behind the one whose position is the cursor. A finalized draft keeps its assets.
 * @throws ServiceError not_found, invalid_request if the cursor is invalid
 */
export async function listAssets(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<Page<Asset>> {
  if (cursor !== null && !/^\d{1,10}$/.test(cursor)) throw unknownCursor();
  const { db } = context;
  const after = cursor === null ? -1 : Number(cursor);
  const [drafts, rows] = await db.batch([
    ownDraft(db, caller.integrationId, draftId),
    // One more than asked for tells whether there is a next page.
    pageOfAssets(db, draftId, after, limit + 1),
  ]);
  if (drafts.length === 0) throw noDraft();
  const base = caller.baseUrl;
  const views = rows.map((row) => toAsset(draftId, base, row));
  return pageOf(views, limit, (asset) => String(asset.position));
}

/** Takes an asset off an open draft. @throws ServiceError not_found, draft_locked */
export async function deleteAsset(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  assetId: Uuid,
): Promise<void> {
  if (await deleteRow(context.db, caller.integrationId, draftId, assetId)) return;
  await requireOpenDraft(context, caller, draftId);
  throw new ServiceError("not_found", "The draft has no such asset. Check its asset_uuid.");
}

/** Whether a draft of the caller's is open. @throws ServiceError not_found */
export async function isOpenDraft(context: ServiceContext, caller: Caller, draftId: Uuid): Promise<boolean> {
  return (await stateOf(context, caller, draftId)) === "draft";
}

async function requireOpenDraft(context: ServiceContext, caller: Caller, draftId: Uuid): Promise<void> {
  if (!(await isOpenDraft(context, caller, draftId))) throw assetsLocked();
}

async function stateOf(context: ServiceContext, caller: Caller, draftId: Uuid): Promise<string> {
  const found = await findDraft(context.db, caller.integrationId, draftId);
  if (!found) throw noDraft();
  return found.draft.state;
}

const noDraft = (): ServiceError =>
  new ServiceError("not_found", "There is no such collection draft. Check its collection_draft_uuid.");

/** The error for a change of a draft's assets that comes too late. */
export const assetsLocked = (): ServiceError =>
  new ServiceError("draft_locked", "The draft's finalization has begun: its assets can't change.");

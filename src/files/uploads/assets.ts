import type { Asset } from "../../api/resources/collection.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import {
  type AssetRow,
  type DraftPosition,
  deleteAsset as deleteRow,
  findDraftPosition,
  pageOfAssets,
} from "../../db/queries/assets.ts";
import { ownDraft } from "../../db/queries/drafts.ts";
import { type Page, pageOf, unknownCursor } from "../../domain/cursors.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { requireReach } from "../../domain/key-rights.ts";
import { fileCid, gatewayUrl, rawCid } from "../ipfs/cid.ts";

/** The API's view of an asset. A reference file is always one block. */
export function toAsset(draftId: Uuid, base: string, asset: AssetRow): Asset {
  const cid = fileCid(asset.sha256, asset.rootSha256);
  const referenceCid = asset.referenceSha256 && rawCid(asset.referenceSha256);
  return {
    asset_uuid: asset.id,
    collection_draft_uuid: draftId,
    position: asset.position,
    asset_filename: asset.filename,
    asset_cid: cid,
    asset_url: gatewayUrl(base, cid),
    asset_size: asset.size,
    asset_media_type: asset.mediaType,
    copies: asset.copies,
    reference_filename: asset.referenceFilename,
    reference_cid: referenceCid,
    reference_url: referenceCid && gatewayUrl(base, referenceCid),
    reference_size: asset.referenceSize,
    asset_subtitle: asset.subtitle,
    created_at: asset.createdAt.toISOString(),
  };
}

/** Assets of a draft, also of a finalized one, by position. @throws ServiceError not_found, invalid_request (cursor) */
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
    // One more than requested shows whether there is a next page.
    pageOfAssets(db, draftId, after, limit + 1),
  ]);
  const [draft] = drafts;
  if (!draft) throw noDraft();
  if (caller.rights.collections !== null) requireReach(caller.rights, draft.collectionId ?? "");
  const views = rows.map((row) => toAsset(draftId, caller.baseUrl, row));
  return pageOf(views, limit, (asset) => String(asset.position));
}

/** Removes an asset from an open draft. @throws ServiceError not_found, draft_locked */
export async function deleteAsset(
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
  assetId: Uuid,
): Promise<void> {
  const stored = caller.requestKey && (await caller.requestKey.keeps(204, null));
  const asset = { draftId, id: assetId, now: context.now() };
  if (await deleteRow(context.db, caller.integrationId, asset, stored)) return;
  if (!(await requireDraft(context, caller, draftId)).isOpen) throw assetsLocked();
  throw new ServiceError("not_found", "The draft has no such asset. Check its asset_uuid.");
}

/** Whether a draft of the caller's is open, and the position of its next asset. @throws ServiceError not_found */
export async function requireDraft(
  { db }: ServiceContext,
  { integrationId }: Caller,
  draftId: Uuid,
): Promise<DraftPosition> {
  const draft = await findDraftPosition(db, integrationId, draftId);
  if (!draft) throw noDraft();
  return draft;
}

/** The error for a draft that doesn't exist. */
export const noDraft = (): ServiceError =>
  new ServiceError("not_found", "There is no such collection draft. Check its collection_draft_uuid.");

/** The error for changing the assets of a draft whose finalization has begun. */
export const assetsLocked = (): ServiceError =>
  new ServiceError("draft_locked", "The draft's finalization has begun: its assets can't change.");

import type { AssetRow } from "../db/queries/assets.ts";
import type { Uuid } from "../domain/ids.ts";
import { gatewayUrl } from "../gateway/address.ts";
import { fileCid, rawCid } from "../ipfs/cid.ts";

/** The interface's CollectionDraftAsset. */
export interface AssetView {
  readonly asset_uuid: Uuid;
  readonly collection_draft_uuid: Uuid;
  /** Order within the draft; numbers of deleted assets are not given again unless they were the last. */
  readonly position: number;
  readonly asset_filename: string;
  readonly asset_cid: string;
  readonly asset_url: string;
  /** Bytes. */
  readonly asset_size: number;
  readonly asset_media_type: string;
  readonly copies: number;
  readonly reference_filename: string | null;
  readonly reference_cid: string | null;
  readonly reference_url: string | null;
  /** Bytes. */
  readonly reference_size: number | null;
  readonly asset_subtitle: string | null;
  /** RFC 3339, UTC. */
  readonly created_at: string;
}

/** An asset as callers see it. A reference file is always one block. */
export function assetView(draftId: Uuid, base: string, asset: AssetRow): AssetView {
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

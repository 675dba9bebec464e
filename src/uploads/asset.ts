import type { AssetRow } from "../db/queries/assets.ts";
import type { Uuid } from "../domain/ids.ts";
import { gatewayUrl } from "../gateway/address.ts";
import { fileCid, rawCid } from "../ipfs/cid.ts";
import type { Asset } from "../resources/asset.ts";

/** An asset as callers see it. A reference file is always one block. */
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

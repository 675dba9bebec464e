import { z } from "@hono/zod-openapi";
import { FILE_CID, FILE_URL, type Shown, text, whole } from "./samples.ts";

export const assetView = z
  .object({
    asset_uuid: z.uuid(),
    collection_draft_uuid: z.uuid(),
    position: whole("Order within the draft, which becomes the order on-chain."),
    asset_filename: z.string().openapi({ example: "heron.png" }),
    asset_cid: text("CID of the file: CIDv1, base32.", FILE_CID),
    asset_url: z
      .url()
      .openapi({ description: "Address of the file at the service's own IPFS gateway.", example: FILE_URL }),
    asset_size: whole("Bytes.", 3_902),
    asset_media_type: text("Media type, decided by the file's bytes.", "image/png"),
    copies: z.int().openapi({ example: 10 }),
    reference_filename: z.string().nullable(),
    reference_cid: z.string().nullable(),
    reference_url: z.url().nullable(),
    reference_size: whole("Bytes.").nullable(),
    asset_subtitle: z.string().nullable().openapi({ example: "No. $TOKEN_NUM of $TOTAL_NUM" }),
    created_at: z.iso.datetime(),
  })
  .openapi("CollectionDraftAsset");
export type Asset = Shown<typeof assetView>;

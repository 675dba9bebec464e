import { z } from "@hono/zod-openapi";
import { deleteAsset, listAssets } from "../../files/uploads/assets.ts";
import { listResponse } from "../../http/list-response.ts";
import { showNothing } from "../../http/typed-response.ts";
import { endpoint, json } from "../endpoint.ts";
import { assetView } from "../resources/asset.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { draftParam } from "../schemas/parameters.ts";
import { assetParam } from "./asset-bulk.ts";

export const draftAssetsList = endpoint(
  {
    method: "get",
    path: "/collection-draft/{collection_draft_uuid}/asset",
    operationId: "listDraftAssets",
    tag: "Collection drafts",
    summary: "List a draft's assets in their order",
    request: { params: draftParam, query: pageQuery },
    success: { 200: json("The assets, first attached first.", z.array(assetView), LINK) },
  },
  (c, { params, query }) =>
    listResponse(c, query, (cursor, limit) =>
      listAssets(c.get("context"), c.get("caller"), params.collection_draft_uuid, { cursor, limit }),
    ),
);

export const draftAssetsDelete = endpoint(
  {
    method: "delete",
    path: "/collection-draft/{collection_draft_uuid}/asset/{asset_uuid}",
    operationId: "deleteDraftAsset",
    tag: "Collection drafts",
    summary: "Remove an asset from a draft",
    request: { params: assetParam },
    success: { 204: { description: "The asset was deleted." } },
    errors: ["draft_locked"],
  },
  async (c, { params }) => {
    await deleteAsset(c.get("context"), c.get("caller"), params.collection_draft_uuid, params.asset_uuid);
    return showNothing(c);
  },
);

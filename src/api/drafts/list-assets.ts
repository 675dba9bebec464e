import { listAssets } from "../../files/uploads/assets.ts";
import { list } from "../endpoint.ts";
import { assetView } from "../resources/collection.ts";
import { draftParam } from "../schemas/parameters.ts";

export const assetsList = list(
  {
    path: "/collection-draft/{collection_draft_uuid}/asset",
    operationId: "listDraftAssets",
    scope: "read",
    limitsCollections: true,
    tag: "Collection drafts",
    summary: "List a draft's assets in their order",
    params: draftParam,
    entries: ["The assets, first attached first.", assetView],
  },
  ({ context, caller, params }, cursor, limit) =>
    listAssets(context, caller, params.collection_draft_uuid, { cursor, limit }),
);

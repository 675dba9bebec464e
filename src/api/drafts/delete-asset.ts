import { deleteAsset } from "../../files/uploads/assets.ts";
import { endpoint } from "../endpoint.ts";
import { uuidField } from "../schemas/fields.ts";
import { draftParam } from "../schemas/parameters.ts";

export const assetsDelete = endpoint(
  {
    method: "delete",
    path: "/collection-draft/{collection_draft_uuid}/asset/{asset_uuid}",
    operationId: "deleteDraftAsset",
    scope: "drafts",
    tag: "Collection drafts",
    summary: "Remove an asset from a draft",
    request: { params: draftParam.extend({ asset_uuid: uuidField }) },
    success: { 204: { description: "The asset was deleted." } },
    errors: ["draft_locked"],
  },
  ({ context, caller, params: { collection_draft_uuid: draftId, asset_uuid: id } }) =>
    deleteAsset(context, caller, draftId, id),
);

import { deleteDraft } from "../../collections/drafts.ts";
import { showNothing } from "../../http/typed-response.ts";
import { endpoint } from "../endpoint.ts";
import { draftParam } from "../schemas/parameters.ts";

export const draftsDelete = endpoint(
  {
    method: "delete",
    path: "/collection-draft/{collection_draft_uuid}",
    operationId: "deleteCollectionDraft",
    tag: "Collection drafts",
    summary: "Delete a draft and its assets",
    request: { params: draftParam },
    success: { 204: { description: "The draft was deleted." } },
    errors: ["draft_locked"],
  },
  async (c, { params }) => {
    await deleteDraft(c.get("context"), c.get("caller"), params.collection_draft_uuid);
    return showNothing(c);
  },
);

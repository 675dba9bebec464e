import { removeDraft } from "../../db/queries/drafts.ts";
import { endpoint } from "../endpoint.ts";
import { draftParam } from "../schemas/parameters.ts";
import { requireDraft } from "./read.ts";
import { draftLocked } from "./update.ts";

export const draftsDelete = endpoint(
  {
    method: "delete",
    path: "/collection-draft/{collection_draft_uuid}",
    operationId: "deleteCollectionDraft",
    scope: "drafts",
    tag: "Collection drafts",
    summary: "Delete a draft and its assets",
    request: { params: draftParam },
    success: { 204: { description: "The draft was deleted." } },
    errors: ["draft_locked"],
  },
  async ({ context, caller, params: { collection_draft_uuid: id } }) => {
    const answered = caller.requestKey && (await caller.requestKey.keeps(204, null));
    if (await removeDraft(context.db, caller.integrationId, id, answered)) return;
    await requireDraft(context, caller, id);
    throw draftLocked();
  },
);

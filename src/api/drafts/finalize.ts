import { finalizeDraft } from "../../operations/finalize-draft.ts";
import { finalizedView } from "../../resources/finalization.ts";
import { endpoint, json, reply } from "../endpoint.ts";
import { draftParam } from "../schemas/parameters.ts";

export const draftsFinalize = endpoint(
  {
    method: "post",
    path: "/collection-draft/{collection_draft_uuid}/finalize",
    operationId: "finalizeCollectionDraft",
    tag: "Collection drafts",
    summary: "Create the collection on-chain",
    description:
      "Spends funds of the integration's wallet. A draft becomes only one collection, however often this is sent.",
    request: { params: draftParam },
    success: { 201: json("The collection, with its files and transactions.", finalizedView) },
    errors: ["draft_empty", "draft_finalized", "draft_locked", "unknown_account"],
    operation: true,
  },
  async (c, { params }) => {
    return reply(c, await finalizeDraft(c.get("context"), c.get("caller"), params.collection_draft_uuid));
  },
);

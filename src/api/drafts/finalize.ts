import { finalizeDraft, proposeFinalization } from "../../operations/finalize-draft.ts";
import { chainWrite } from "../chain-write.ts";
import { json, optionalBody } from "../endpoint.ts";
import { finalizedView } from "../resources/collection.ts";
import { referenceBody } from "../schemas/fields.ts";
import { draftParam } from "../schemas/parameters.ts";

export const draftsFinalize = chainWrite(
  {
    method: "post",
    path: "/collection-draft/{collection_draft_uuid}/finalize",
    operationId: "finalizeCollectionDraft",
    scope: "drafts",
    tag: "Collection drafts",
    summary: "Create the collection on-chain",
    description:
      "Spends funds of the integration's wallet. A draft becomes only one collection, however often this is sent.",
    request: { params: draftParam, body: optionalBody(referenceBody, { reference: "order-1042" }) },
    success: { 201: json("The collection, with its files and transactions.", finalizedView) },
    errors: ["draft_empty", "draft_finalized", "draft_locked", "unknown_account"],
  },
  (context, caller, { params }) => proposeFinalization(context, caller, params.collection_draft_uuid),
  (context, caller, { params }) => finalizeDraft(context, caller, params.collection_draft_uuid),
);

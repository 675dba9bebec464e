import type { Caller, ServiceContext } from "../../context.ts";
import { removeDraft } from "../../db/queries/drafts.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { showNothing } from "../../http/typed-response.ts";
import { endpoint } from "../endpoint.ts";
import { draftParam } from "../schemas/parameters.ts";
import { requireDraft } from "./read.ts";

/** Deletes an open draft with its assets. @throws ServiceError not_found, draft_locked */
const deleteDraft = async (context: ServiceContext, caller: Caller, id: Uuid): Promise<void> => {
  const answered = caller.requestKey && (await caller.requestKey.keeps(204, null));
  if (await removeDraft(context.db, caller.integrationId, id, answered)) return;
  await requireDraft(context, caller, id);
  throw draftLocked();
};

/** The error for a change after the finalization has begun. */
export const draftLocked = () =>
  new ServiceError("draft_locked", "The draft's finalization has begun: it can't change.");

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

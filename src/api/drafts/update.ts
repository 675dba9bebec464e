import { updateDraft } from "../../collections/drafts.ts";
import { show } from "../../http/typed-response.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { draftView } from "../resources/draft.ts";
import { draftChangesBody } from "../schemas/collection-settings.ts";
import { draftParam } from "../schemas/parameters.ts";

export const draftsUpdate = endpoint(
  {
    method: "put",
    path: "/collection-draft/{collection_draft_uuid}",
    operationId: "updateCollectionDraft",
    tag: "Collection drafts",
    summary: "Change a draft",
    description:
      "Absent fields stay; null clears, also within public_mint_config and private_mint_config. Refused once the finalization has begun.",
    request: {
      params: draftParam,
      body: jsonBody(draftChangesBody, { title: "Night Herons II", description: null }),
    },
    success: { 200: json("The draft as it is now.", draftView) },
    errors: ["draft_locked"],
  },
  async (c, { params, body }) => {
    return show(c, await updateDraft(c.get("context"), c.get("caller"), params.collection_draft_uuid, body));
  },
);

import { readDraft } from "../../collections/drafts.ts";
import { show } from "../../http/typed-response.ts";
import { endpoint, json } from "../endpoint.ts";
import { draftView } from "../resources/draft.ts";
import { draftParam } from "../schemas/parameters.ts";

export const draftsRead = endpoint(
  {
    method: "get",
    path: "/collection-draft/{collection_draft_uuid}",
    operationId: "getCollectionDraft",
    tag: "Collection drafts",
    summary: "Read one draft",
    request: { params: draftParam },
    success: { 200: json("The draft.", draftView) },
  },
  async (c, { params }) => {
    return show(c, await readDraft(c.get("context"), c.get("caller"), params.collection_draft_uuid));
  },
);

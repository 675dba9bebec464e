import { readDraft } from "../../drafts/drafts.ts";
import { endpoint, json } from "../endpoint.ts";
import { draftParam } from "../schemas/parameters.ts";
import { draftView } from "./draft-schema.ts";

/** GET /collection-draft/{collection_draft_uuid} */
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
    return c.json(await readDraft(c.get("context"), c.get("caller"), params.collection_draft_uuid));
  },
);

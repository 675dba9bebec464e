import { z } from "@hono/zod-openapi";
import { listDrafts } from "../../collections/drafts.ts";
import { listResponse } from "../../http/list-response.ts";
import { endpoint, json } from "../endpoint.ts";
import { draftView } from "../resources/draft.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";

export const draftsList = endpoint(
  {
    method: "get",
    path: "/collection-draft",
    operationId: "listCollectionDrafts",
    tag: "Collection drafts",
    summary: "List all drafts, newest first",
    request: { query: pageQuery },
    success: { 200: json("The drafts.", z.array(draftView), LINK) },
  },
  (c, { query }) =>
    listResponse(c, query, (cursor, size) => listDrafts(c.get("context"), c.get("caller"), cursor, size)),
);

import { z } from "@hono/zod-openapi";
import { toDraft } from "../../collections/drafts.ts";
import { listDrafts } from "../../db/queries/drafts.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
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
    listResponse(c, query, async (cursor, size) => {
      const { integrationId } = c.get("caller");
      const rows = await listDrafts(c.get("context").db, integrationId, cursorUuid(cursor), size + 1);
      return pageOf(rows.map(toDraft), size, (draft) => draft.collection_draft_uuid, rows[0]?.candidates);
    }),
);

import { z } from "@hono/zod-openapi";
import { toCollection } from "../../collections/collections.ts";
import { listCollections } from "../../db/queries/collections.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { listResponse } from "../../http/list-response.ts";
import { endpoint, json } from "../endpoint.ts";
import { collectionView } from "../resources/collection.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";

export const collectionsList = endpoint(
  {
    method: "get",
    path: "/collection",
    operationId: "listCollections",
    tag: "Collections",
    summary: "List all collections, newest first",
    request: { query: pageQuery },
    success: { 200: json("The collections.", z.array(collectionView), LINK) },
  },
  (c, { query }) =>
    listResponse(c, query, async (cursor, size) => {
      const { integrationId } = c.get("caller");
      const rows = await listCollections(c.get("context").db, integrationId, cursorUuid(cursor), size + 1);
      const views = rows.map((row) => toCollection(row.collection, row.contractAccountId));
      return pageOf(views, size, (view) => view.collection_uuid, rows[0]?.candidates);
    }),
);

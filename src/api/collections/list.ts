import { z } from "@hono/zod-openapi";
import { listCollections } from "../../collections/collections.ts";
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
    listResponse(c, query, (cursor, size) =>
      listCollections(c.get("context"), c.get("caller"), cursor, size),
    ),
);

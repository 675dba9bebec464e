import { z } from "@hono/zod-openapi";
import { desc, eq, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { withinBytes } from "../../db/page-bytes.ts";
import { collections, drafts } from "../../db/schema/index.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { listResponse } from "../../http/list-response.ts";
import { endpoint, json } from "../endpoint.ts";
import { draftView } from "../resources/draft.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { toDraft } from "./read.ts";

/** Drafts of an integration, newest first, after the id `after`; fewer than the limit if they are large. */
const listDrafts = (db: Database, integrationId: Uuid, after: Uuid | null, limit: number) => {
  const behind = after ? sql`AND id < ${uuidToBytes(after)}` : sql``;
  const { places, candidates } = withinBytes({
    rows: sql`SELECT id AS place, octet_length(settings) AS bytes FROM drafts
      WHERE integration_id = ${uuidToBytes(integrationId)} ${behind} ORDER BY id DESC LIMIT ${limit}`,
    order: sql`place DESC`,
  });
  return db
    .select({ draft: drafts, collectionId: collections.id, candidates })
    .from(drafts)
    .leftJoin(collections, eq(collections.draftId, drafts.id))
    .where(sql`${drafts.id} IN ${places}`)
    .orderBy(desc(drafts.id))
    .all();
};

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

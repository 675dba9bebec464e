import { desc, eq, sql } from "drizzle-orm";
import { withinBytes } from "../../db/page-bytes.ts";
import { collections, drafts } from "../../db/schema/index.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { uuidToBytes } from "../../domain/ids.ts";
import { list } from "../endpoint.ts";
import { draftView } from "../resources/collection.ts";
import { toDraft } from "./read.ts";

export const draftsList = list(
  {
    path: "/collection-draft",
    operationId: "listCollectionDrafts",
    tag: "Collection drafts",
    summary: "List all drafts, newest first",
    entries: ["The drafts.", draftView],
  },
  async ({ context: { db }, caller }, cursor, size) => {
    const after = cursorUuid(cursor);
    const behind = after ? sql`AND id < ${uuidToBytes(after)}` : sql``;
    const { places, candidates } = withinBytes({
      rows: sql`SELECT id AS place, octet_length(settings) AS bytes FROM drafts
        WHERE integration_id = ${uuidToBytes(caller.integrationId)} ${behind} ORDER BY id DESC LIMIT ${size + 1}`,
      order: sql`place DESC`,
    });
    const rows = await db
      .select({ draft: drafts, collectionId: collections.id, candidates })
      .from(drafts)
      .leftJoin(collections, eq(collections.draftId, drafts.id))
      .where(sql`${drafts.id} IN ${places}`)
      .orderBy(desc(drafts.id));
    return pageOf(
      rows.map((row) => toDraft(row, caller.baseUrl)),
      size,
      (draft) => draft.collection_draft_uuid,
      rows[0]?.candidates,
    );
  },
);

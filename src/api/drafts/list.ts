import { desc, eq, sql } from "drizzle-orm";
import { withinBytes } from "../../db/page-bytes.ts";
import { idsIn } from "../../db/queries/collections.ts";
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
    scope: "read",
    limitsCollections: true,
    tag: "Collection drafts",
    summary: "List all drafts, newest first",
    description: "Of a key that is limited to collections, only those that became one of them.",
    entries: ["The drafts.", draftView],
  },
  async ({ context: { db }, caller }, cursor, size) => {
    const after = cursorUuid(cursor);
    const { collections: only } = caller.rights;
    const behind = sql`${after ? sql`AND id < ${uuidToBytes(after)}` : sql``}
      ${only === null ? sql`` : sql`AND id IN (SELECT draft_id FROM collections WHERE id IN ${idsIn(only)})`}`;
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

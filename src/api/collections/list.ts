import { toCollection } from "../../collections/collections.ts";
import { listCollections } from "../../db/queries/collections.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { list } from "../endpoint.ts";
import { collectionView } from "../resources/collection.ts";

export const collectionsList = list(
  {
    path: "/collection",
    operationId: "listCollections",
    scope: "read",
    limitsCollections: true,
    tag: "Collections",
    summary: "List all collections, newest first",
    description: "Of a key that is limited to collections, only those.",
    entries: ["The collections.", collectionView],
  },
  async ({ context, caller }, cursor, size) => {
    const whose = { integrationId: caller.integrationId, only: caller.rights.collections };
    const rows = await listCollections(context.db, whose, cursorUuid(cursor), size + 1);
    const views = rows.map(toCollection);
    return pageOf(views, size, (view) => view.collection_uuid, rows[0]?.candidates);
  },
);

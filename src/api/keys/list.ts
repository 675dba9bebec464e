import { and, desc, eq, isNull, lt } from "drizzle-orm";
import { rightsOf } from "../../db/queries/api-keys.ts";
import { apiKeys } from "../../db/schema/index.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { rightsBeyond } from "../../domain/key-rights.ts";
import { toKey } from "../../operator/api-keys.ts";
import { list } from "../endpoint.ts";
import { keyView } from "../resources/key.ts";

export const keysList = list(
  {
    path: "/key",
    operationId: "listKeys",
    scope: "full",
    limitsCollections: true,
    tag: "Keys",
    summary: "List the integration's keys, newest first",
    description:
      "Without those that were deleted, and those that may do more than yours. A page may have fewer entries than `limit`, or none, and still have a next one.",
    entries: ["The keys.", keyView],
  },
  async ({ context: { db, now }, caller: { integrationId, rights } }, cursor, size) => {
    const after = cursorUuid(cursor);
    const rows = await db
      .select()
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.integrationId, integrationId),
          isNull(apiKeys.revokedAt),
          after ? lt(apiKeys.id, after) : undefined,
        ),
      )
      .orderBy(desc(apiKeys.id))
      .limit(size + 1);
    const { items, next } = pageOf(rows, size, ({ id }) => id);
    const shown = items.filter((row) => rightsBeyond(rightsOf(row), rights).length === 0);
    return { items: shown.map((row) => toKey(row, now())), next };
  },
);

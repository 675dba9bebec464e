import { and, desc, eq, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { transactions } from "../schema/index.ts";

/** Final transactions of an integration, newest first, behind a place in the list. */
export const listTransactions = (
  db: Database,
  integrationId: Uuid,
  after: { readonly time: Date; readonly place: number } | null,
  limit: number,
) =>
  db
    .select({
      result: transactions.result,
      createdAt: transactions.createdAt,
      place: sql<number>`rowid`,
    })
    .from(transactions)
    .where(
      and(
        eq(transactions.integrationId, integrationId),
        after
          ? sql`(${transactions.createdAt}, rowid) < (${after.time.getTime()}, ${after.place})`
          : undefined,
      ),
    )
    .orderBy(desc(transactions.createdAt), sql`rowid DESC`)
    .limit(limit)
    .all();

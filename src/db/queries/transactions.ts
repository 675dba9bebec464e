import { desc, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { withinBytes } from "../page-bytes.ts";
import { transactions } from "../schema/index.ts";
import { filesOfTransactions } from "./archives.ts";
import { HASH_BYTES } from "./operation-transactions.ts";

/**
 * Final transactions of an integration, each once, newest first, behind a place in the list; fewer than the limit where
 * they are large. Beside them the files that may have some of the same part of the list.
 */
export const listTransactions = async (
  db: Database,
  integrationId: Uuid,
  after: { readonly time: Date; readonly place: number } | null,
  { limit, files: mostFiles }: { readonly limit: number; readonly files: number },
) => {
  const behind = after ? sql`AND (created_at, rowid) < (${after.time.getTime()}, ${after.place})` : sql``;
  const { places, candidates } = withinBytes({
    rows: sql`SELECT rowid AS place, created_at, octet_length(result) AS bytes FROM transactions
      WHERE integration_id = ${uuidToBytes(integrationId)} AND length(hash) = ${HASH_BYTES} ${behind}
      ORDER BY created_at DESC, rowid DESC LIMIT ${limit}`,
    order: sql`created_at DESC, place DESC`,
  });
  const select = db
    .select({
      result: transactions.result,
      createdAt: transactions.createdAt,
      place: sql<number>`rowid`,
      candidates,
    })
    .from(transactions)
    .where(sql`rowid IN ${places}`)
    .orderBy(desc(transactions.createdAt), sql`rowid DESC`);
  const part = { before: after?.time ?? null, floor: null };
  const [rows, files] = await db.batch([select, filesOfTransactions(db, integrationId, part, mostFiles)]);
  return { rows, files };
};

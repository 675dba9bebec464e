import { desc, sql } from "drizzle-orm";
import type { ChainTransactionResult } from "../../chain/outcome.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import { withinBytes } from "../../db/page-bytes.ts";
import { filesOfTransactions } from "../../db/queries/archives.ts";
import { HASH_BYTES } from "../../db/queries/operation-transactions.ts";
import { transactions } from "../../db/schema/index.ts";
import { type Page, type PageOfList, unknownCursor } from "../../domain/cursors.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { archivedTransactions, transactionPosition } from "../../files/archive/lists.ts";
import { FILES_AT_ONCE, mergeParts } from "../../files/archive/read.ts";
import { list } from "../endpoint.ts";
import { transactionView } from "../resources/operation.ts";

/**
 * Final transactions of an integration, each once, newest first, after a position, fewer than the limit if they are
 * large; and archive files that may have a part of this range.
 */
const transactionRows = async (
  db: Database,
  integrationId: Uuid,
  after: { readonly time: Date; readonly rowNumber: number } | null,
  { limit, files: mostFiles }: { readonly limit: number; readonly files: number },
) => {
  const behind = after ? sql`AND (created_at, rowid) < (${after.time.getTime()}, ${after.rowNumber})` : sql``;
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
      rowNumber: sql<number>`rowid`,
      candidates,
    })
    .from(transactions)
    .where(sql`rowid IN ${places}`)
    .orderBy(desc(transactions.createdAt), sql`rowid DESC`);
  const part = { before: after?.time ?? null, floor: null };
  const [rows, files] = await db.batch([select, filesOfTransactions(db, integrationId, part, mostFiles)]);
  return { rows, files };
};

/** Some final transactions of an integration, newest first. @throws ServiceError invalid_request (cursor) */
const listTransactions = async (
  context: ServiceContext,
  { integrationId }: Caller,
  { cursor, limit }: PageOfList,
): Promise<Page<ChainTransactionResult>> => {
  const after = cursor === null ? null : positionOf(cursor);
  const { rows: found, files } = await transactionRows(context.db, integrationId, after, {
    limit: limit + 1,
    files: FILES_AT_ONCE,
  });
  const items = found.map(({ result, createdAt, rowNumber }) => ({
    result,
    time: createdAt.getTime(),
    rowNumber,
  }));
  const last = items.at(-1);
  const isAll = found.length <= limit && (found.at(-1)?.candidates ?? 0) <= found.length;
  const floor = last && !isAll ? transactionPosition(last) : null;
  const before = after && transactionPosition({ ...after, time: after.time.getTime() });
  const asked = { integrationId, files, before, floor, want: limit + 1 };
  const archived = await archivedTransactions(context, asked);
  const { items: all, reached } = mergeParts([{ items, reached: floor }, archived], transactionPosition);
  const shown = all.slice(0, limit);
  const end = all.length > limit ? transactionPosition(shown.at(-1)!) : reached;
  return {
    items: shown.map(({ result }) => result as ChainTransactionResult),
    next: end === null ? null : cursorOf(end),
  };
};

/** A cursor has the numbers of a position without leading zeros. */
const cursorOf = (position: string): string => position.split("-").map(Number).join("-");

/** A position in the list: the time of a row, and its row number. */
const positionOf = (cursor: string): { time: Date; rowNumber: number } => {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(cursor);
  if (!match) throw unknownCursor();
  return { time: new Date(Number(match[1])), rowNumber: Number(match[2]) };
};

export const transactionsList = list(
  {
    path: "/transaction",
    operationId: "listTransactions",
    tag: "Operations",
    summary: "List the integration's final transactions, newest first",
    entries: ["The transactions.", transactionView],
  },
  ({ context, caller }, cursor, limit) => listTransactions(context, caller, { cursor, limit }),
);

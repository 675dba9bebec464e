import { archivedTransactions, transactionPlace } from "../archive/lists.ts";
import { FILES_AT_ONCE, joined } from "../archive/read.ts";
import type { ChainTransactionResult } from "../chain/outcome.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { listTransactions as rows } from "../db/queries/transactions.ts";
import { unknownCursor } from "../domain/cursors.ts";

/** Some final transactions of an integration, newest first. @throws ServiceError invalid_request (cursor) */
export const listTransactions = async (
  context: ServiceContext,
  caller: Caller,
  page: { readonly limit: number; readonly cursor: string | null },
): Promise<{ readonly transactions: readonly ChainTransactionResult[]; readonly next: string | null }> => {
  const { cursor, limit } = page;
  const { integrationId } = caller;
  const after = cursor === null ? null : placeOf(cursor);
  const { rows: found, files } = await rows(context.db, integrationId, after, {
    limit: limit + 1,
    files: FILES_AT_ONCE,
  });
  const items = found.map(({ result, createdAt, place }) => ({ result, time: createdAt.getTime(), place }));
  const last = items.at(-1);
  const isAll = found.length <= limit && (found.at(-1)?.candidates ?? 0) <= found.length;
  const floor = last && !isAll ? transactionPlace(last) : null;
  const before = after && transactionPlace({ time: after.time.getTime(), place: after.place });
  const asked = { integrationId, files, before, floor, want: limit + 1 };
  const archived = await archivedTransactions(context, asked);
  const { items: all, reached } = joined([{ items, reached: floor }, archived], transactionPlace);
  const shown = all.slice(0, limit);
  const end = all.length > limit ? transactionPlace(shown.at(-1)!) : reached;
  return {
    transactions: shown.map(({ result }) => result as ChainTransactionResult),
    next: end === null ? null : cursorOf(end),
  };
};

/** A cursor has the numbers of a place as they are. */
const cursorOf = (place: string): string => place.split("-").map(Number).join("-");

/** A place in the list: the time of a row, and its number among those of the same time. */
const placeOf = (cursor: string): { time: Date; place: number } => {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(cursor);
  if (!match) throw unknownCursor();
  return { time: new Date(Number(match[1])), place: Number(match[2]) };
};

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
  const after = page.cursor === null ? null : placeOf(page.cursor);
  const found = await rows(context.db, caller.integrationId, after, page.limit + 1);
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    transactions: shown.map(({ result }) => result as ChainTransactionResult),
    next: last && last.candidates > shown.length ? `${last.createdAt.getTime()}-${last.place}` : null,
  };
};

/** A place in the list: the time of a row, and its number among those of the same time. */
const placeOf = (cursor: string): { time: Date; place: number } => {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(cursor);
  if (!match) throw unknownCursor();
  return { time: new Date(Number(match[1])), place: Number(match[2]) };
};

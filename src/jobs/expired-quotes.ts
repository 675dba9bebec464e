import type { ServiceContext } from "../context.ts";
import { deleteExpiredQuotes } from "../db/queries/quotes.ts";

/** Quotes of one batch. */
const AT_ONCE = 1_000;

/** For so long a run begins a further batch. Milliseconds. */
const RUN_MS = 5_000;

/** Forgets quotes whose time is over: a write that names one is told so by its uuid. */
export const forgetExpiredQuotes = async ({ db, now }: ServiceContext): Promise<void> => {
  const until = now().getTime() + RUN_MS;
  while ((await deleteExpiredQuotes(db, now(), AT_ONCE)) === AT_ONCE && now().getTime() < until);
};

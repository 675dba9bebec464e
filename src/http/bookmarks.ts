import { sql } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import type { ServiceContext } from "../context.ts";
import { type DatabaseSession, openPrimary, openReplicas } from "../db/client.ts";
import { ServiceError } from "../domain/errors.ts";
import { type AppEnv, isWrite } from "./app-env.ts";

/** The header with which a caller reads at least the state that an earlier response showed. */
export const BOOKMARK = "Mintage-Bookmark";

/** Set in the response to a write to the chain, which an object carries out. */
const OPERATION_UUID = "X-Operation-Uuid";

/** Sent by a caller that has no bookmark yet. */
const NEW = "new";

/** D1's own form. */
const BOOKMARK_FORM = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/**
 * Serves reads with a bookmark from replicas of the database, at that state or a newer one. Each response to such a
 * caller has a bookmark that covers all that its request wrote and read, except list pages read while it is sent.
 * Without one, the primary serves.
 */
export const bookmarks: MiddlewareHandler<AppEnv> = async (c, next) => {
  const sent = c.req.header(BOOKMARK);
  if (sent === undefined || c.get("endpoint")?.isLongPoll) return next();
  if (sent !== NEW && !BOOKMARK_FORM.test(sent)) throw badBookmark();
  const context = c.get("context");
  const isReplicated = sent !== NEW && !isWrite(c.req.method, c.get("endpoint"));
  const session: DatabaseSession = isReplicated
    ? openReplicas(context.env.DB, sent)
    : openPrimary(context.env.DB);
  c.set("context", { ...context, db: session.db });
  await next();
  if (!isReplicated && c.res.headers.has(OPERATION_UUID) && !(await seeWrites(context, session))) return;
  // A request without a query saw nothing newer: its caller keeps the bookmark it sent.
  const bookmark = session.bookmark() ?? (sent === NEW ? null : sent);
  if (bookmark !== null) c.header(BOOKMARK, bookmark);
};

/**
 * Reads from the primary, whose state includes what an object wrote for this request. @returns whether it answered: without a
 * bookmark the caller still has its response
 */
const seeWrites = async ({ log }: ServiceContext, { db }: DatabaseSession): Promise<boolean> => {
  try {
    await db.run(sql`SELECT 1`);
    return true;
  } catch (error) {
    log("bookmark.unknown", { error });
    return false;
  }
};

/** A context for public reads: they may use any replica, which may be seconds behind. */
export const replicated = (context: ServiceContext): ServiceContext => ({
  ...context,
  db: openReplicas(context.env.DB, null).db,
});

const badBookmark = (): ServiceError => {
  const message = `Send the ${BOOKMARK} of an earlier answer as it was, or \`${NEW}\` if there is none yet.`;
  return new ServiceError("invalid_request", message, { issues: [{ path: [BOOKMARK], message }] });
};

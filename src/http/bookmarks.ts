import type { MiddlewareHandler } from "hono";
import type { ServiceContext } from "../context.ts";
import { type DatabaseSession, openPrimary, openReplicas } from "../db/client.ts";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { isWrite } from "./authentication.ts";

/** The header by which a caller goes on from what an earlier answer has shown it. */
export const BOOKMARK = "Mintage-Bookmark";

/** A caller that has no bookmark yet. */
const NEW = "new";

/** D1's own form. */
const BOOKMARK_FORM = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/** Reads that wait for what isn't there yet, for several callers at once: they ask the primary. */
const WAITING = /\/event$/;

/**
 * Lets replicas of the database answer reads of a caller that says what it has seen. Each answer to it has a bookmark:
 * a state of the database with all that the request has written and read, except the pages of a list that are read while it
 * is sent. A read that comes with a bookmark sees at
 * least that state. A caller that sends none asks the primary, which has all that anybody has written.
 */
export const bookmarks: MiddlewareHandler<AppEnv> = async (c, next) => {
  const sent = c.req.header(BOOKMARK);
  if (sent === undefined || WAITING.test(c.req.path)) return next();
  if (sent !== NEW && !BOOKMARK_FORM.test(sent)) throw badBookmark();
  const context = c.get("context");
  const isReplicated = sent !== NEW && !isWrite(c.req.method, c.req.path);
  const session: DatabaseSession = isReplicated
    ? openReplicas(context.env.DB, sent)
    : openPrimary(context.env.DB);
  c.set("context", { ...context, db: session.db });
  await next();
  // A request that has asked nothing has shown nothing newer: its caller goes on from where it was.
  const bookmark = session.bookmark() ?? (sent === NEW ? null : sent);
  if (bookmark !== null) c.header(BOOKMARK, bookmark);
};

/** A context for reads that anybody may make: any replica answers them, which may be seconds behind. */
export const replicated = (context: ServiceContext): ServiceContext => ({
  ...context,
  db: openReplicas(context.env.DB, null).db,
});

const badBookmark = (): ServiceError => {
  const message = `Send the ${BOOKMARK} of an earlier answer as it was, or \`${NEW}\` if there is none yet.`;
  return new ServiceError("invalid_request", message, { issues: [{ path: [BOOKMARK], message }] });
};

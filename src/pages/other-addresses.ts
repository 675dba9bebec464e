import type { Context } from "hono";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { page } from "./routes.ts";

/** Addresses below which there is nothing but pages. */
const AMONG_PAGES = /^\/(?:[mcg]|operator)(?:\/|$)/;

/** The address of a page with slashes behind it, which people type and other sites add. */
const WITH_SLASH = /^(\/(?:[mc]\/[^/]+|g\/[^/]+(?:\/[^/]+)?|operator))\/+$/;

/**
 * Answers a visit to an address among the pages that has none: the page's own address where a slash is too many, otherwise
 * a page that says so. Null: the visit is none of the pages' concern.
 */
export const otherAddress = (c: Context<AppEnv>): Response | Promise<Response> | null => {
  const { pathname, search } = new URL(c.req.url);
  const isVisit = c.req.method === "GET" || c.req.method === "HEAD";
  if (!isVisit || !AMONG_PAGES.test(pathname)) return null;
  const [, own] = WITH_SLASH.exec(pathname) ?? [];
  if (own !== undefined) return c.redirect(own + search, 308);
  return page(c, async () => {
    throw new ServiceError("not_found", "No page has this address. Look whether all of it was copied.");
  });
};

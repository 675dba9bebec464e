import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";
import { BOOKMARK } from "./bookmarks.ts";

/**
 * Headers that restrict what a browser does with a response (OWASP REST Security Cheat Sheet).
 * A route that serves pages or media sets its own content security policy, which stays.
 */
export const securityHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const headers = c.res.headers;
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  if (!headers.has("Content-Security-Policy")) {
    headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  }
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
});

const EXPOSED = [
  "Idempotency-Replayed",
  "Link",
  "Location",
  BOOKMARK,
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Operation-Uuid",
  "X-Request-Id",
];
const ALLOWED = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "Mintage-Max-Cost",
  "Mintage-Quote",
  BOOKMARK,
  "Prefer",
];

/** Every page may read the gateway, whatever is configured: it sets its own headers. */
const OPEN_TO_ALL = "/ipfs/";

/** Allows browsers of the origins in CORS_ORIGINS, `*` for all; none if it is not set. */
export const crossOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const configured = c.get("context").settings.CORS_ORIGINS;
  if (configured === undefined || c.req.path.startsWith(OPEN_TO_ALL)) return next();
  const origins = configured.split(",").map((origin) => origin.trim());
  const origin = origins.includes("*") ? "*" : origins;
  const handle = cors({
    origin,
    allowHeaders: ALLOWED,
    allowMethods: ["GET", "POST", "PUT", "DELETE"],
    exposeHeaders: EXPOSED,
    maxAge: 86_400,
  });
  return handle(c, next);
});

import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";

/**
 * Headers that keep a browser from doing more with an answer than showing data (OWASP REST Security Cheat Sheet).
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

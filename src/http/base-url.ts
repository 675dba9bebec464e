import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

/** The service's public address, without a slash at the end: PUBLIC_URL, or the request's origin. */
export const baseUrl = (c: Context<AppEnv>): string =>
  c.get("context").settings.PUBLIC_URL ?? new URL(c.req.url).origin;

// http/: middleware, and what endpoints share of HTTP: bodies, lists, errors.

import { createMiddleware } from "hono/factory";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { parametrisedList } from "./header-parameters.ts";

/**
 * Whether an Accept header takes JSON (RFC 9110 section 12.5.1): the most specific range that covers it decides, and
 * weight 0 means no. No header, or an empty one, takes everything.
 */
export const acceptsJson = (header: string | undefined): boolean => {
  if (header === undefined || header.trim() === "") return true;
  let best = -1;
  let accepted = false;
  for (const { value, parameters } of parametrisedList(header)) {
    const rank = ["*/*", "application/*", "application/json"].indexOf(value.toLowerCase());
    if (rank < 0 || rank < best) continue;
    const weight = parameters.get("q");
    best = rank;
    accepted = weight === undefined || Number(weight) > 0;
  }
  return accepted;
};

/** Refuses requests whose Accept header takes no JSON. @throws ServiceError not_acceptable */
export const acceptance = createMiddleware<AppEnv>(async (c, next) => {
  if (!acceptsJson(c.req.header("Accept"))) {
    throw new ServiceError(
      "not_acceptable",
      "This address answers application/json: the Accept header must allow it.",
    );
  }
  await next();
});

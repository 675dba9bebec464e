import { createMiddleware } from "hono/factory";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { isWrite } from "./authentication.ts";

/** Where requests may change something; anywhere else everything is only read. */
const SURFACES = /^\/(api|admin|public)\/v1\//;

/**
 * Whether a request goes to the Worker for writes. What it does there it could do here as well: the answer decides how
 * far its statements travel, and nothing else. A browser's preflight (OPTIONS) asks no database.
 */
export const isHandedOn = (method: string, path: string): boolean =>
  method !== "OPTIONS" && SURFACES.test(path) && isWrite(method, path);

/**
 * Hands requests that write to the Worker near the database, if the deployment has one (docs/deploying.md). It gets the
 * request as it came: address, headers with `CF-Connecting-IP`, the body as it streams in. It alone authenticates, counts
 * and logs it, and its answer goes out as it is. It has no such binding itself.
 */
export const handOn = createMiddleware<AppEnv>(async (c, next) => {
  const { WRITES: writes } = c.env;
  if (writes === undefined || !isHandedOn(c.req.method, c.req.path)) return next();
  try {
    const answer = await writes.fetch(c.req.raw);
    c.set("handedOn", { answered: true });
    return answer;
  } catch (error) {
    c.set("handedOn", { answered: false, error });
    return next();
  }
});

/**
 * Answers a request that the other Worker has left without an answer. It comes behind what every answer here passes.
 * @throws ServiceError internal_error
 */
export const refuseUnanswered = createMiddleware<AppEnv>(async (c, next) => {
  const handed = c.get("handedOn");
  if (handed === undefined || handed.answered) return next();
  throw new ServiceError(
    "internal_error",
    "The service failed, and may have carried out the request. Send it again with the same Idempotency-Key, or look for its effect first.",
    { cause: handed.error },
  );
});

import { createMiddleware } from "hono/factory";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv, EndpointTraits } from "./app-env.ts";
import { isWrite } from "./authentication.ts";

/** Paths that accept writes; every other path is read-only. */
const SURFACES = /^\/(api|admin|public)\/v1\//;

/**
 * Whether a request is forwarded to the Worker for writes. Both Workers run the same code; forwarding only shortens the
 * round trips to the database. A browser's preflight (OPTIONS) needs no database.
 */
export const isHandedOn = (method: string, path: string, endpoint: EndpointTraits | undefined): boolean =>
  method !== "OPTIONS" && SURFACES.test(path) && isWrite(method, endpoint);

/**
 * Forwards writes to the Worker near the database, if the deployment has one (docs/deploying.md). That Worker receives the
 * unchanged request: address, headers with `CF-Connecting-IP`, streamed body. It alone authenticates, counts and logs the
 * request, and its response is returned unchanged. It has no such binding itself.
 */
export const handOn = createMiddleware<AppEnv>(async (c, next) => {
  const { WRITES: writes } = c.env;
  if (writes === undefined || !isHandedOn(c.req.method, c.req.path, c.get("endpoint"))) return next();
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
 * Refuses a request to which the other Worker gave no response. It runs after the middleware that every response passes.
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

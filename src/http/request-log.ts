import { createMiddleware } from "hono/factory";
import type { ServiceContext } from "../services/context.ts";
import type { AppEnv } from "./app-env.ts";
import { logger } from "./log.ts";

/**
 * Gives the request its id and its context, and logs one line when it is answered. The path is logged without its
 * query, and no header ever is.
 */
export const requestLog = (open: OpenContext) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const requestId = crypto.randomUUID();
    const began = Date.now();
    const log = logger({ request_id: requestId });
    c.set("requestId", requestId);
    c.set(
      "context",
      open(c.env, log, (work) => c.executionCtx.waitUntil(work)),
    );
    await next();
    c.res.headers.set("X-Request-Id", requestId);
    log("request", {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: Date.now() - began,
      integration_uuid: c.get("caller")?.integrationId,
    });
  });

/** Makes the context of a request from its bindings, its log, and its way to work on after the answer. */
type OpenContext = (
  env: Env,
  log: ServiceContext["log"],
  waitUntil: ServiceContext["waitUntil"],
) => ServiceContext;

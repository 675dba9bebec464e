import { createMiddleware } from "hono/factory";
import { openContext, type ServiceContext } from "../context.ts";
import { newUuid } from "../domain/ids.ts";
import type { AppEnv } from "./app-env.ts";
import { logger } from "./log.ts";

/** A context whose log lines carry `fields`. */
export const loggedContext = (
  env: Env,
  { waitUntil }: Pick<ExecutionContext, "waitUntil">,
  fields: Readonly<Record<string, unknown>>,
): ServiceContext => openContext(env, logger(fields), waitUntil);

/**
 * Gives the request its id and its context, and logs one line when it is answered. The path is logged without its
 * query, and no header ever is.
 */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
  const requestId = newUuid();
  const began = Date.now();
  c.set("requestId", requestId);
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  const context = loggedContext(c.env, { waitUntil }, { request_id: requestId });
  c.set("context", context);
  await next();
  // The other Worker's id and line stand for it.
  if (c.get("handedOn")?.answered) return;
  c.res.headers.set("X-Request-Id", requestId);
  context.log("request", {
    method: c.req.method,
    path: c.req.path,
    status: c.res.status,
    ms: Date.now() - began,
    integration_uuid: c.get("caller")?.integrationId,
  });
});

import type { Context, MiddlewareHandler, Next } from "hono";
import { cors } from "hono/cors";
import { newUuid } from "../domain/ids.ts";
import type { AppEnv, MatchedEndpoint } from "./app-env.ts";
import { answerProblem, type ErrorForm, errorResponse } from "./error-responses.ts";
import { loggedContext, logger } from "./log.ts";

const EXPOSED = [
  "Idempotency-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Block-Hash",
  "X-Block-Height",
  "X-Operation-Uuid",
  "X-Request-Id",
];
const ALLOWED = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "Last-Event-ID",
  "Mintage-Max-Cost",
  "Mintage-Quote",
  "Prefer",
];

/**
 * Allows browsers of the origins in CORS_ORIGINS, `*` for all. The gateway sets headers of its own: all may read it. Where the
 * settings are wrong no origin is known.
 */
const crossOrigin = (c: Context<AppEnv>, next: Next): ReturnType<MiddlewareHandler> => {
  const configured = c.get("context")?.settings.CORS_ORIGINS;
  if (configured === undefined || c.req.path.startsWith("/ipfs/")) return next();
  const origins = configured.split(",").map((origin) => origin.trim());
  const handle = cors({
    origin: origins.includes("*") ? "*" : origins,
    allowHeaders: ALLOWED,
    allowMethods: ["GET", "POST", "PUT", "DELETE"],
    exposeHeaders: EXPOSED,
    maxAge: 86_400,
  });
  return handle(c, next);
};

/** Restricts what a browser does with a response (OWASP REST Security Cheat Sheet). A policy that is set already stays. */
const secure = (headers: Headers): void => {
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  if (!headers.has("Content-Security-Policy")) {
    headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  }
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
};

/**
 * Gives a request its id, its endpoint and its context, sets the headers of every response, and logs one line, without
 * the query and without headers. Wrong settings are an answer like any other.
 */
export const answerRequest =
  (
    endpointAt: (method: string, path: string) => MatchedEndpoint | undefined,
    formAt: (path: string) => ErrorForm,
  ): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const { method, path } = c.req;
    const [requestId, began] = [newUuid(), Date.now()];
    const endpoint = endpointAt(method, path);
    c.set("requestId", requestId);
    c.set("endpoint", endpoint);
    let answer: Next = next;
    const failing = (error: unknown) => async () => {
      c.res = errorResponse(error, c, formAt(path));
    };
    try {
      c.set("context", loggedContext(c.env, c.executionCtx, { request_id: requestId }));
    } catch (error) {
      answer = failing(error);
    }
    const preflight = await crossOrigin(c, answer);
    if (preflight instanceof Response) c.res = preflight;
    await answerProblem(c);
    secure(c.res.headers);
    c.res.headers.set("X-Request-Id", requestId);
    const log = c.get("context")?.log ?? logger({ request_id: requestId });
    log("request", {
      method,
      path,
      status: c.res.status,
      ms: Date.now() - began,
      integration_uuid: c.get("caller")?.integrationId,
    });
  };

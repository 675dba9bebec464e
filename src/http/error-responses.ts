import type { Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { StatusCode } from "hono/utils/http-status";
import { isStorageUnavailable, isUnavailable } from "../db/statements.ts";
import { databaseUnavailable, ERRORS, errorBody, ServiceError } from "../domain/errors.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../domain/media-types.ts";
import { SettingsError } from "../env.ts";
import { acceptsProblems } from "./acceptance.ts";
import { type AppEnv, baseUrl, isWrite } from "./app-env.ts";
import { logger } from "./log.ts";

/** The error for an address where there is nothing. */
export const noSuchAddress = (): ServiceError =>
  new ServiceError("not_found", "Nothing exists at this address. Check it against /openapi.json.");

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Whether a path has a route for a method. Middleware, which takes all methods, doesn't count. */
export const hasRoute = ({ router }: Hono<AppEnv>, path: string, method: string): boolean =>
  router.match(method, path)[0].some(([[, route]]) => route.method === method);

/** The error for a request without a route: 405 with Allow if the address exists with other methods, otherwise 404. */
export const unmatched = (app: Hono<AppEnv>, c: Context<AppEnv>): ServiceError => {
  const methods = METHODS.filter((method) => hasRoute(app, c.req.path, method));
  if (methods.length === 0) return noSuchAddress();
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
  c.header("Allow", allow);
  return new ServiceError("method_not_allowed", `Use one of ${allow}.`);
};

/** @param named whether the answer names the settings; their values are never in it */
const notConfigured = (cause: SettingsError, named: boolean): ServiceError => {
  const message = "Missing or wrong. The log says what it has to be.";
  return new ServiceError(
    "not_configured",
    "The service's settings are missing or wrong. Its operator has to correct those that GET /ready names.",
    {
      ...(named && { issues: cause.names.map((name) => ({ path: [name], message })) }),
      retryable: false,
      cause,
    },
  );
};

/** The caller's error for a thrown value. @param mayWrite whether the request may have changed something */
export const asServiceError = (error: unknown, mayWrite: boolean): ServiceError => {
  if (error instanceof ServiceError) return error;
  if (error instanceof HTTPException) {
    // What the framework's own validators throw.
    if (error.status === 415) {
      return new ServiceError("unsupported_content_type", "Send the body as Content-Type: application/json.");
    }
    if (error.status === 400) return new ServiceError("invalid_json", "Send a body that is valid JSON.");
  }
  // Drizzle wraps what the call of a ledger throws.
  if (error instanceof Error && error.cause instanceof ServiceError) return error.cause;
  if (isUnavailable(error)) return databaseUnavailable(mayWrite, error);
  if (isStorageUnavailable(error)) return databaseUnavailable(mayWrite, error, "The storage of files");
  return new ServiceError("internal_error", "The service failed. Try again, and report the request id.", {
    cause: error,
  });
};

/** The caller's error for an exception, after its cause is logged. */
export const loggedError = (thrown: unknown, c: Context<AppEnv>): ServiceError => {
  const error =
    thrown instanceof SettingsError
      ? notConfigured(thrown, c.req.path === "/ready")
      : asServiceError(thrown, isWrite(c.req.method, c.get("endpoint")));
  if (error.status >= 500 || error.details.cause !== undefined) {
    // Where the settings are wrong there is no context.
    const log = c.get("context")?.log ?? logger({ request_id: c.get("requestId") });
    log("request.error", { code: error.code, error: error.details.cause ?? error });
  }
  return error;
};

/** How an error's body is made. */
export type ErrorForm = (error: ServiceError, requestId: string) => object;

/** Converts an exception to a response. @param form of its body */
export const errorResponse = (thrown: unknown, c: Context<AppEnv>, form: ErrorForm = errorBody): Response => {
  const error = loggedError(thrown, c);
  const requestId = c.get("requestId");
  c.header("X-Request-Id", requestId);
  if (error.status === 401) {
    c.header("WWW-Authenticate", challengeOf(error, c.req.path));
  }
  if (error.details.retryAfter !== undefined) c.header("Retry-After", String(error.details.retryAfter));
  return c.json(form(error, requestId), error.status);
};

/** The schemes that a caller may use; clients of the Model Context Protocol know only Bearer, and take the first. */
const challengeOf = ({ code }: ServiceError, path: string): string => {
  if (code === "admin_token_invalid") return "Bearer";
  return path === "/mcp" ? "Bearer, Api-Key" : "Api-Key, Bearer";
};

/** Makes an error that the caller wants in the form of RFC 9457 one: the same fields, with those of the standard. */
export const answerProblem = async (c: Context<AppEnv>): Promise<void> => {
  const { status, headers } = c.res;
  if (status < 400 || headers.get("Content-Type") !== JSON_TYPE) return;
  c.header("Vary", "Accept", { append: true });
  if (!acceptsProblems(c.req.header("Accept"))) return;
  const body = await c.res.json<ReturnType<typeof errorBody>>();
  const { code, message, request_id: requestId } = body;
  const standard = code in ERRORS && {
    type: `${baseUrl(c)}/docs/errors.md#${code}`,
    title: ERRORS[code].cause,
    status,
    detail: message,
    instance: `urn:uuid:${requestId}`,
  };
  const type = standard ? PROBLEM_TYPE : JSON_TYPE;
  c.res = c.newResponse(JSON.stringify({ ...standard, ...body }), c.res.status as StatusCode, {
    "Content-Type": type,
  });
};

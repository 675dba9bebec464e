import type { Context, Hono, MiddlewareHandler } from "hono";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { errorResponse } from "./error-responses.ts";

/** The methods that an app has at a path; empty if the address doesn't exist. */
export type MethodsAt = (path: string) => ReadonlySet<string>;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Looks paths up in an app's router; middleware, which takes all methods, doesn't count. */
export const allowedMethods =
  (app: () => Hono<AppEnv>): MethodsAt =>
  (path) => {
    const { router } = app();
    const has = (method: string) =>
      router.match(method, path)[0].some(([[, route]]) => route.method === method);
    const methods = METHODS.filter(has);
    return new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods);
  };

/** Answers requests without a route: 405 with Allow if the address exists with other methods, otherwise 404. */
export const unmatched =
  (methodsAt: MethodsAt) =>
  (c: Context<AppEnv>): Response => {
    const allowed = methodsAt(c.req.path);
    if (allowed.size === 0) {
      return errorResponse(
        new ServiceError("not_found", "Nothing exists at this address. Check it against /openapi.json."),
        c,
      );
    }
    const allow = [...allowed].sort().join(", ");
    c.header("Allow", allow);
    return errorResponse(new ServiceError("method_not_allowed", `Use one of ${allow}.`), c);
  };

/** Responds to requests without an endpoint early, before headers and Idempotency-Key are checked. */
export const endpointsOnly =
  (refuse: (c: Context<AppEnv>) => Response): MiddlewareHandler<AppEnv> =>
  async (c, next) =>
    c.get("endpoint") ? next() : refuse(c);

import type { Context, Hono, MiddlewareHandler } from "hono";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { errorResponse } from "./error-responses.ts";

interface Address {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** The addresses of an app with the methods of each; middleware, which takes all methods, is left out. */
const addressesOf = (app: Hono<AppEnv>): Address[] => {
  const byPath = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === "ALL") continue;
    const methods = byPath.get(path) ?? new Set();
    methods.add(method);
    if (method === "GET") methods.add("HEAD");
    byPath.set(path, methods);
  }
  return [...byPath].map(([path, methods]) => ({ pattern: patternOf(path), methods }));
};

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replace(/[.$^()[\]|]/g, "\\$&")
      .replace(/:[^/:{]+(?:\{[^{}]*\})?/g, "[^/]+")
      .replace(/\*$/, ".*")}$`,
  );

/** The methods that an app has at a path; empty if the address doesn't exist. */
export type MethodsAt = (path: string) => ReadonlySet<string>;

/** Looks paths up in an app whose routes are complete by the first request. */
export const allowedMethods = (app: () => Hono<AppEnv>): MethodsAt => {
  let addresses: Address[] | undefined;
  return (path) => {
    addresses ??= addressesOf(app());
    const here = addresses.filter(({ pattern }) => pattern.test(path));
    return new Set(here.flatMap(({ methods }) => [...methods]));
  };
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

/** Responds to requests without a route early, before headers and Idempotency-Key are checked. */
export const routedOnly = (methodsAt: MethodsAt): MiddlewareHandler<AppEnv> => {
  const refuse = unmatched(methodsAt);
  return async (c, next) => (methodsAt(c.req.path).has(c.req.method) ? next() : refuse(c));
};

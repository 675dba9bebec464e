import type { Context, Hono } from "hono";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { errorResponse } from "./error-responses.ts";

interface Address {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** The addresses of an app with the methods that each has; middleware, which is for all methods, is none. */
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
      .replace(/:[^/{]+(?:\{[^}]*\})?/g, "[^/]+")
      .replace(/\*$/, ".*")}$`,
  );

/** Answers what no route took: 405 with Allow where the address exists with other methods, else 404. */
export const unmatched = (app: Hono<AppEnv>) => {
  let addresses: Address[] | undefined;
  return (c: Context<AppEnv>): Response => {
    addresses ??= addressesOf(app);
    const allowed = new Set(
      addresses.filter(({ pattern }) => pattern.test(c.req.path)).flatMap(({ methods }) => [...methods]),
    );
    if (allowed.size === 0) {
      return errorResponse(new ServiceError("not_found", "There is nothing at this address."), c);
    }
    const allow = [...allowed].sort().join(", ");
    c.header("Allow", allow);
    return errorResponse(new ServiceError("method_not_allowed", `Use one of ${allow} here.`), c);
  };
};

import { env } from "cloudflare:workers";
import { refused } from "./scans.ts";

/**
 * Records every statement that the service sends to D1 while a test file runs, and has SQLite say how it would read
 * (https://sqlite.org/eqp.html). Rows accumulate for years: a statement that scans or sorts what grows fails the file that
 * sent it. test/support/statement-census.ts sees to it that none is left out; test/unit/object-plans.test.ts explains those
 * of the objects.
 */

/** What SQLite says of a statement, or why it refused to say. */
interface Plan {
  readonly text: string;
  readonly details: readonly string[];
}

const EXPLAINED = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\b/i;

/** The service sends all of its statements from this file; what tests send without it is their own. */
const CLIENT = /src\/db\/client\.ts/;

const toDatabase = new Set<string>();
const called = new Set<string>();
const queries = import.meta.glob<Record<string, unknown>>("../../src/db/queries/*.ts", { eager: true });
const names = new Set<string>();

type Prepares = { prepare(text: string): D1PreparedStatement };

/** D1's own method, before anything is recorded. */
const { prepare: unwatched } = Object.getPrototypeOf(env.DB) as Prepares;

/** The database for statements of a test's own, which may read whatever they like. */
export const unrecorded = (database: D1Database): D1Database =>
  new Proxy(database, {
    get(target, name) {
      if (name === "prepare") return (text: string) => unwatched.call(target, text);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const watchPrepare = (prototype: Prepares): void => {
  const { prepare } = prototype;
  prototype.prepare = function (this: Prepares, text: string) {
    if (!toDatabase.has(text) && EXPLAINED.test(text)) {
      const [, , caller = ""] = (new Error("who asks").stack ?? "").split("\n");
      if (CLIENT.test(caller)) toDatabase.add(text);
    }
    return prepare.call(this, text);
  };
};

/** Notes which functions of src/db/queries are called: every one has statements, or parts of them. */
const watchQueries = (): void => {
  for (const [path, module] of Object.entries(queries)) {
    for (const [name, value] of Object.entries(module)) {
      if (typeof value !== "function") continue;
      const full = `${path.slice(path.lastIndexOf("/") + 1)} ${name}`;
      names.add(full);
      const noting = (...values: unknown[]) => {
        called.add(full);
        return (value as (...values: unknown[]) => unknown)(...values);
      };
      Object.defineProperty(module, name, { get: () => noting, configurable: true, enumerable: true });
    }
  }
};

/** Begins to record. @returns tells, when the file's tests have run, which statements scan or sort what grows */
export const recordStatements = (): (() => Promise<readonly string[]>) => {
  const database = Object.getPrototypeOf(env.DB) as Prepares;
  watchPrepare(database);
  const session = Object.getPrototypeOf(env.DB.withSession()) as Prepares;
  if (session !== database) watchPrepare(session);
  watchQueries();
  return async () => {
    const plans = await plansOf((text) => unwatched.call(env.DB, text));
    await tellCensus();
    return plans.flatMap((plan) => refused("D1", plan.text, plan.details));
  };
};

/** Literals of SQL have no question marks that are parameters. */
const parametersOf = (text: string): number => text.replaceAll(/'[^']*'/g, "").split("?").length - 1;

const plansOf = async (prepare: (text: string) => D1PreparedStatement): Promise<Plan[]> => {
  const texts = Array.from(toDatabase);
  if (texts.length === 0) return [];
  const explained = await env.DB.batch<{ detail: string }>(
    texts.map((text) => prepare(`EXPLAIN QUERY PLAN ${text}`).bind(...Array(parametersOf(text)).fill(null))),
  );
  return texts.map((text, at) => ({
    text,
    details: explained[at]!.results.map(({ detail }) => detail),
  }));
};

/** Tells the process that outlives this file what was seen. */
const tellCensus = async (): Promise<void> => {
  const body = JSON.stringify({
    names: Array.from(names),
    called: Array.from(called),
    statements: toDatabase.size,
  });
  const response = await fetch(new URL("/census", env.TEST_CHAIN), { method: "POST", body });
  await response.body?.cancel();
};

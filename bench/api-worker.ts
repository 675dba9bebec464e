import { AsyncLocalStorage } from "node:async_hooks";
import { Hono } from "hono";
import Mintage from "../src/index.ts";

export { IntegrationWallet, RequestCounter, WebhookEndpoint } from "../src/index.ts";

/** What the service is measured beside: a handler that does nothing but one query. */
const bare = new Hono<{ Bindings: Env }>().get("/bare/:id", async (c) => {
  const id = Uint8Array.from(c.req.param("id").match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const row = await c.env.DB.prepare("SELECT settings, total, minted FROM collections WHERE id = ?")
    .bind(id)
    .first();
  return c.json(row);
});

/**
 * How far the database is away, milliseconds, and what was asked of it so far: `begun` counts all calls, `trips` those
 * that a request has waited for, `lookups` those of them for what an isolate keeps for seconds. One isolate serves the whole
 * bench.
 */
const distance = { ms: 0, begun: 0, trips: 0, lookups: 0 };

/** The request that asks. What goes on behind its answer asks for nobody. */
const asking = new AsyncLocalStorage<{ isOver: boolean }>();

/** A key, for five seconds. */
const IS_KEPT = /"digest" = \?/i;

const EXECUTING = new Set(["all", "run", "first", "raw"]);

const trip = async <T>(texts: readonly string[], call: () => Promise<T>): Promise<T> => {
  const request = asking.getStore();
  distance.begun += 1;
  if (distance.ms > 0) await new Promise((resolve) => setTimeout(resolve, distance.ms));
  const answer = await call();
  if (request && !request.isOver) {
    distance.trips += 1;
    if (texts.some((text) => IS_KEPT.test(text))) distance.lookups += 1;
  }
  return answer;
};

const own = new WeakMap<object, { readonly statement: D1PreparedStatement; readonly text: string }>();

const farStatement = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
  const far = new Proxy(statement, {
    get(real, property) {
      if (property === "bind") return (...values: unknown[]) => farStatement(real.bind(...values), text);
      const value = Reflect.get(real, property, real) as (...inputs: unknown[]) => Promise<unknown>;
      if (!EXECUTING.has(String(property))) return value;
      return (...inputs: unknown[]) => trip([text], () => value.apply(real, inputs));
    },
  });
  own.set(far, { statement, text });
  return far;
};

/** The database, some way off. */
const farDatabase = (database: D1Database): D1Database =>
  new Proxy(database, {
    get(real, property) {
      if (property === "prepare") return (sql: string) => farStatement(real.prepare(sql), sql);
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) => {
          const known = statements.map((each) => own.get(each)!);
          return trip(
            known.map(({ text }) => text),
            () => real.batch(known.map(({ statement }) => statement)),
          );
        };
      }
      if (property === "withSession") {
        return (from: string) => farDatabase(real.withSession(from) as unknown as D1Database);
      }
      const value: unknown = Reflect.get(real, property, real);
      return typeof value === "function" ? (value.bind(real) as unknown) : value;
    },
  });

const far = new WeakMap<Env, Env>();

/** The bindings with a database some way off; the same object for the same bindings, as settings are kept by it. */
const atDistance = (env: Env): Env => {
  const known = far.get(env);
  if (known) return known;
  const changed = { ...env, DB: farDatabase(env.DB) };
  far.set(env, changed);
  return changed;
};

/** Notes when a request is over: its answer was sent to the last byte. */
const watched = async (answering: () => Response | Promise<Response>): Promise<Response> => {
  const request = { isOver: false };
  const response = await asking.run(request, answering);
  const over = () => {
    request.isOver = true;
  };
  if (response.body !== null) {
    return new Response(response.body.pipeThrough(new TransformStream({ flush: over })), response);
  }
  over();
  return response;
};

/** The Worker as it is deployed, and beside it in the same runtime the bare handler. */
export default class Bench extends Mintage {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, atDistance(env));
  }

  override fetch(request: Request): Response | Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith("/bare/")) return bare.fetch(request, this.env, this.ctx);
    if (pathname !== "/distance") {
      return distance.ms > 0 ? watched(() => super.fetch(request)) : super.fetch(request);
    }
    distance.ms = Number(searchParams.get("ms") ?? distance.ms);
    return Response.json(distance);
  }
}

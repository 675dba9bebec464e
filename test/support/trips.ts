import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";
import { type ApiRequest, requestOf } from "./api.ts";
import { failingD1 } from "./database.ts";

/** What an isolate keeps for seconds, and asks for again on a slow machine: a key, endpoints to wake. */
const KEPT = /"api_keys"|^select "id" from "webhooks"/;

/** Requests to the service through a database whose trips are noted. */
export interface Watched {
  send(path: string, request: ApiRequest): Promise<Response>;
  /** The SQL of each trip to the database so far, but for what is kept; a batch's is joined by line breaks. */
  readonly trips: string[];
  /** Waits for what goes on behind the answers. */
  over(): Promise<unknown>;
}

/** @param before is waited for before each trip */
export const watched = (before: (sql: string) => Promise<unknown> = async () => undefined): Watched => {
  const trips: string[] = [];
  const DB = failingD1(async (sql) => {
    if (!KEPT.test(sql)) trips.push(sql);
    await before(sql);
    return null;
  });
  const bindings = { ...env, DB };
  const contexts: ExecutionContext[] = [];
  return {
    trips,
    send: async (path, request) => {
      const context = createExecutionContext();
      contexts.push(context);
      return app.fetch(requestOf(path, request), bindings, context);
    },
    over: () => Promise.all(contexts.map(waitOnExecutionContext)),
  };
};

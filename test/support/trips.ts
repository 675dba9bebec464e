import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";
import { type ApiRequest, requestOf } from "./api.ts";
import { failingD1 } from "./database.ts";
import { setWalletBindings } from "./wallets.ts";

/** What an isolate keeps for seconds, and asks for again on a slow machine: a key, endpoints to wake. */
const KEPT = /"api_keys"|^select "id" from "webhooks"/;

/** Requests to the service through a database whose trips are noted. */
interface Watched {
  /** @param changes bindings of this request alone */
  send(path: string, request: ApiRequest, changes?: object): Promise<Response>;
  /** The SQL of each trip to the database so far, but for what is kept; a batch's is joined by line breaks. */
  readonly trips: string[];
  /** Waits for what goes on behind the answers, and ends the watch of the wallet's object. */
  over(): Promise<unknown>;
}

/**
 * @param wallet the integration whose wallet's object is watched too
 * @param before is waited for before each trip
 */
export const watched = (
  wallet: string | null = null,
  before: (sql: string) => Promise<unknown> = async () => undefined,
): Watched => {
  const trips: string[] = [];
  const DB = failingD1(async (sql) => {
    if (!KEPT.test(sql)) trips.push(sql);
    await before(sql);
    return null;
  });
  const bindings = { ...env, DB };
  const contexts: ExecutionContext[] = [];
  let restore = async (): Promise<void> => undefined;
  return {
    trips,
    send: async (path, request, changes) => {
      await restore();
      if (wallet !== null) restore = await setWalletBindings(wallet, { DB });
      const context = createExecutionContext();
      contexts.push(context);
      return app.fetch(requestOf(path, request), changes ? { ...bindings, ...changes } : bindings, context);
    },
    over: async () => {
      await Promise.all(contexts.map(waitOnExecutionContext));
      await restore();
    },
  };
};

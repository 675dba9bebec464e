import Mintage, { IntegrationWallet } from "../src/index.ts";

export { RequestCounter, WebhookEndpoint } from "../src/index.ts";
export { CountedLedger as IntegrationWallet };

/** Calls so far: of ledgers' objects by the Worker, and of D1, by the Worker and by objects. One isolate serves all. */
const counts = { object_calls: 0, d1_calls: 0, d1_calls_of_requests: 0 };

const EXECUTING = new Set(["all", "run", "first", "raw"]);

const real = new WeakMap<object, D1PreparedStatement>();

const statement = (of: D1PreparedStatement, counted: () => void): D1PreparedStatement => {
  const proxy = new Proxy(of, {
    get(target, property) {
      if (property === "bind") return (...values: unknown[]) => statement(target.bind(...values), counted);
      const value = Reflect.get(target, property, target) as (...inputs: unknown[]) => unknown;
      if (EXECUTING.has(String(property))) counted();
      return value.bind(target);
    },
  });
  real.set(proxy, of);
  return proxy;
};

const database = (of: D1Database, counted: () => void): D1Database =>
  new Proxy(of, {
    get(target, property) {
      if (property === "prepare") return (sql: string) => statement(target.prepare(sql), counted);
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) => {
          counted();
          return target.batch(statements.map((one) => real.get(one) ?? one));
        };
      }
      if (property === "withSession") {
        return (from: string) => database(target.withSession(from) as unknown as D1Database, counted);
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });

/** Stubs whose calls are counted. */
const wallets = (of: Env["WALLET"]): Env["WALLET"] =>
  new Proxy(of, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (property !== "getByName")
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      return (name: string) => {
        const stub = target.getByName(name) as unknown as Record<string, (...args: unknown[]) => unknown>;
        return new Proxy(stub, {
          get: (_, method) =>
            typeof method === "symbol"
              ? undefined
              : (...args: unknown[]) => {
                  counts.object_calls += 1;
                  return stub[method]!(...args);
                },
        });
      };
    },
  });

const ofRequests = new WeakMap<Env, Env>();

/** The bindings that count; the same object for the same bindings, as settings are kept by it. */
const counting = (env: Env): Env => {
  const known = ofRequests.get(env);
  if (known) return known;
  const counted = () => {
    counts.d1_calls += 1;
    counts.d1_calls_of_requests += 1;
  };
  const changed = { ...env, DB: database(env.DB, counted), WALLET: wallets(env.WALLET) };
  ofRequests.set(env, changed);
  return changed;
};

/** The object as it is deployed, whose calls of D1 are counted. */
class CountedLedger extends IntegrationWallet {
  constructor(ctx: DurableObjectState, env: Env) {
    const DB = database(env.DB, () => {
      counts.d1_calls += 1;
    });
    super(ctx, { ...env, DB });
  }
}

/** The Worker as it is deployed, which tells what it has called at `/counts`. */
export default class CountedMintage extends Mintage {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, counting(env));
  }

  override fetch(request: Request): Response | Promise<Response> {
    return new URL(request.url).pathname === "/counts" ? Response.json(counts) : super.fetch(request);
  }
}

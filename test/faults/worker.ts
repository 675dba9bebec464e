/**
 * The Worker as it is deployed, with an observer at its named points that kills whoever passes, and with bindings that
 * fail. `PUT /faults` sets how often, `GET /faults` says what was done since, `POST /faults` rings the schedule.
 */

import { observeCheckpoints } from "../../src/domain/checkpoints.ts";
import Mintage from "../../src/index.ts";
import { Dice } from "./dice.ts";

export { IntegrationWallet, RequestCounter } from "../../src/index.ts";

/** What is to go wrong in the Worker: probabilities, at each named point and each call of a binding. */
export interface WorkerFaults {
  readonly seed: number;
  readonly kill: number;
  readonly storage: number;
}

/** What went wrong: kills by point, failed calls by binding. */
export interface WorkerFaultCounts {
  readonly kills: Record<string, number>;
  readonly storage: Record<string, number>;
}

let dice = new Dice(0);
let wanted: WorkerFaults = { seed: 0, kill: 0, storage: 0 };
const counts: WorkerFaultCounts = { kills: {}, storage: {} };

const count = (of: Record<string, number>, name: string) => {
  of[name] = (of[name] ?? 0) + 1;
};

observeCheckpoints((name, die) => {
  if (!dice.chance(wanted.kill)) return;
  count(counts.kills, name);
  die?.();
  throw new Error(`killed at ${name}`);
});

/** A call that fails before it is carried out, or after, so that only its answer is lost. */
const failing = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
  const fails = dice.chance(wanted.storage);
  const before = dice.chance(0.5);
  if (fails) count(counts.storage, name);
  if (fails && before) throw new Error(`${name} failed before it was carried out`);
  const result = await call();
  if (fails) throw new Error(`${name} failed after it was carried out`);
  return result;
};

/** The methods of an object that fail by chance; all others are its own. */
const faulty = <T extends object>(target: T, name: string, methods: ReadonlySet<string>): T =>
  new Proxy(target, {
    get(real, property) {
      const value: unknown = Reflect.get(real, property, real);
      if (typeof value !== "function") return value;
      const method = value.bind(real) as (...args: unknown[]) => unknown;
      if (!methods.has(String(property))) return method;
      return (...args: unknown[]) => failing(`${name}.${String(property)}`, async () => method(...args));
    },
  });

const RUNNING = new Set(["all", "run", "first", "raw"]);
const real = new WeakMap<object, D1PreparedStatement>();

/** A statement whose execution fails by chance, alone or in a batch. */
const faultyStatement = (statement: D1PreparedStatement): D1PreparedStatement => {
  const wrapped = new Proxy(faulty(statement, "D1", RUNNING), {
    get(target, property) {
      if (property === "bind") {
        return (...values: unknown[]) => faultyStatement(statement.bind(...values));
      }
      return Reflect.get(target, property, target);
    },
  });
  real.set(wrapped, statement);
  return wrapped;
};

const faultyDatabase = (database: D1Database): D1Database =>
  new Proxy(database, {
    get(target, property) {
      if (property === "prepare") return (sql: string) => faultyStatement(target.prepare(sql));
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) =>
          failing("D1.batch", () => target.batch(statements.map((one) => real.get(one) ?? one)));
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const BUCKET_METHODS = new Set(["get", "put", "head", "delete", "list"]);
const wrapped = new WeakMap<object, Env>();

/** The bindings with those that fail; the same object for the same bindings, as settings are kept by it. */
const withFaults = (env: Env): Env => {
  const known = wrapped.get(env);
  if (known) return known;
  const faults = { ...env, DB: faultyDatabase(env.DB), BUCKET: faulty(env.BUCKET, "R2", BUCKET_METHODS) };
  wrapped.set(env, faults);
  return faults;
};

export default class FaultyMintage extends Mintage {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, withFaults(env));
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== "/faults") return super.fetch(request);
    if (request.method === "PUT") {
      wanted = (await request.json()) as WorkerFaults;
      dice = new Dice(wanted.seed);
    }
    if (request.method === "POST") {
      const controller = { cron: "* * * * *", scheduledTime: Date.now(), noRetry: () => undefined };
      await this.scheduled(controller as ScheduledController);
    }
    return Response.json(counts);
  }
}

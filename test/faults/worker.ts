/**
 * The Worker as it is deployed, with an observer at its named points that kills whoever passes, and with bindings that
 * fail. `PUT /faults` sets how often, `GET /faults` says what was done since, `POST /faults` does what the platform or
 * misfortune does: rings the schedule, loses an object; and shows what is in one.
 */

import { env as sound, waitUntil } from "cloudflare:workers";
import { AsyncLocalStorage } from "node:async_hooks";
import { chanceOf } from "../../devchain/rpc/chance.ts";
import { observeCheckpoints } from "../../src/domain/checkpoints.ts";
import { WebhookEndpoint } from "../../src/events/webhooks/object.ts";
import Mintage, { IntegrationWallet } from "../../src/index.ts";
import { alarmBy } from "./clock.ts";
import { MARKER, SUBJECT_HEADER } from "./marker.ts";
import { clock, realNow } from "./start-clock.ts";

/** What is to go wrong in the Worker: probabilities, at each named point and each call of a binding. */
export interface WorkerFaults {
  readonly seed: number;
  /** How often the runtime was started before: points are passed again in each of its lives. */
  readonly life: number;
  readonly kill: number;
  readonly storage: number;
  /** Alarms that are set and never ring. */
  readonly overdue: number;
  /** Calls of ledgers' objects that fail: their object was reset, is overloaded, or its answer is lost. */
  readonly object: number;
  /** Until when all calls of D1 hang, by the run's clock. Milliseconds since 1970. */
  readonly hungUntil: number;
}

/** What went wrong: kills by point, failed calls by binding, each by its moment; and how often alarms rang. */
export interface WorkerFaultCounts {
  readonly kills: Record<string, number>;
  readonly storage: Record<string, number>;
  readonly schedule: string[];
  rings: number;
}

/** What `POST /faults` is asked to do. */
export type Misfortune =
  | { readonly do: "schedule" }
  | { readonly do: "lose" | "touch" | "name"; readonly wallet: string }
  | { readonly do: "rows"; readonly wallet: string; readonly sql: string; readonly params: readonly string[] }
  | { readonly do: "journal"; readonly wallet: string; readonly operation: string };

let wanted: WorkerFaults = { seed: 0, life: 0, kill: 0, storage: 0, overdue: 0, object: 0, hungUntil: 0 };
const counts: WorkerFaultCounts = { kills: {}, storage: {}, schedule: [], rings: 0 };

/** The operation that the code at work is about: its marker, or what else started it. */
const about = new AsyncLocalStorage<string>();
const passes = new Map<string, number>();

/** The moment of a point or a call: its name, what it is about, and how often that was before in this life. */
const moment = (name: string): readonly (string | number)[] => {
  const words = `${name} ${about.getStore() ?? ""}`;
  const nth = passes.get(words) ?? 0;
  passes.set(words, nth + 1);
  return [words, wanted.life, nth];
};

const count = (of: Record<string, number>, name: string, when: readonly (string | number)[]) => {
  of[name] = (of[name] ?? 0) + 1;
  counts.schedule.push(`${name === when[0] ? "" : `${name}: `}${when.join(" ")}`);
};

observeCheckpoints((name, die) => {
  if (wanted.kill === 0) return;
  const when = moment(name);
  if (chanceOf(wanted.seed, "kill", ...when) >= wanted.kill) return;
  count(counts.kills, name, when);
  die?.();
  throw new Error(`killed at ${name}`);
});

/** Calls of D1 that still fail because it is down. */
let down = 0;

/** Of calls that hang, the share that is committed at once, and the share that is at the end, after it was given up on. */
const COMMITTED_AT_ONCE = 0.3;
const COMMITTED_LATE = 0.3;

const hang = async <T>(name: string, call: () => Promise<T>): Promise<never> => {
  const when = moment(name);
  count(counts.storage, "d1_hang", when);
  const fate = chanceOf(wanted.seed, "hang", ...when);
  const over = new Promise<void>((resolve) =>
    setTimeout(resolve, Math.max(wanted.hungUntil - Date.now(), 0)),
  );
  const isLate = fate >= COMMITTED_AT_ONCE && fate < COMMITTED_AT_ONCE + COMMITTED_LATE;
  const early = fate < COMMITTED_AT_ONCE ? call() : null;
  // A call that its request doesn't wait for any more is carried out all the same.
  const committed = Promise.all([early, isLate ? over.then(call) : null]).catch(() => undefined);
  waitUntil(committed);
  await Promise.all([over, committed]);
  throw new Error(`${name} failed: D1 stood still`);
};

/** R2 is called so seldom that its calls fail more often. */
const R2_MORE = 8;
/** Of its calls that fail, the share that hangs before, and how long. By the run's clock, milliseconds. */
const R2_HANGS = 0.3;
const R2_HANG_MS = 80_000;

const hangAlone = async <T>(
  name: string,
  when: readonly (string | number)[],
  call: () => Promise<T>,
): Promise<never> => {
  count(counts.storage, "r2_hang", when);
  const committed = chanceOf(wanted.seed, "hang", ...when) < COMMITTED_LATE ? call() : null;
  await Promise.all([new Promise<void>((resolve) => setTimeout(resolve, R2_HANG_MS)), committed]);
  throw new Error(`${name} failed: R2 stood still`);
};

/** Of calls of D1 that fail, the share with which the next one fails as well. */
const PAIRS = 0.4;

/** A call that fails before it is carried out, or after, so that only its answer is lost. */
const failing = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
  const isD1 = name.startsWith("D1");
  if (isD1 && Date.now() < wanted.hungUntil) return hang(name, call);
  if (wanted.storage === 0) return call();
  const when = moment(name);
  if (isD1 && down > 0) {
    down -= 1;
    count(counts.storage, "D1 down for two calls", when);
    throw new Error(`${name} failed: D1 is down`);
  }
  const share = isD1 ? wanted.storage : wanted.storage * R2_MORE;
  const fails = chanceOf(wanted.seed, "storage", ...when) < share;
  if (!fails) return call();
  if (!isD1 && chanceOf(wanted.seed, "r2_hang", ...when) < R2_HANGS) return hangAlone(name, when, call);
  count(counts.storage, name, when);
  if (isD1 && chanceOf(wanted.seed, "pair", ...when) < PAIRS) down = 1;
  if (chanceOf(wanted.seed, "before", ...when) < 0.5)
    throw new Error(`${name} failed before it was carried out`);
  await call();
  throw new Error(`${name} failed after it was carried out`);
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
      if (property === "withSession") {
        return (from?: string) => faultyDatabase(target.withSession(from) as unknown as D1Database);
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** Of calls of an object that fail, the share of each way; the rest finds the object overloaded. */
const RESET_BEFORE = 0.3;
const RESET_AFTER = 0.3;
const BROKEN = 0.2;

/**
 * A stub whose calls fail by chance: before the object has begun, after it has done all of it, or because it is
 * overloaded. A stub that broke fails each of its later calls too.
 */
const faultyStub = <Stub extends object>(stub: Stub): Stub => {
  let isBroken = false;
  const reset = () =>
    Object.assign(new Error("Durable Object reset because its code was updated."), { retryable: true });
  const call = async (name: string, method: () => Promise<unknown>): Promise<unknown> => {
    if (isBroken) throw reset();
    if (wanted.object === 0) return method();
    const when = moment(`object_reset.${name}`);
    if (chanceOf(wanted.seed, "object", ...when) >= wanted.object) return method();
    count(counts.storage, `object_reset.${name}`, when);
    const fate = chanceOf(wanted.seed, "fate", ...when);
    if (fate < RESET_BEFORE) throw reset();
    isBroken = fate < RESET_BEFORE + RESET_AFTER + BROKEN;
    if (fate < RESET_BEFORE + RESET_AFTER) {
      await method();
      throw reset();
    }
    if (isBroken) throw reset();
    throw Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });
  };
  return new Proxy(stub, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function" || typeof property === "symbol") return value;
      const methods = target as Record<string, (...args: unknown[]) => Promise<unknown>>;
      return (...args: unknown[]) => call(property, () => methods[property]!(...args));
    },
  });
};

const faultyWallets = (wallets: Env["WALLET"]): Env["WALLET"] =>
  new Proxy(wallets, {
    get(target, property) {
      if (property === "getByName") return (name: string) => faultyStub(target.getByName(name));
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
  const faults = {
    ...env,
    DB: faultyDatabase(env.DB),
    BUCKET: faulty(env.BUCKET, "R2", BUCKET_METHODS),
    WALLET: faultyWallets(env.WALLET),
  };
  wrapped.set(env, faults);
  return faults;
};

/** An object's state whose alarm goes by the run's clock, and may be set without ever ringing. */
const inTime = (ctx: DurableObjectState): DurableObjectState => {
  const { storage } = ctx;
  alarmBy(clock, storage, realNow);
  const [set, get] = [storage.setAlarm, storage.getAlarm];
  let overdue: number | null = null;
  storage.setAlarm = async (at, options) => {
    overdue = null;
    const when = moment("alarm_overdue");
    if (chanceOf(wanted.seed, "overdue", ...when) >= wanted.overdue) return set(at, options);
    count(counts.storage, "alarm_overdue", when);
    await storage.deleteAlarm();
    overdue = Number(at);
  };
  storage.getAlarm = async (options) => overdue ?? get(options);
  return ctx;
};

/** Columns that evidence never shows: keys, and bytes that are long. */
const HIDDEN = new Set(["sealed", "bytes", "noop_bytes", "actions", "public_key", "value"]);

class FaultyWallet extends IntegrationWallet {
  constructor(ctx: DurableObjectState, env: Env) {
    super(inTime(ctx), withFaults(env));
  }

  override write(...[write, waitMs]: Parameters<IntegrationWallet["write"]>) {
    const marker = MARKER.exec(JSON.stringify(write.row.request))?.[0] ?? write.row.kind;
    return about.run(marker, () => super.write(write, waitMs));
  }

  override resume(...operation: Parameters<IntegrationWallet["resume"]>) {
    return about.run("resume", () => super.resume(...operation));
  }

  override alarm(): Promise<void> {
    counts.rings += 1;
    return about.run("alarm", () => super.alarm());
  }

  /** Loses the object: its key, its journal, its alarm. */
  async vanish(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.ctx.abort("lost by misfortune");
  }

  /** Rows of the ledger, for the operator and the audit. */
  async rows(sql: string, params: readonly string[]): Promise<Record<string, SqlStorageValue>[]> {
    return this.ctx.storage.sql
      .exec(sql, ...params)
      .toArray()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            value instanceof ArrayBuffer ? Buffer.from(value).toString("hex") : value,
          ]),
        ),
      );
  }

  /** What the journal says of an operation, without secrets. */
  async showJournal(operation: string): Promise<Record<string, unknown[]>> {
    const { sql } = this.ctx.storage;
    const rows = (query: string, ...values: (string | number)[]) =>
      sql
        .exec(query, ...values)
        .toArray()
        .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !HIDDEN.has(name))));
    return {
      operations: rows("SELECT * FROM drives WHERE operation = ?", operation),
      intents: rows("SELECT * FROM intents WHERE operation = ?", operation),
      signed: rows(
        `WITH own AS (SELECT id FROM intents WHERE operation = ?)
         SELECT * FROM signed WHERE intent_id IN (
           SELECT id FROM own UNION SELECT shared FROM carried WHERE intent IN (SELECT id FROM own))`,
        operation,
      ),
      lanes: rows("SELECT * FROM lanes"),
    };
  }
}

class FaultyEndpoint extends WebhookEndpoint {
  constructor(ctx: DurableObjectState, env: Env) {
    super(inTime(ctx), withFaults(env));
  }

  override alarm(): Promise<void> {
    counts.rings += 1;
    return about.run("webhook", () => super.alarm());
  }
}

export { RequestCounter } from "../../src/index.ts";
export { FaultyEndpoint as WebhookEndpoint, FaultyWallet as IntegrationWallet };

export default class FaultyMintage extends Mintage {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, withFaults(env));
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === "/faults") return this.#control(request);
    const subject = request.headers.get(SUBJECT_HEADER) ?? new URL(request.url).pathname.split("/")[3] ?? "";
    return about.run(subject, () => super.fetch(request));
  }

  override finish(...operation: Parameters<Mintage["finish"]>): ReturnType<Mintage["finish"]> {
    return about.run("finish", () => super.finish(...operation));
  }

  async #control(request: Request): Promise<Response> {
    if (request.method === "PUT") {
      wanted = (await request.json()) as WorkerFaults;
      down = 0;
    }
    if (request.method === "POST") {
      const answer = await this.#suffer((await request.json()) as Misfortune);
      return Response.json(answer ?? null);
    }
    return Response.json(counts);
  }

  async #suffer(misfortune: Misfortune): Promise<unknown> {
    if (misfortune.do === "schedule") {
      const controller = { cron: "* * * * *", scheduledTime: Date.now(), noRetry: () => undefined };
      return about.run("schedule", () => this.scheduled(controller as ScheduledController));
    }
    if (misfortune.do === "name") return this.env.WALLET.idFromName(misfortune.wallet).toString();
    const object = sound.WALLET.getByName(misfortune.wallet) as unknown as FaultyWallet;
    if (misfortune.do === "touch") return object.reconcile();
    if (misfortune.do === "rows") return object.rows(misfortune.sql, misfortune.params);
    if (misfortune.do === "journal") return object.showJournal(misfortune.operation);
    return object.vanish().catch(() => undefined);
  }
}

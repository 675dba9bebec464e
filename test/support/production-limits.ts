/**
 * A Worker's bindings with production's limits, where local ones are less strict:
 * https://developers.cloudflare.com/d1/platform/limits/ and
 * https://developers.cloudflare.com/workers/platform/limits/
 */

/** Bound parameters of a statement. */
const MAX_PARAMETERS = 100;
/** Bytes of a statement. */
const MAX_STATEMENT = 100_000;
/** Bytes of a string, a BLOB or a row. */
const MAX_VALUE = 2_000_000;
/** Connections that may wait at once. Production queues more, and queued ones can starve each other. */
const MAX_CONNECTIONS = 6;

/** Counts of calls of the bindings. */
export interface Usage {
  /** Calls of D1 and R2 under way. */
  open: number;
  /** The most at once. */
  most: number;
  /** All of them; a request may make 100,000. */
  calls: number;
}

/** Wraps DB and BUCKET only. */
export function limited<Bindings extends { DB: D1Database; BUCKET: R2Bucket }>(
  env: Bindings,
): { env: Bindings; usage: Usage } {
  const usage: Usage = { open: 0, most: 0, calls: 0 };
  const counted = countedBy(usage);
  const wrapped = {
    ...env,
    DB: limitedDatabase(env.DB, counted),
    BUCKET: limitedBucket(env.BUCKET, counted),
  };
  return { env: wrapped, usage };
}

type Counted = <Result>(call: () => Promise<Result>) => Promise<Result>;

const countedBy =
  (usage: Usage): Counted =>
  async (call) => {
    usage.calls++;
    usage.open++;
    usage.most = Math.max(usage.most, usage.open);
    try {
      if (usage.open > MAX_CONNECTIONS) throw new Error(`limit: ${usage.open} connections at once`);
      return await call();
    } finally {
      usage.open--;
    }
  };

const ORIGINAL = Symbol("the statement that D1 knows");
type Wrapped = D1PreparedStatement & { [ORIGINAL]: D1PreparedStatement };

const sizeOf = (value: unknown): number => {
  if (typeof value === "string") return new TextEncoder().encode(value).length;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  return 8;
};

function limitedStatement(statement: D1PreparedStatement, counted: Counted): D1PreparedStatement {
  return new Proxy(statement, {
    get(target, key) {
      if (key === ORIGINAL) return target;
      if (key === "bind") {
        return (...values: unknown[]) => {
          if (values.length > MAX_PARAMETERS) throw new Error(`limit: ${values.length} parameters`);
          const largest = Math.max(0, ...values.map(sizeOf));
          if (largest > MAX_VALUE) throw new Error(`limit: a parameter of ${largest} bytes`);
          return limitedStatement(target.bind(...values), counted);
        };
      }
      const value = Reflect.get(target, key) as unknown;
      if (typeof value !== "function") return value;
      return (...inputs: unknown[]) => counted(() => value.apply(target, inputs) as Promise<unknown>);
    },
  });
}

const limitedDatabase = (database: D1Database, counted: Counted): D1Database =>
  new Proxy(database, {
    get(target, key) {
      if (key === "prepare") {
        return (text: string) => {
          if (sizeOf(text) > MAX_STATEMENT) throw new Error(`limit: a statement of ${sizeOf(text)} bytes`);
          return limitedStatement(target.prepare(text), counted);
        };
      }
      if (key === "batch") {
        return (statements: Wrapped[]) =>
          counted(() => target.batch(statements.map((each) => each[ORIGINAL] ?? each)));
      }
      if (key === "withSession") {
        return (from?: string) => limitedDatabase(target.withSession(from) as unknown as D1Database, counted);
      }
      const value = Reflect.get(target, key) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const limitedBucket = (bucket: R2Bucket, counted: Counted): R2Bucket =>
  new Proxy(bucket, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown;
      if (typeof value !== "function" || key === "resumeMultipartUpload") {
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (...inputs: unknown[]) => counted(() => value.apply(target, inputs) as Promise<unknown>);
    },
  });

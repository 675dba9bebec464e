/** D1 that breaks at the calls that a test chooses. */

/** How a call breaks: before it is carried out, or after, so that only its answer is lost. */
export type Break = "before" | "after";

/**
 * Decides about a call by its SQL; a batch's SQL is that of its statements, joined by line breaks. Null: the call
 * succeeds. The call waits for the decision, so a test can do other things first.
 */
export type Breaks = (sql: string) => Break | null | Promise<Break | null>;

const EXECUTING = new Set(["all", "run", "first", "raw"]);

/** The database with calls that break. */
export const failingDatabase = (database: D1Database, breaks: Breaks): D1Database => {
  /** The database's own statements, with their SQL. */
  const made = new WeakMap<object, { readonly statement: D1PreparedStatement; readonly sql: string }>();

  const carryOut = async <T>(sql: string, call: () => Promise<T>): Promise<T> => {
    const broken = await breaks(sql);
    if (broken === "before") throw new Error("D1_ERROR: Network connection lost.");
    const result = await call();
    if (broken === "after") throw new Error("D1_ERROR: Network connection lost.");
    return result;
  };

  const wrap = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(real, property) {
        if (property === "bind") return (...values: unknown[]) => wrap(real.bind(...values), sql);
        const method = Reflect.get(real, property, real) as (...values: unknown[]) => Promise<unknown>;
        if (!EXECUTING.has(String(property))) return method;
        return (...values: unknown[]) => carryOut(sql, () => method.apply(real, values));
      },
    });
    made.set(wrapped, { statement, sql });
    return wrapped;
  };

  return new Proxy(database, {
    get(real, property) {
      if (property === "prepare") return (sql: string) => wrap(real.prepare(sql), sql);
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) => {
          const known = statements.map((statement) => made.get(statement)!);
          const sql = known.map((each) => each.sql).join("\n");
          return carryOut(sql, () => real.batch(known.map(({ statement }) => statement)));
        };
      }
      if (property === "withSession") {
        return (from?: string) => failingDatabase(real.withSession(from) as unknown as D1Database, breaks);
      }
      const value: unknown = Reflect.get(real, property, real);
      return typeof value === "function" ? value.bind(real) : value;
    },
  });
};

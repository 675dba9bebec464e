/** D1 that breaks at calls a test names: nothing here knows what the service makes of it. */

/** How a call breaks: before it is carried out, or after, so that its answer alone is lost. */
export type Break = "before" | "after";

/**
 * Decides about a call by its SQL; that of a batch is its statements' with line breaks between. Null: it succeeds. The
 * call waits for the decision, so that other things can be made to happen before it.
 */
export type Breaks = (sql: string) => Break | null | Promise<Break | null>;

const EXECUTING = new Set(["all", "run", "first", "raw"]);

/** The database with calls that break. */
export const failingDatabase = (database: D1Database, breaks: Breaks): D1Database => {
  /** Statements as the database made them, with their SQL. */
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
      const value: unknown = Reflect.get(real, property, real);
      return typeof value === "function" ? value.bind(real) : value;
    },
  });
};

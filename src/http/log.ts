import type { ServiceContext } from "../context.ts";

/** A logger that writes one JSON object a line, each with `fields`. Nothing secret is ever passed to it. */
export const logger =
  (fields: Readonly<Record<string, unknown>>): ServiceContext["log"] =>
  (event, more = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), event, ...fields, ...more });
    if ("error" in more) console.error(line);
    else console.log(line);
  };

/** What a log may say of an exception: a query's text without its parameters, and where it came from. */
export const describeError = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { error: "thrown value", type: typeof error };
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  // Drizzle puts the parameters of a failed query behind its text.
  const [message] = error.message.split("\nparams:");
  const stack = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, message, stack: stack?.slice(0, 8).map((line) => line.trim()), cause };
};

/**
 * A line of log: one JSON object. Its `error` is a thrown value as it is, of which the line says what a log may know.
 * Nothing secret is ever in the fields.
 */
export const logLine = (time: Date, event: string, fields: Readonly<Record<string, unknown>>): string => {
  const { error, ...others } = fields;
  const described = "error" in fields ? describeError(error) : {};
  return JSON.stringify({ time: time.toISOString(), event, ...others, ...described });
};

/** What a log may say of a thrown value: a query's text without its parameters, and where it came from. */
const describeError = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { error: "thrown value", type: typeof error };
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  // Drizzle puts the parameters of a failed query behind its text.
  const [message] = error.message.split("\nparams:");
  const stack = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, message, stack: stack?.slice(0, 8).map((line) => line.trim()), cause };
};

/** A log line: one JSON object, with name, message and stack of `error`, without parameters of queries or secrets. */
export const logLine = (time: Date, event: string, fields: Readonly<Record<string, unknown>>): string => {
  const { error, ...others } = fields;
  const described = "error" in fields ? describeError(error) : {};
  return JSON.stringify({ time: time.toISOString(), event, ...others, ...described });
};

/** A thrown value for the log: the message without parameters of a query, and the stack. */
const describeError = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { error: "thrown value", type: typeof error };
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  // Drizzle puts the parameters of a failed query behind its text.
  const [message] = error.message.split("\nparams:");
  const stack = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, message, stack: stack?.slice(0, 8).map((line) => line.trim()), cause };
};

import { z } from "@hono/zod-openapi";
import { type Issue, ServiceError } from "../domain/errors.ts";

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const NOUNS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
};

const UNITS: Record<string, string> = { string: "characters", array: "entries", set: "entries" };

/** What to do about an issue, as a sentence; schemas whose rules need more say it themselves. */
const sentence = (issue: RawIssue): string | undefined => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "This field is required."
        : `Give ${NOUNS[issue.expected] ?? issue.expected} here.`;
    case "unrecognized_keys":
      return "Remove this field; there is none of this name.";
    case "too_big":
      return `Give at most ${issue.maximum}${unit(issue.origin)}.`;
    case "too_small":
      return `Give at least ${issue.minimum}${unit(issue.origin)}.`;
    case "invalid_format":
      return issue.format === "uuid" ? "Give a UUID." : `Give a value in the format ${issue.format}.`;
    case "invalid_value":
      return `Give one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}.`;
    case "not_multiple_of":
      return `Give a multiple of ${issue.divisor}.`;
    default:
      return undefined;
  }
};

const unit = (origin: string): string => (UNITS[origin] ? ` ${UNITS[origin]}` : "");

z.config({ customError: sentence });

/** The issues of an error, one for every bad field. */
const issuesOf = (error: z.core.$ZodError): Issue[] =>
  error.issues.flatMap((issue) => {
    const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({ path: [...path, key], message: issue.message }));
  });

/** Most issues that a message names by their paths; `issues` has them all. */
const NAMED = 5;

const summary = (issues: readonly Issue[]): string => {
  const names = [...new Set(issues.map(({ path }) => path.join(".")).filter(Boolean))];
  if (names.length === 0) return issues[0]?.message ?? "Correct the request.";
  const shown = names.slice(0, NAMED).join(", ");
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `Correct ${shown}${rest}; \`issues\` says how.`;
};

/** Turns what a validator found into the one shape of errors. @throws ServiceError invalid_request */
export const refuseInvalid = (result: { success: boolean; error?: z.core.$ZodError }): void => {
  if (result.success || !result.error) return;
  const issues = issuesOf(result.error);
  throw new ServiceError("invalid_request", summary(issues), { issues });
};

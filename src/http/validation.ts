import { z } from "@hono/zod-openapi";
import { counted } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import { fieldIssues, fieldName, type Issue, MOST_ISSUES } from "../domain/issues.ts";

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

/** Units of a count, singular and, if irregular, plural. */
const UNITS: Record<string, readonly [string, string?]> = {
  string: ["character"],
  array: ["entry", "entries"],
  set: ["entry", "entries"],
};

/** How to correct an issue, as a sentence; schemas with special rules have their own. */
const sentence = (issue: RawIssue): string | undefined => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "This field is required."
        : `Give ${NOUNS[issue.expected] ?? issue.expected} here.`;
    case "unrecognized_keys":
      return "Remove this field: its name is unknown.";
    case "too_big":
      return `Give at most ${amount(issue.origin, issue.maximum)}.`;
    case "too_small":
      return `Give at least ${amount(issue.origin, issue.minimum)}.`;
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

const amount = (origin: string, count: number | bigint): string => {
  const [one, several] = UNITS[origin] ?? [];
  return one === undefined ? String(count) : counted(Number(count), one, several);
};

z.config({ customError: sentence });

const issuesOf = (error: z.core.$ZodError, target: string | undefined): Issue[] =>
  fieldIssues(error.issues).flatMap((issue) => {
    const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
    // A query's parameter is text unless it is there several times.
    if (target === "query" && issue.code === "invalid_type") return [{ path, message: "Give it once." }];
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({ path: [...path, key], message: issue.message }));
  });

const NAMED = 5;

const summary = (issues: readonly Issue[]): string => {
  const names = [...new Set(issues.slice(0, MOST_ISSUES).map(({ path }) => fieldName(path)))].filter(Boolean);
  const [first] = issues;
  if (first === undefined) return "Correct the request.";
  if (names.length === 0) return first.message;
  if (issues.length === 1) return `Correct ${names[0]}: ${first.message}`;
  const shown = names.slice(0, NAMED).join(", ");
  const rest = names.length > NAMED ? " and others" : "";
  return `Correct ${shown}${rest}; \`issues\` says how.`;
};

/** Converts a validator's issues to the service's error. @throws ServiceError invalid_request */
export const refuseInvalid = (result: {
  readonly success: boolean;
  readonly target?: string;
  readonly error?: z.core.$ZodError;
}): void => {
  if (result.success || !result.error) return;
  const issues = issuesOf(result.error, result.target);
  throw new ServiceError("invalid_request", summary(issues), { issues });
};

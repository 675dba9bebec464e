import type { z } from "zod";

/** What zod says of a whole number that JavaScript can't tell from the next one, besides that it is beyond a limit. */
const isUnsafe = (issue: z.core.$ZodIssue): boolean => "note" in issue;

/** A schema's issues, without those about numbers that are beyond the field's own limit anyway. */
export function fieldIssues(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const fields = new Set(issues.flatMap((issue) => (isUnsafe(issue) ? [] : [JSON.stringify(issue.path)])));
  return issues.filter((issue) => !isUnsafe(issue) || !fields.has(JSON.stringify(issue.path)));
}

/** One bad field: where it is and what is wrong with it. */
export interface Issue {
  /** Path within the body, query, header or form, such as `["initial_royalties", "alice.near"]`. */
  readonly path: readonly (string | number)[];
  /** A sentence that says what to do. */
  readonly message: string;
}

/** Most problems that an answer lists; it counts the others. */
export const MOST_ISSUES = 100;

/** Characters of a caller's own text in a sentence: a field that is not known may be called anything. */
const LONGEST_QUOTE = 100;

/** Characters of a name in a path; the longest file name fits. */
const LONGEST_NAME = 512;

const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;

/** A caller's own text as a sentence repeats it, cut short where it is long. */
export const quotedText = (text: string): string => shortened(text, LONGEST_QUOTE);

/** A field's name in a sentence; empty for the whole. */
export const fieldName = (path: Issue["path"]): string => quotedText(path.join("."));

const listed = ({ path, message }: Issue): Issue => ({
  path: path.map((name) => (typeof name === "string" ? shortened(name, LONGEST_NAME) : name)),
  message,
});

/** The first of many issues, with the number of those beyond them. */
export const firstOf = (issues: readonly Issue[]): { readonly issues: Issue[]; readonly more: number } => ({
  issues: issues.slice(0, MOST_ISSUES).map(listed),
  more: Math.max(0, issues.length - MOST_ISSUES),
});

import type { z } from "zod";

/** Whether zod reports an unsafe integer, which it adds to an issue about a limit. */
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
  /** An instruction for the caller. */
  readonly message: string;
}

/** Most problems that a response lists; it counts the others. */
export const MOST_ISSUES = 100;

/** Most characters of a caller's text in a message: unknown fields may have any name. */
const LONGEST_QUOTE = 100;

/** Characters of a name in a path; the longest file name fits. */
const LONGEST_NAME = 512;

const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;

/** A caller's text for a message, truncated. */
export const quotedText = (text: string): string => shortened(text, LONGEST_QUOTE);

/** A field's name for a message; empty for the whole value. */
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

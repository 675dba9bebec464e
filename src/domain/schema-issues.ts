import type { z } from "zod";

/** What zod says of a whole number that JavaScript can't tell from the next one, besides that it is beyond a limit. */
const isUnsafe = (issue: z.core.$ZodIssue): boolean => "note" in issue;

/** A schema's issues, without those about numbers that are beyond the field's own limit anyway. */
export function fieldIssues(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const fields = new Set(issues.flatMap((issue) => (isUnsafe(issue) ? [] : [JSON.stringify(issue.path)])));
  return issues.filter((issue) => !isUnsafe(issue) || !fields.has(JSON.stringify(issue.path)));
}

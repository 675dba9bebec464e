import type { BatchItem } from "drizzle-orm/batch";

/** A statement of a batch. */
export type Statement = BatchItem<"sqlite">;

/** Whether a batch failed on a column that must not be null. */
export const failedOn = (error: unknown, column: string): boolean => violated(error, "NOT NULL", column);

/** Whether a batch failed on a constraint, of which SQLite names the columns. */
export const violated = (error: unknown, constraint: "NOT NULL" | "UNIQUE", column: string): boolean =>
  says(error, `${constraint} constraint failed: ${column}`);

/** Whether a batch failed on any constraint: it was undone, and had no effect. */
export const violatesConstraint = (error: unknown): boolean => says(error, " constraint failed: ");

const says = (error: unknown, text: string): boolean => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(text)) return true;
  }
  return false;
};

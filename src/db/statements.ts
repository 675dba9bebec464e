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

/** What failed calls say; texts, because an error that an object throws to the Worker keeps nothing else. */
const UNAVAILABLE = "D1 is unavailable";
const UNANSWERED = `${UNAVAILABLE}: it did not answer`;

/** How D1 says that the call itself is at fault; the batch was undone. Everything else leaves open what was committed. */
const AT_FAULT = /SQLITE_|D1_TYPE_ERROR|D1_COLUMN_NOTFOUND/;

/** What a call that D1 didn't answer by its deadline fails with. It may be committed, even later. */
export const unanswered = (milliseconds: number): Error =>
  new Error(`${UNANSWERED} within ${milliseconds / 1_000} s`);

/** What a failed call is passed on as: a fault of its own as it is, and any other failure as D1's. */
export const failure = (error: unknown): unknown =>
  error instanceof Error && AT_FAULT.test(error.message)
    ? error
    : new Error(`${UNAVAILABLE}: its call failed`, { cause: error });

/** Whether D1 failed or didn't answer, so that nobody knows what of the call is committed. */
export const isUnavailable = (error: unknown): boolean => says(error, UNAVAILABLE);

/** Whether D1 didn't answer by the deadline: another call would wait as long. */
export const isUnanswered = (error: unknown): boolean => says(error, UNANSWERED);

const says = (error: unknown, text: string): boolean => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(text)) return true;
  }
  return false;
};

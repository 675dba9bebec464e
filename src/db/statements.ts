import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";

/** A statement as it is sent to a ledger. */
export interface SentStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

export type Statement = BatchItem<"sqlite">;

/** JSON with fields set to these values, by name; null: there are no fields. */
export const withFields = (json: SQL, fields: Readonly<Record<string, unknown>>): SQL | null => {
  const pairs = Object.entries(fields).map(
    ([name, value]) => sql`${`$.${name}`}, json(${JSON.stringify(value)})`,
  );
  return pairs.length === 0 ? null : sql`json_set(${sql.join([json, ...pairs], sql`, `)})`;
};

/** Whether a batch failed on a column that must not be null. */
export const failedOn = (error: unknown, column: string): boolean => violated(error, "NOT NULL", column);

/** Whether a batch failed on a constraint; SQLite names its columns. */
export const violated = (error: unknown, constraint: "NOT NULL" | "UNIQUE", column: string): boolean =>
  says(error, `${constraint} constraint failed: ${column}`);

/** Whether a batch failed on any constraint, and was rolled back. */
const violatesConstraint = (error: unknown): boolean => says(error, " constraint failed: ");

/** Messages of failed calls. An error that an object throws to the Worker keeps only its message. */
const UNAVAILABLE = "D1 is unavailable";
const UNANSWERED = `${UNAVAILABLE}: it did not answer`;

/**
 * Messages of D1 about an invalid call, which was rolled back. After any other error the commit is uncertain. That it is full, busy
 * or broken is no fault of the call.
 */
const AT_FAULT =
  /SQLITE_(?!FULL|BUSY|LOCKED|IOERR|NOMEM|INTERRUPT|READONLY|CANTOPEN|CORRUPT)|D1_TYPE_ERROR|D1_COLUMN_NOTFOUND/;

/** The error of a call that D1 didn't answer before the timeout. It may still be committed later. */
export const unanswered = (milliseconds: number): Error =>
  new Error(`${UNANSWERED} within ${milliseconds / 1_000} s`);

/** Whether D1 has refused a batch, which was rolled back, for what is in it. */
export const isAtFault = (error: unknown): boolean =>
  violatesConstraint(error) || (error instanceof Error && AT_FAULT.test(error.message));

/** The error to throw for a failed call: an invalid call's own error, or else that D1 is unavailable. */
export const failure = (error: unknown): unknown =>
  error instanceof Error && AT_FAULT.test(error.message)
    ? error
    : new Error(`${UNAVAILABLE}: its call failed`, { cause: error });

const LEDGER_UNAVAILABLE = "the ledger is unavailable";

/** Errors of SQLite, which are those of a statement that was rolled back. */
const OF_SQLITE = /SQLITE_|constraint failed/;

export const isOfSqlite = (error: unknown): boolean =>
  error instanceof Error && OF_SQLITE.test(error.message);

/** The error to throw for a failed call of a ledger's object, as `failure`. */
export const ledgerFailure = (error: unknown): unknown =>
  isOfSqlite(error)
    ? error
    : new Error(`${LEDGER_UNAVAILABLE}: its object was reset or is overloaded`, { cause: error });

/**
 * The error to throw for a failed call of any object: that it is unavailable, if the platform says that the call itself failed, as
 * after each deployment. What the object's own code threw stays as it is.
 */
export const objectFailure = (error: unknown): unknown =>
  (error as { readonly retryable?: boolean }).retryable === true ? ledgerFailure(error) : error;

/** Whether D1 or a ledger's object failed or didn't answer, so that the commit is uncertain. */
export const isUnavailable = (error: unknown): boolean =>
  says(error, UNAVAILABLE) || says(error, LEDGER_UNAVAILABLE);

const STORAGE_UNANSWERED = "R2 did not answer";

/** R2's own failures, not those of an invalid call: without a code (0), internal error, unavailable, too many requests. */
const STORAGE_FAILED = /^(?:head|get|put|delete|list): .*\((?:0|10001|10043|10058)\)$/s;

/** The error of a call that R2 didn't answer before the timeout. It may still be carried out later. */
export const storageUnanswered = (milliseconds: number): Error =>
  new Error(`${STORAGE_UNANSWERED} within ${milliseconds / 1_000} s`);

/** Whether R2 answered that it failed: the call isn't carried out later. */
export const isStorageFailed = (error: unknown): boolean =>
  some(error, (message) => STORAGE_FAILED.test(message));

/** Whether R2 failed or didn't answer. Not part of `isUnavailable`: whether D1 or a ledger has committed doesn't depend on R2. */
export const isStorageUnavailable = (error: unknown): boolean =>
  says(error, STORAGE_UNANSWERED) || isStorageFailed(error);

/** Whether D1 didn't answer before the timeout: another call would probably wait as long. */
export const isUnanswered = (error: unknown): boolean => says(error, UNANSWERED);

const says = (error: unknown, text: string): boolean => some(error, (message) => message.includes(text));

/** Whether the message of an error or of one of its causes fits. */
const some = (error: unknown, fits: (message: string) => boolean): boolean => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (fits(cause.message)) return true;
  }
  return false;
};

import { stepName } from "../domain/steps.ts";
import type { TransactionRecord } from "../wallet/interface.ts";

/** The record of a successful transaction. */
export type SucceededRecord = TransactionRecord & {
  readonly result: NonNullable<TransactionRecord["result"]>;
};

/** Whether a transaction succeeded. */
export const hasSucceeded = (record: TransactionRecord): record is SucceededRecord =>
  record.state === "succeeded" && record.result !== null;

/** The record of a step's successful attempt. @throws Error if there is none */
export const succeeded = (records: readonly TransactionRecord[], name: string): SucceededRecord => {
  const found = records.filter(hasSucceeded).find(({ step }) => stepName(step) === name);
  if (!found) throw new Error(`step ${name} has not succeeded`);
  return found;
};

/** The height at which all effects of an operation's transactions are visible; 0 if none is known. */
export const heightOf = (records: readonly TransactionRecord[]): number =>
  Math.max(0, ...records.map(({ height }) => height ?? 0));

/** Parses the JSON that a step's call returned. */
export const returned = <T>(record: TransactionRecord): T =>
  JSON.parse(new TextDecoder().decode(record.value ?? new Uint8Array())) as T;

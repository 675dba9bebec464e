import type { ChainTransactionResult } from "../../chain/outcome.ts";
import type { TransactionRecord } from "../interface.ts";

/** A record with its intent's number. */
export interface NumberedRecord {
  readonly id: number;
  readonly record: TransactionRecord;
}

/** A record as SQLite answers it, with the intent's number. */
export type RecordRow = Omit<TransactionRecord, "result" | "value" | "tokens"> & {
  id: number;
  result: string | null;
  value: ArrayBuffer | null;
};

export const RECORD_FIELDS =
  "id, operation AS operationUuid, step, state, result, value, contract_code AS contractCode, height, spent AS cost";

/** The record that a row is. */
export const toRecord = ({ id, result, value, ...row }: RecordRow): NumberedRecord => ({
  id,
  record: {
    ...row,
    result: result === null ? null : (JSON.parse(result) as ChainTransactionResult),
    value: value === null ? null : new Uint8Array(value),
  },
});

import type { Uuid } from "../../domain/ids.ts";
import { MOST_BYTES, MOST_LINES } from "../../files/storage/line-files.ts";
import type { JournaledOperation, TransactionRecord } from "../interface.ts";
import type { FileJournal, JournalFile } from "./files.ts";
import type { IntentJournal } from "./intents.ts";
import type { OperationJournal } from "./operations.ts";
import type { SnapshotJournal } from "./snapshots.ts";
import { fateOf, fileDelayMs, type Retention } from "./timing.ts";

/** An operation as a line of a file: what recovery needs. */
export interface FiledOperation {
  readonly operation: JournaledOperation;
  readonly records: readonly TransactionRecord[];
}

/** An operation to be written to a file before it is removed. */
export interface ToFile {
  readonly operation: Uuid;
  /** When it was acknowledged; a different time later means that it has changed since. */
  readonly at: number;
  readonly place: JournaledOperation["place"];
  readonly line: string;
}

interface ForgettingParts {
  readonly intents: IntentJournal;
  readonly operations: OperationJournal;
  readonly snapshots: SnapshotJournal;
  readonly files: FileJournal;
}

/** Removes operations from the journal after their retention time, in batches. Milliseconds since the epoch. */
export class Forgetting {
  readonly #parts: ForgettingParts;

  constructor(parts: ForgettingParts) {
    this.#parts = parts;
  }

  /** When the next removal is due; null if there is nothing to remove. */
  next(terms: Retention): number | null {
    const { operations, snapshots, files } = this.#parts;
    const latest = snapshots.latest();
    const first = operations.firstAcknowledged(latest);
    const ofLatest = latest === null ? null : operations.acknowledgedAt(latest);
    const firstFile = files.firstWritten();
    const times = [
      first === null ? null : first + terms.keptMs + fileDelayMs(terms),
      ofLatest === null ? null : ofLatest + Math.max(terms.keptMs, terms.recoverableMs) + 1,
      firstFile === null ? null : firstFile + terms.recoverableMs + 1,
    ].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Whether enough operations are due to fill a file, or one has been due for long enough. */
  isTime(now: number, terms: Retention): boolean {
    const next = this.next(terms);
    if (next === null) return false;
    return next <= now || this.#parts.operations.hasAcknowledged(now - terms.keptMs, MOST_LINES - 1);
  }

  /**
   * Selects operations whose retention time is over, oldest acknowledgement first. Operations that no recovery needs
   * are deleted; open ones are postponed so that they don't stay due. Part of the caller's transaction.
   * @returns operations to write to one file before removal; those that don't fit stay due
   */
  take(now: number, terms: Retention): ToFile[] {
    const { operations, snapshots, files } = this.#parts;
    files.forget(now - terms.recoverableMs);
    const latest = snapshots.latest();
    const toFile: ToFile[] = [];
    let bytes = 0;
    for (const { operation, at } of operations.acknowledgedBefore(now - terms.keptMs, MOST_LINES + 1)) {
      const fate = fateOf(
        {
          age: now - at,
          isOpen: operations.isOpen(operation),
          isLatest: operation === latest,
          hasSnapshot: snapshots.has(operation),
        },
        terms,
      );
      if (fate === "dropped") operations.forget(operation);
      if (fate === "kept_again") operations.acknowledge(operation, now);
      if (fate !== "filed" || toFile.length === MOST_LINES) continue;
      const filed = this.#toFile(operation, at);
      bytes += Buffer.byteLength(filed.line);
      if (toFile.length > 0 && (bytes > MOST_BYTES || filed.place.generation !== toFile[0]!.place.generation))
        break;
      toFile.push(filed);
    }
    return toFile;
  }

  #toFile(operation: Uuid, at: number): ToFile {
    const { intents, snapshots } = this.#parts;
    const [snapshot] = snapshots.of([operation]);
    const records = intents.records(operation).map(({ record }) => record);
    return { operation, at, place: snapshot!.place, line: lineOf({ operation: snapshot!, records }) };
  }

  /** Removes operations that a file has, unless they have changed since. Part of the caller's transaction. */
  filed(taken: readonly ToFile[], { key, writtenAt }: Pick<JournalFile, "key" | "writtenAt">): void {
    const { operations, files } = this.#parts;
    const gone = taken.filter(({ operation, at }) => operations.acknowledgedAt(operation) === at);
    const [first] = gone;
    if (!first) return;
    for (const { operation } of gone) operations.forget(operation);
    const rows = gone.map(({ place }) => place.rowNumber);
    const ids = gone.map(({ operation }) => operation).toSorted();
    files.add({
      key,
      generation: first.place.generation,
      firstRow: Math.min(...rows),
      lastRow: Math.max(...rows),
      firstId: ids[0]!,
      lastId: ids.at(-1)!,
      writtenAt,
    });
  }
}

/** A record in JSON. */
type RecordLine = Omit<TransactionRecord, "value"> & { readonly value: string | null };

/** Encodes an operation as a line. */
const lineOf = ({ operation, records }: FiledOperation): string => {
  const lines = records.map(
    ({ value, ...record }): RecordLine => ({
      ...record,
      value: value === null ? null : Buffer.from(value).toString("base64"),
    }),
  );
  return JSON.stringify({ operation, records: lines });
};

/** Decodes a line. */
export const filedOf = (line: string): FiledOperation => {
  const { operation, records } = JSON.parse(line) as {
    readonly operation: JournaledOperation;
    readonly records: readonly RecordLine[];
  };
  return {
    operation,
    records: records.map(({ value, ...record }) => ({
      ...record,
      value: value === null ? null : new Uint8Array(Buffer.from(value, "base64")),
    })),
  };
};

import type { Uuid } from "../../domain/ids.ts";
import { MOST_BYTES, MOST_LINES } from "../../files/storage/line-files.ts";
import type { JournaledOperation, TransactionRecord } from "../interface.ts";
import type { FileJournal, JournalFile } from "./files.ts";
import type { IntentJournal } from "./intents.ts";
import type { OperationJournal } from "./operations.ts";
import type { SnapshotJournal } from "./snapshots.ts";
import { fateOf, gatheredFor, type Terms } from "./timing.ts";

/** What recovery needs of an operation, as a line of a file has it. */
export interface FiledOperation {
  readonly operation: JournaledOperation;
  readonly records: readonly TransactionRecord[];
}

/** An operation that a file has to have before it is forgotten. */
export interface ToFile {
  readonly operation: Uuid;
  /** When it was acknowledged: another time later on says that something has come to it. */
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

/** The part of the journal that forgets operations whose time is over, some at once. Milliseconds since the epoch. */
export class Forgetting {
  readonly #parts: ForgettingParts;

  constructor(parts: ForgettingParts) {
    this.#parts = parts;
  }

  /** When something is to be forgotten next; null: nothing is there. */
  next(terms: Terms): number | null {
    const { operations, snapshots, files } = this.#parts;
    const latest = snapshots.latest();
    const first = operations.firstAcknowledged(latest);
    const ofLatest = latest === null ? null : operations.acknowledgedAt(latest);
    const firstFile = files.firstWritten();
    const times = [
      first === null ? null : first + terms.keptMs + gatheredFor(terms),
      ofLatest === null ? null : ofLatest + Math.max(terms.keptMs, terms.recoverableMs) + 1,
      firstFile === null ? null : firstFile + terms.recoverableMs + 1,
    ].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Whether a file is full by what is due, or something has been due for long enough. */
  isTime(now: number, terms: Terms): boolean {
    const next = this.next(terms);
    if (next === null) return false;
    return next <= now || this.#parts.operations.hasAcknowledged(now - terms.keptMs, MOST_LINES);
  }

  /**
   * Takes operations whose time is over, those that were acknowledged first. What no recovery needs is forgotten, and what
   * is open is put off, so that it doesn't stay due. Part of the caller's transaction.
   * @returns what may be forgotten once one file has it; what doesn't fit into that stays due
   */
  take(now: number, terms: Terms): ToFile[] {
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

  /** A file has these operations: they are forgotten, unless something has come to them since. Part of the caller's transaction. */
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

/** A record as JSON has it. */
type RecordLine = Omit<TransactionRecord, "value"> & { readonly value: string | null };

/** The line of an operation. */
const lineOf = ({ operation, records }: FiledOperation): string => {
  const told = records.map(
    ({ value, ...record }): RecordLine => ({
      ...record,
      value: value === null ? null : Buffer.from(value).toString("base64"),
    }),
  );
  return JSON.stringify({ operation, records: told });
};

/** The operation of a line. */
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

import { setBounded } from "../domain/bounded-map.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Settings } from "../env.ts";
import { readLines } from "../files/storage/line-files.ts";
import type { JournaledOperation, SnapshotPosition } from "./interface.ts";
import type { JournalFile } from "./journal/files.ts";
import { type FiledOperation, filedOf } from "./journal/forgetting.ts";
import type { Journal } from "./journal/journal.ts";
import { retentionOf } from "./journal/timing.ts";
import type { Runtime } from "./runtime.ts";

/** Number of cached files: recovery reads the operations of one file after another. */
const REMEMBERED = 3;
/** Number of file rows read at once. */
const FILES = 16;

interface WholeJournalParts extends Runtime {
  readonly journal: Journal;
  readonly bucket: R2Bucket;
  readonly settings: Pick<Settings, "JOURNAL_KEPT_DAYS" | "JOURNAL_FILES_KEPT_DAYS">;
}

/** The journal and the files of operations removed from it, read as one. The journal takes precedence. */
export class WholeJournal {
  readonly #parts: WholeJournalParts;
  /** By key, most recently used last. */
  readonly #remembered = new Map<string, Promise<FiledOperation[]>>();

  constructor(parts: WholeJournalParts) {
    this.#parts = parts;
  }

  /** An operation that was removed from the journal, from its file; null if it wasn't removed or no file has it. */
  async filed(operation: Uuid): Promise<FiledOperation | null> {
    const { snapshots, files } = this.#parts.journal;
    if (!snapshots.isForgotten(operation)) return null;
    const latestFirst = files
      .around(operation, this.#since)
      .toSorted((one, other) => other.number - one.number);
    for (const file of latestFirst) {
      const found = (await this.#read(file)).find((filed) => filed.operation.operationUuid === operation);
      if (found) return found;
    }
    return null;
  }

  /** The known ones of these operations, in order of acceptance. */
  async of(operations: readonly Uuid[]): Promise<JournaledOperation[]> {
    const found = this.#parts.journal.snapshots.of(operations);
    const known = new Set(found.map(({ operationUuid }) => operationUuid));
    for (const operation of operations) {
      const filed = known.has(operation) ? null : await this.filed(operation);
      if (filed) found.push(filed.operation);
    }
    return found.toSorted(byPlace);
  }

  /**
   * Operations after the first known one of these, or after a position, in order of acceptance. Holds at most one page
   * and a few files in memory.
   */
  async after(after: readonly Uuid[] | SnapshotPosition, limit: number): Promise<JournaledOperation[]> {
    const place = "rowNumber" in after ? after : ((await this.of(after))[0]?.place ?? null);
    const { snapshots, files } = this.#parts.journal;
    // The journal is read first, so that nothing that moves to a file in between is missed.
    let page = snapshots.after(place, limit);
    const ofJournal = new Set(page.map(({ operationUuid }) => operationUuid));
    const since = this.#since;
    for (let last: JournalFile | null = null; ; ) {
      const next: JournalFile[] = files.behind(place, since, last, FILES);
      for (const file of next) {
        if (page.length === limit && isBehind(beginOf(file), page.at(-1)!.place)) return page;
        const behind = (await this.#read(file))
          .map(({ operation }) => operation)
          .filter((operation) => place === null || isBehind(operation.place, place))
          .filter(({ operationUuid }) => !ofJournal.has(operationUuid));
        page = firstOf([...page, ...behind], limit);
      }
      if (next.length < FILES) return page;
      last = next.at(-1)!;
    }
  }

  /** Files written before this may be deleted. Milliseconds since the epoch. */
  get #since(): number {
    const { journal, settings, now } = this.#parts;
    return now() - retentionOf(journal.bytes, settings).recoverableMs;
  }

  #read({ key }: JournalFile): Promise<FiledOperation[]> {
    const read = this.#remembered.get(key) ?? this.#readFile(key);
    this.#remembered.delete(key);
    setBounded(this.#remembered, REMEMBERED, key, read);
    return read;
  }

  async #readFile(key: string): Promise<FiledOperation[]> {
    try {
      const lines = await readLines(this.#parts.bucket, key);
      // All other operations can still be put back.
      if (lines === null) this.#parts.log("wallet.journal_file_missing", { key });
      return (lines ?? []).map(filedOf);
    } catch (error) {
      this.#remembered.delete(key);
      throw error;
    }
  }
}

const beginOf = ({ generation, firstRow }: JournalFile): SnapshotPosition => ({
  generation,
  rowNumber: firstRow,
});

const isBehind = (one: SnapshotPosition, other: SnapshotPosition): boolean =>
  one.generation === other.generation ? one.rowNumber > other.rowNumber : one.generation > other.generation;

const byPlace = (one: JournaledOperation, other: JournaledOperation): number =>
  one.place.generation - other.place.generation || one.place.rowNumber - other.place.rowNumber;

/** The first of these in order, without duplicates: the last in the list wins. */
const firstOf = (operations: readonly JournaledOperation[], limit: number): JournaledOperation[] =>
  Array.from(new Map(operations.map((operation) => [operation.operationUuid, operation])).values())
    .toSorted(byPlace)
    .slice(0, limit);

import { type Uuid, uuidFromBytes, uuidToBytes } from "../../domain/ids.ts";
import type { OperationKind } from "../../domain/operations.ts";
import type {
  JournaledOperation,
  OperationEnding,
  OperationSnapshot,
  SnapshotKey,
  SnapshotPosition,
} from "../interface.ts";

/** A snapshot as SQLite answers it. */
type Row = Omit<JournaledOperation, "place" | "keys" | "ending"> &
  Pick<SnapshotPosition, "generation" | "rowNumber"> & {
    keys: string;
    state: OperationEnding["state"] | null;
    answerStatus: number | null;
    answerBody: string | null;
    endedAt: number | null;
  };

const FIELDS = `operation AS operationUuid, generation, row_number AS rowNumber, kind, integration AS integrationUuid,
  subject AS subjectUuid, request, keys, accepted_at AS acceptedAt, state, answer_status AS answerStatus,
  answer_body AS answerBody, ended_at AS endedAt, quoted_cost AS quotedCost, most_cost AS mostCost,
  reference`;

/** A database that lacks an operation which this wallet has had from it. */
export interface Behind {
  /** Since when that is known, milliseconds since the epoch. */
  readonly since: number;
  /** The operation that it lacks. */
  readonly missing: Uuid;
}

/**
 * The part of the journal that knows where intents come from: the operations of the database, so that a rollback
 * is noticed, and the database can get back what it lost (docs/transactions.md, "When the database is older").
 *
 * A generation begins with each recovery of the database, because rows that are put back get new numbers.
 */
export class SnapshotJournal {
  readonly #sql: SqlStorage;
  /** Cache of the latest accepted operation that came here; undefined when it has to be read. */
  #latest: Uuid | null | undefined;
  #state: { readonly generation: number; readonly behind: Behind | null } | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** A transaction was rolled back: cached values may be wrong. */
  rolledBack(): void {
    this.#latest = undefined;
    this.#state = undefined;
  }

  /** Enters the snapshot of an operation's first intent. */
  add(operation: Uuid, snapshot: OperationSnapshot): void {
    this.#latest = undefined;
    this.#sql.exec(
      `INSERT INTO snapshots (operation, generation, row_number, kind, integration, subject, request, keys, accepted_at,
         quoted_cost, most_cost, reference)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      operation,
      this.generation,
      snapshot.rowNumber,
      snapshot.kind,
      snapshot.integrationUuid,
      snapshot.subjectUuid,
      snapshot.request,
      JSON.stringify(snapshot.keys),
      snapshot.acceptedAt,
      snapshot.quotedCost ?? null,
      snapshot.mostCost ?? null,
      snapshot.reference ?? null,
    );
  }

  /** What an operation is; null where it isn't known, or is the wallet's own. */
  kindOf(operation: string): OperationKind | null {
    const rows = this.#sql.exec<{ kind: OperationKind }>(
      "SELECT kind FROM snapshots WHERE operation = ?",
      operation,
    );
    return rows.toArray()[0]?.kind ?? null;
  }

  /** The operation that was accepted last: a database without it is older than this journal. Null: none came here. */
  latest(): Uuid | null {
    this.#latest ??= (this.#sql
      .exec<{ operation: string }>(
        "SELECT operation FROM snapshots WHERE lost = 0 ORDER BY generation DESC, row_number DESC LIMIT 1",
      )
      .toArray()[0]?.operation ?? null) as Uuid | null;
    return this.#latest;
  }

  /** What the operation came to, as its caller is told. */
  end(operation: string, { state, answerStatus, answerBody, endedAt }: OperationEnding): void {
    this.#sql.exec(
      "UPDATE snapshots SET state = ?, answer_status = ?, answer_body = ?, ended_at = ? WHERE operation = ?",
      state,
      answerStatus,
      answerBody,
      endedAt,
      operation,
    );
  }

  /** Whether the operation's caller was told that it failed. */
  hasFailed(operation: string): boolean {
    const failed = this.#sql.exec(
      "SELECT 1 FROM snapshots WHERE operation = ? AND state = 'failed'",
      operation,
    );
    return failed.toArray().length > 0;
  }

  /** Goes on in this generation, unless it has come further: the object that knew it was lost. */
  beginGeneration(generation: number): void {
    this.#state = undefined;
    this.#sql.exec("UPDATE database SET generation = max(generation, ?)", generation);
  }

  /** How often the database was recovered. */
  get generation(): number {
    return this.#database().generation;
  }

  /** Set while the database is known to be older than this journal. */
  get behind(): Behind | null {
    return this.#database().behind;
  }

  #database(): { readonly generation: number; readonly behind: Behind | null } {
    this.#state ??= this.#readDatabase();
    return this.#state;
  }

  #readDatabase() {
    const row = this.#sql
      .exec<{ generation: number; behind_since: number | null; missing: string | null }>(
        "SELECT generation, behind_since, missing FROM database",
      )
      .one();
    const isBehind = row.behind_since !== null && row.missing !== null;
    return {
      generation: row.generation,
      behind: isBehind ? { since: row.behind_since!, missing: row.missing as Uuid } : null,
    };
  }

  /** The database lacks an operation that came from it. A look from an earlier generation doesn't count. */
  lacks(missing: Uuid, generation: number, now: number): boolean {
    if (generation !== this.generation || this.behind !== null) return false;
    const known = this.#sql.exec("SELECT 1 FROM snapshots WHERE operation = ? AND lost = 0", missing);
    if (known.toArray().length === 0) return false;
    this.#state = undefined;
    this.#sql.exec("UPDATE database SET behind_since = ?, missing = ?", now, missing);
    return true;
  }

  /** The database has everything again that can be put back. */
  recovered(): void {
    this.#state = undefined;
    this.#sql.exec("UPDATE database SET generation = generation + 1, behind_since = NULL, missing = NULL");
  }

  /** An operation can't be put back, so that the database lacking it says nothing any more. */
  lose(operation: string): void {
    this.#latest = undefined;
    this.#sql.exec("UPDATE snapshots SET lost = 1 WHERE operation = ?", operation);
  }

  /** Whether the journal has the operation's snapshot. A former release kept none. */
  has(operation: string): boolean {
    return this.#sql.exec("SELECT 1 FROM snapshots WHERE operation = ?", operation).toArray().length > 0;
  }

  /** The operation's rows are forgotten; its uuid is kept. */
  forget(operation: string): void {
    const gone = this.#sql.exec("DELETE FROM snapshots WHERE operation = ? RETURNING operation", operation);
    if (gone.toArray().length === 0) return;
    this.#latest = undefined;
    this.#sql.exec(
      "INSERT INTO forgotten (operation) VALUES (?) ON CONFLICT DO NOTHING",
      uuidToBytes(operation as Uuid),
    );
  }

  /** An operation without a snapshot was withdrawn before its first step: a database that has it open again is told so. */
  nameWithdrawn(operation: Uuid): void {
    this.#sql.exec(
      "INSERT INTO forgotten (operation, withdrawn) VALUES (?, 1) ON CONFLICT DO NOTHING",
      uuidToBytes(operation),
    );
  }

  /** Whether the operation's name says that it was withdrawn before its first step. */
  isNamedWithdrawn(operation: Uuid): boolean {
    const named = this.#sql.exec(
      "SELECT 1 FROM forgotten WHERE operation = ? AND withdrawn = 1",
      uuidToBytes(operation),
    );
    return named.toArray().length > 0;
  }

  /**
   * Forgets the names too of operations that are forgotten and began before a time: from then on all that began so
   * long ago may have been done.
   * @param before milliseconds since the epoch
   * @returns how many, `most` at most
   */
  forgetNames(before: number, most: number): number {
    const names = this.#sql
      .exec<{ operation: ArrayBuffer }>(
        `DELETE FROM forgotten WHERE operation IN (
           SELECT operation FROM forgotten WHERE operation < ? ORDER BY operation LIMIT ?) RETURNING operation`,
        firstFrom(before),
        most,
      )
      .toArray()
      .map(({ operation }) => uuidFromBytes(new Uint8Array(operation)));
    if (names.length === 0) return 0;
    this.#sql.exec(
      "UPDATE database SET forgotten_until = max(coalesce(forgotten_until, 0), ?)",
      Math.max(...names.map(beganAt)),
    );
    return names.length;
  }

  /** Whether the operation was done and forgotten, or is so old that it may have been. */
  isForgotten(operation: Uuid): boolean {
    const named = this.#sql.exec("SELECT 1 FROM forgotten WHERE operation = ?", uuidToBytes(operation));
    if (named.toArray().length > 0) return true;
    const { at } = this.#sql.exec<{ at: number | null }>("SELECT forgotten_until AS at FROM database").one();
    return at !== null && beganAt(operation) <= at;
  }

  /** Operations behind a place, in the order of their acceptance. */
  after(place: SnapshotPosition | null, limit: number): JournaledOperation[] {
    return this.#sql
      .exec<Row>(
        `SELECT ${FIELDS} FROM snapshots WHERE (generation, row_number) > (?, ?) ORDER BY generation, row_number LIMIT ?`,
        place?.generation ?? -1,
        place?.rowNumber ?? -1,
        limit,
      )
      .toArray()
      .map(toOperation);
  }

  /** Those of these operations that are known. */
  of(operations: readonly Uuid[]): JournaledOperation[] {
    return this.#sql
      .exec<Row>(
        `SELECT ${FIELDS} FROM snapshots WHERE operation IN (SELECT value FROM json_each(?)) ORDER BY generation, row_number`,
        JSON.stringify(operations),
      )
      .toArray()
      .map(toOperation);
  }
}

const toOperation = (row: Row): JournaledOperation => {
  const { generation, rowNumber, keys, state, answerStatus, answerBody, endedAt, ...operation } = row;
  return {
    ...operation,
    place: { generation, rowNumber },
    keys: JSON.parse(keys) as SnapshotKey[],
    ending: state === null || endedAt === null ? null : { state, answerStatus, answerBody, endedAt },
  };
};

/** The lowest UUID of version 7 that was made at a time, in its bytes. Milliseconds since the epoch. */
const firstFrom = (time: number): Uint8Array => {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(time, 0)) << 16n);
  return bytes;
};

/** When an operation began. UUIDs of version 7 begin with 48 bits of Unix milliseconds (RFC 9562). */
export const beganAt = (operation: Uuid): number =>
  uuidToBytes(operation)
    .subarray(0, 6)
    .reduce((time, byte) => time * 256 + byte, 0);

/**
 * Whether an operation began before the object was restored: rows of it may have been lost with the former object, so
 * that signing it could do it twice.
 */
export const predates = (operationUuid: Uuid, restoredAt: number | null): boolean =>
  restoredAt !== null && beganAt(operationUuid) <= restoredAt;

import { type Uuid, uuidFromBytes, uuidToBytes } from "../../domain/ids.ts";
import type { OperationKind } from "../../domain/operations.ts";
import type {
  JournaledOperation,
  OperationEnding,
  OperationSnapshot,
  SnapshotKey,
  SnapshotPosition,
} from "../interface.ts";

/** A snapshot as SQLite returns it. */
type Row = Omit<JournaledOperation, "place" | "keys" | "ending"> &
  Pick<SnapshotPosition, "generation" | "rowNumber"> & {
    keys: string;
    state: OperationEnding["state"] | null;
  } & Omit<OperationEnding, "state">;

const FIELDS = `operation AS operationUuid, generation, row_number AS rowNumber, kind, integration AS integrationUuid,
  subject AS subjectUuid, request, keys, accepted_at AS acceptedAt, state, answer_status AS answerStatus,
  answer_body AS answerBody, ended_at AS endedAt, quoted_cost AS quotedCost, most_cost AS mostCost,
  reference, api_key AS apiKey`;

/** A database that lacks an operation which this wallet received from it. */
export interface Behind {
  /** When that was detected, milliseconds since the epoch. */
  readonly since: number;
  /** The missing operation. */
  readonly missing: Uuid;
}

/**
 * Snapshots of the operations that intents belong to. They allow the wallet to detect a rollback of the database, and
 * the database to get back what it lost (docs/transactions.md, "When the database is older"). Each recovery of the
 * database starts a new generation, because restored rows get new numbers.
 */
export class SnapshotJournal {
  readonly #sql: SqlStorage;
  /** Cache of the latest accepted operation received; undefined when it must be read. */
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

  /** Adds the snapshot of an operation's first intent. */
  add(operation: Uuid, snapshot: OperationSnapshot): void {
    this.#latest = undefined;
    this.#sql.exec(
      `INSERT INTO snapshots (operation, generation, row_number, kind, integration, subject, request, keys, accepted_at,
         quoted_cost, most_cost, reference, api_key)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      operation,
      this.generation,
      snapshot.rowNumber,
      snapshot.kind,
      snapshot.integrationUuid,
      snapshot.subjectUuid,
      snapshot.request,
      JSON.stringify(snapshot.keys),
      snapshot.acceptedAt,
      snapshot.quotedCost,
      snapshot.mostCost,
      snapshot.reference,
      snapshot.apiKey,
    );
  }

  /** The operation's kind; null if unknown or the wallet's own. */
  kindOf(operation: string): OperationKind | null {
    const rows = this.#sql.exec<{ kind: OperationKind }>(
      "SELECT kind FROM snapshots WHERE operation = ?",
      operation,
    );
    return rows.toArray()[0]?.kind ?? null;
  }

  /** The latest accepted operation: a database without it is older than this journal. Null if none was received. */
  latest(): Uuid | null {
    this.#latest ??= (this.#sql
      .exec<{ operation: string }>(
        "SELECT operation FROM snapshots WHERE lost = 0 ORDER BY generation DESC, row_number DESC LIMIT 1",
      )
      .toArray()[0]?.operation ?? null) as Uuid | null;
    return this.#latest;
  }

  /** Stores the operation's result, as returned to its caller. */
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

  /** Whether the operation's stored result is a failure. */
  hasFailed(operation: string): boolean {
    const failed = this.#sql.exec(
      "SELECT 1 FROM snapshots WHERE operation = ? AND state = 'failed'",
      operation,
    );
    return failed.toArray().length > 0;
  }

  /** Raises the generation after the object that knew it was lost; never lowers it. */
  beginGeneration(generation: number): void {
    this.#state = undefined;
    this.#sql.exec("UPDATE database SET generation = max(generation, ?)", generation);
  }

  /** Number of recoveries of the database. */
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

  /** Records that the database lacks an operation received from it. A check from an earlier generation is ignored. */
  lacks(missing: Uuid, generation: number, now: number): boolean {
    if (generation !== this.generation || this.behind !== null) return false;
    const known = this.#sql.exec("SELECT 1 FROM snapshots WHERE operation = ? AND lost = 0", missing);
    if (known.toArray().length === 0) return false;
    this.#state = undefined;
    this.#sql.exec("UPDATE database SET behind_since = ?, missing = ?", now, missing);
    return true;
  }

  /** Starts a new generation: everything that can be put back is in the database again. */
  recovered(): void {
    this.#state = undefined;
    this.#sql.exec("UPDATE database SET generation = generation + 1, behind_since = NULL, missing = NULL");
  }

  /** Records that an operation can't be put back, so that its absence in the database is no longer a rollback. */
  lose(operation: string): void {
    this.#latest = undefined;
    this.#sql.exec("UPDATE snapshots SET lost = 1 WHERE operation = ?", operation);
  }

  /** Whether the journal has the operation's snapshot. */
  has(operation: string): boolean {
    return this.#sql.exec("SELECT 1 FROM snapshots WHERE operation = ?", operation).toArray().length > 0;
  }

  /** Removes the operation's snapshot; its uuid is kept. */
  forget(operation: string): void {
    const gone = this.#sql.exec("DELETE FROM snapshots WHERE operation = ? RETURNING operation", operation);
    if (gone.toArray().length === 0) return;
    this.#latest = undefined;
    this.#sql.exec(
      "INSERT INTO forgotten (operation) VALUES (?) ON CONFLICT DO NOTHING",
      uuidToBytes(operation as Uuid),
    );
  }

  /** Keeps the name of an operation withdrawn before its first step, for a database that has it open again. */
  nameWithdrawn(operation: Uuid): void {
    this.#sql.exec(
      "INSERT INTO forgotten (operation, withdrawn) VALUES (?, 1) ON CONFLICT DO NOTHING",
      uuidToBytes(operation),
    );
  }

  /** Whether the operation's name is marked as withdrawn before its first step. */
  isNamedWithdrawn(operation: Uuid): boolean {
    const named = this.#sql.exec(
      "SELECT 1 FROM forgotten WHERE operation = ? AND withdrawn = 1",
      uuidToBytes(operation),
    );
    return named.toArray().length > 0;
  }

  /**
   * Deletes names of removed operations that began before a time; all operations as old may then have been done.
   * @param before milliseconds since the epoch
   * @returns the number deleted, at most `most`
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

  /** Whether the operation was done and removed, or is old enough that it may have been. */
  isForgotten(operation: Uuid): boolean {
    const named = this.#sql.exec("SELECT 1 FROM forgotten WHERE operation = ?", uuidToBytes(operation));
    if (named.toArray().length > 0) return true;
    const { at } = this.#sql.exec<{ at: number | null }>("SELECT forgotten_until AS at FROM database").one();
    return at !== null && beganAt(operation) <= at;
  }

  /** Operations after a position, in order of acceptance. */
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

  /** The known ones of these operations. */
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
    ending: state === null ? null : { state, answerStatus, answerBody, endedAt },
  };
};

/** The lowest UUIDv7 of a time, as bytes. Milliseconds since the epoch. */
const firstFrom = (time: number): Uint8Array => {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(time, 0)) << 16n);
  return bytes;
};

/** When an operation began: the first 48 bits of a UUIDv7 are Unix milliseconds (RFC 9562). */
export const beganAt = (operation: Uuid): number =>
  uuidToBytes(operation)
    .subarray(0, 6)
    .reduce((time, byte) => time * 256 + byte, 0);

/**
 * Whether an operation began before the object was restored: its rows may be lost with the previous object, so signing
 * it could execute it twice.
 */
export const predates = (operationUuid: Uuid, restoredAt: number | null): boolean =>
  restoredAt !== null && beganAt(operationUuid) <= restoredAt;

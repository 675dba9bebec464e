import { and, desc, eq, sql } from "drizzle-orm";
import { type Uuid, uuidFromBytes, uuidToBytes } from "../../domain/ids.ts";
import type {
  JournaledOperation,
  OperationEnding,
  OperationSnapshot,
  SnapshotPosition,
} from "../interface.ts";
import { ANY, among, JournalPart, required } from "./database.ts";
import { database, forgotten, snapshots } from "./schema.ts";

const FIELDS = {
  operationUuid: snapshots.operation,
  place: { generation: snapshots.generation, rowNumber: snapshots.rowNumber },
  kind: snapshots.kind,
  integrationUuid: snapshots.integrationUuid,
  subjectUuid: snapshots.subjectUuid,
  request: snapshots.request,
  keys: snapshots.keys,
  acceptedAt: snapshots.acceptedAt,
  ending: {
    state: snapshots.state,
    answerStatus: snapshots.answerStatus,
    answerBody: snapshots.answerBody,
    endedAt: snapshots.endedAt,
  },
  quotedCost: snapshots.quotedCost,
  mostCost: snapshots.mostCost,
  reference: snapshots.reference,
};

type Row = Omit<JournaledOperation, "ending"> & {
  readonly ending: Pick<typeof snapshots.$inferSelect, keyof OperationEnding>;
};

const toOperation = ({ ending, ...operation }: Row): JournaledOperation => ({
  ...operation,
  ending: ending.state === null ? null : (ending as OperationEnding),
});

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
export class SnapshotJournal extends JournalPart {
  /** Cache of the latest accepted operation received; undefined when it must be read. */
  #latest: Uuid | null | undefined;
  #state: { readonly generation: number; readonly behind: Behind | null } | undefined;

  /** A transaction was rolled back: cached values may be wrong. */
  rolledBack(): void {
    this.#latest = undefined;
    this.#state = undefined;
  }

  readonly #add = this.run(
    (row: OperationSnapshot & { readonly operation: Uuid; readonly generation: number }) =>
      this.db
        .insert(snapshots)
        .values({
          ...required(snapshots, row),
          quotedCost: row.quotedCost,
          mostCost: row.mostCost,
          reference: row.reference,
        })
        .onConflictDoNothing(),
  );

  /** Adds the snapshot of an operation's first intent. */
  add(operation: Uuid, snapshot: OperationSnapshot): void {
    this.#latest = undefined;
    this.#add({ ...snapshot, operation, generation: this.generation });
  }

  /** The operation's kind; null if unknown or the wallet's own. */
  readonly kindOf = this.first(
    (operation: Uuid) =>
      this.db.select({ kind: snapshots.kind }).from(snapshots).where(eq(snapshots.operation, operation)),
    ({ kind }) => kind,
  );

  readonly #last = this.first(() =>
    this.db
      .select({ operation: snapshots.operation })
      .from(snapshots)
      .where(sql`${snapshots.lost} = 0`)
      .orderBy(desc(snapshots.generation), desc(snapshots.rowNumber))
      .limit(1),
  );

  /** The latest accepted operation: a database without it is older than this journal. Null if none was received. */
  latest(): Uuid | null {
    this.#latest ??= this.#last()?.operation ?? null;
    return this.#latest;
  }

  /** Stores the operation's result, as returned to its caller. */
  readonly end = this.run((row: OperationEnding & { readonly operation: Uuid }) =>
    this.db
      .update(snapshots)
      .set({
        state: row.state,
        answerStatus: row.answerStatus,
        answerBody: row.answerBody,
        endedAt: row.endedAt,
      })
      .where(eq(snapshots.operation, row.operation)),
  );

  /** Whether the operation's stored result is a failure. */
  readonly hasFailed = this.exists((operation: Uuid) =>
    this.db
      .select(ANY)
      .from(snapshots)
      .where(and(eq(snapshots.operation, operation), eq(snapshots.state, "failed"))),
  );

  readonly #raise = this.run((generation: number) =>
    this.db.update(database).set({ generation: sql`max(generation, ${generation})` }),
  );

  /** Raises the generation after the object that knew it was lost; never lowers it. */
  beginGeneration(generation: number): void {
    this.#state = undefined;
    this.#raise(generation);
  }

  /** Number of recoveries of the database. */
  get generation(): number {
    return this.#database().generation;
  }

  /** Set while the database is known to be older than this journal. */
  get behind(): Behind | null {
    return this.#database().behind;
  }

  readonly #row = this.one(() => this.db.select().from(database));

  #database(): { readonly generation: number; readonly behind: Behind | null } {
    if (this.#state === undefined) {
      const { generation, behindSince: since, missing } = this.#row();
      this.#state = { generation, behind: since === null || missing === null ? null : { since, missing } };
    }
    return this.#state;
  }

  readonly #isKnown = this.exists((operation: Uuid) =>
    this.db
      .select(ANY)
      .from(snapshots)
      .where(and(eq(snapshots.operation, operation), sql`${snapshots.lost} = 0`)),
  );
  readonly #setBehind = this.run((missing: Uuid, behindSince: number) =>
    this.db.update(database).set({ missing, behindSince }),
  );

  /** Records that the database lacks an operation received from it. A check from an earlier generation is ignored. */
  lacks(missing: Uuid, generation: number, now: number): boolean {
    if (generation !== this.generation || this.behind !== null || !this.#isKnown(missing)) return false;
    this.#state = undefined;
    this.#setBehind(missing, now);
    return true;
  }

  readonly #recovered = this.run(() =>
    this.db.update(database).set({ generation: sql`generation + 1`, behindSince: null, missing: null }),
  );

  /** Starts a new generation: everything that can be put back is in the database again. */
  recovered(): void {
    this.#state = undefined;
    this.#recovered();
  }

  readonly #lose = this.run((operation: Uuid) =>
    this.db.update(snapshots).set({ lost: true }).where(eq(snapshots.operation, operation)),
  );

  /** Records that an operation can't be put back, so that its absence in the database is no longer a rollback. */
  lose(operation: Uuid): void {
    this.#latest = undefined;
    this.#lose(operation);
  }

  /** Whether the journal has the operation's snapshot. */
  has(operation: Uuid): boolean {
    return this.kindOf(operation) !== null;
  }

  readonly #remove = this.exists((operation: Uuid) =>
    this.db
      .delete(snapshots)
      .where(eq(snapshots.operation, operation))
      .returning({ operation: snapshots.operation }),
  );
  readonly #name = this.run((operation: Uint8Array, withdrawn: boolean) =>
    this.db.insert(forgotten).values({ operation, withdrawn }).onConflictDoNothing(),
  );

  /** Removes the operation's snapshot; its uuid is kept. */
  forget(operation: Uuid): void {
    if (!this.#remove(operation)) return;
    this.#latest = undefined;
    this.#name(uuidToBytes(operation), false);
  }

  /** Keeps the name of an operation withdrawn before its first step, for a database that has it open again. */
  nameWithdrawn(operation: Uuid): void {
    this.#name(uuidToBytes(operation), true);
  }

  readonly #named = this.first((operation: Uint8Array) =>
    this.db
      .select({ withdrawn: forgotten.withdrawn })
      .from(forgotten)
      .where(eq(forgotten.operation, operation)),
  );

  /** Whether the operation's name is marked as withdrawn before its first step. */
  isNamedWithdrawn(operation: Uuid): boolean {
    return this.#named(uuidToBytes(operation))?.withdrawn ?? false;
  }

  readonly #forgetNames = this.rows((first: Uint8Array, most: number) =>
    this.db
      .delete(forgotten)
      .where(
        sql`operation IN (SELECT operation FROM ${forgotten} WHERE operation < ${first} ORDER BY operation LIMIT ${most})`,
      )
      .returning({ operation: forgotten.operation }),
  );
  readonly #setForgottenUntil = this.run((until: number) =>
    this.db.update(database).set({ forgottenUntil: sql`max(coalesce(forgotten_until, 0), ${until})` }),
  );

  /**
   * Deletes names of removed operations that began before a time; all operations as old may then have been done.
   * @param before milliseconds since the epoch
   * @returns the number deleted, at most `most`
   */
  forgetNames(before: number, most: number): number {
    const names = this.#forgetNames(firstFrom(before), most);
    if (names.length > 0) {
      this.#setForgottenUntil(Math.max(...names.map(({ operation }) => beganAt(uuidFromBytes(operation)))));
    }
    return names.length;
  }

  /** Whether the operation was done and removed, or is old enough that it may have been. */
  isForgotten(operation: Uuid): boolean {
    return (
      this.#named(uuidToBytes(operation)) !== null ||
      beganAt(operation) <= (this.#row().forgottenUntil ?? Number.NEGATIVE_INFINITY)
    );
  }

  readonly #after = this.rows(
    (generation: number, rowNumber: number, limit: number) =>
      this.db
        .select(FIELDS)
        .from(snapshots)
        .where(sql`(generation, row_number) > (${generation}, ${rowNumber})`)
        .orderBy(snapshots.generation, snapshots.rowNumber)
        .limit(limit),
    toOperation,
  );

  /** Operations after a position, in order of acceptance. */
  after(place: SnapshotPosition | null, limit: number): JournaledOperation[] {
    return this.#after(place?.generation ?? -1, place?.rowNumber ?? -1, limit);
  }

  /** The known ones of these operations. */
  readonly of = this.rows(
    (operations: readonly Uuid[]) =>
      this.db
        .select(FIELDS)
        .from(snapshots)
        .where(among(snapshots.operation, operations))
        .orderBy(snapshots.generation, snapshots.rowNumber),
    toOperation,
  );
}

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

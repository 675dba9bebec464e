import { and, eq, isNotNull, lt, lte, min, type SQL, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import { ANY, JournalPart } from "./database.ts";
import { carried, intents, operations, signed } from "./schema.ts";
import type { SnapshotJournal } from "./snapshots.ts";
import { resumePause } from "./timing.ts";

/** The part of the journal that records which operations must be resumed and which may be removed. */
export class OperationJournal extends JournalPart {
  readonly #snapshots: SnapshotJournal;

  constructor(sql: SqlStorage, snapshots: SnapshotJournal) {
    super(sql);
    this.#snapshots = snapshots;
  }

  /** An operation has a new row: it isn't due until that row is over. */
  readonly begin = this.run((operation: Uuid, internal: boolean) =>
    this.db
      .insert(operations)
      .values({ operation, internal })
      .onConflictDoUpdate({
        target: operations.operation,
        set: { resumeAt: null, resumeTries: 0, acknowledgedAt: null },
      }),
  );

  /** Closes an operation to further steps. An operation without rows is removed after the retention time. */
  readonly withdraw = this.run((operation: Uuid, rows: number, withdrawnAt: number) =>
    this.db
      .insert(operations)
      .values({
        ...{ operation, internal: false, withdrawnAt },
        acknowledgedAt: sql`iif(${rows} = 0, ${withdrawnAt}, NULL)`,
      })
      .onConflictDoUpdate({ target: operations.operation, set: { withdrawnAt } }),
  );

  readonly #isWithdrawn = this.exists((operation: Uuid) =>
    this.db
      .select(ANY)
      .from(operations)
      .where(and(eq(operations.operation, operation), isNotNull(operations.withdrawnAt))),
  );

  /** Whether the operation was withdrawn, including one without rows of which only the name is left. */
  isWithdrawn(operation: Uuid): boolean {
    return this.#isWithdrawn(operation) || this.#snapshots.isNamedWithdrawn(operation);
  }

  /** Records that all rows of the operation are over. The wallet's own operations end here. */
  readonly rowsOver = this.run((operation: Uuid, now: number) =>
    this.db
      .update(operations)
      .set({
        resumeAt: sql`iif(internal = 0 AND acknowledged_at IS NULL, ${now} + ${resumePause(0)}, NULL)`,
        resumeTries: 0,
        acknowledgedAt: sql`iif(internal = 1, ${now}, acknowledged_at)`,
      })
      .where(eq(operations.operation, operation)),
  );

  readonly #due = this.rows((now: number, most: number) =>
    this.db
      .select({ operation: operations.operation, tries: operations.resumeTries })
      .from(operations)
      .where(lte(operations.resumeAt, now))
      .orderBy(operations.resumeAt)
      .limit(most),
  );
  readonly #postpone = this.run((operation: Uuid, resumeAt: number, resumeTries: number) =>
    this.db.update(operations).set({ resumeAt, resumeTries }).where(eq(operations.operation, operation)),
  );

  /** Operations to resume now; each is rescheduled before it is tried. */
  takeDue(now: number, most: number): Uuid[] {
    return this.#due(now, most).map(({ operation, tries }) => {
      this.#postpone(operation, now + resumePause(tries + 1), tries + 1);
      return operation;
    });
  }

  /** When the next operation is due to be resumed; null if there is none. */
  readonly nextResume = this.one(
    // SQLite uses a partial index only if the query repeats its condition; otherwise it would read all operations.
    () =>
      this.db
        .select({ at: min(operations.resumeAt) })
        .from(operations)
        .where(isNotNull(operations.resumeAt)),
    ({ at }) => at,
  );

  /** When the first acknowledged operation other than `without` was acknowledged; null if there is none. */
  readonly firstAcknowledged = this.first(
    (without: Uuid | null) =>
      this.db
        .select({ at: operations.acknowledgedAt })
        .from(operations)
        .where(sql`acknowledged_at IS NOT NULL AND operation IS NOT ${without}`)
        .orderBy(operations.acknowledgedAt)
        .limit(1),
    ({ at }) => at,
  );

  /** When the operation was acknowledged; null if it wasn't or has no row. */
  readonly acknowledgedAt = this.first(
    (operation: Uuid) =>
      this.db
        .select({ at: operations.acknowledgedAt })
        .from(operations)
        .where(eq(operations.operation, operation)),
    ({ at }) => at,
  );

  /** Whether more than `count` operations were acknowledged before a time. */
  readonly hasAcknowledged = this.exists((before: number, count: number) =>
    this.db
      .select(ANY)
      .from(operations)
      .where(lt(operations.acknowledgedAt, before))
      .orderBy(operations.acknowledgedAt)
      .limit(1)
      .offset(count),
  );

  /** Operations acknowledged before a time, including those settled by the operator, oldest acknowledgement first. */
  readonly acknowledgedBefore = this.rows((before: number, most: number) =>
    this.db
      .select({ operation: operations.operation, at: sql<number>`${operations.acknowledgedAt}` })
      .from(operations)
      .where(lt(operations.acknowledgedAt, before))
      .orderBy(operations.acknowledgedAt)
      .limit(most),
  );

  /** Records that the operation's effects are written. */
  readonly acknowledge = this.run((operation: Uuid, acknowledgedAt: number) =>
    this.db
      .update(operations)
      .set({ resumeAt: null, acknowledgedAt })
      .where(eq(operations.operation, operation)),
  );

  /** Whether this wallet received the acknowledgement of the operation's effects. */
  isAcknowledged(operation: Uuid): boolean {
    return this.acknowledgedAt(operation) !== null;
  }

  /** Whether the operation still has something to sign or to prove. */
  readonly isOpen = this.exists((operation: Uuid) =>
    // An unprovable shared transaction is kept as long as any of its parts.
    this.db
      .select(ANY)
      .from(intents)
      .where(
        sql`${intents.operation} = ${operation} AND (state IN ('queued', 'open') OR EXISTS (
          SELECT 1 FROM ${carried} JOIN ${intents} AS part ON part.id = carried.intent WHERE carried.shared = intents.id))`,
      )
      .limit(1),
  );

  readonly #forgetSigned = this.run((operation: Uuid) =>
    this.db.delete(signed).where(sql`${signed.intentId} IN ${stepsOf(operation)}`),
  );
  // The positions of all parts are needed to assign tokens until the shared transaction itself is removed.
  readonly #forgetParts = this.run((operation: Uuid) =>
    this.db.delete(carried).where(
      sql`${carried.intentId} IN ${stepsOf(operation)}
          AND NOT EXISTS (SELECT 1 FROM intents WHERE id = carried.shared)`,
    ),
  );
  readonly #forgetShared = this.run((operation: Uuid) =>
    this.db.delete(carried).where(sql`${carried.shared} IN ${stepsOf(operation)}`),
  );
  readonly #forgetSteps = this.exists((operation: Uuid) =>
    this.db.delete(intents).where(eq(intents.operation, operation)).returning(ANY),
  );
  readonly #forget = this.run((operation: Uuid) =>
    this.db.delete(operations).where(eq(operations.operation, operation)),
  );

  /**
   * Removes all rows of an operation. Keeps the name of one with a snapshot, and of one withdrawn before its first
   * step.
   */
  forget(operation: Uuid): void {
    const isWithdrawn = this.#isWithdrawn(operation);
    this.#forgetSigned(operation);
    this.#forgetParts(operation);
    this.#forgetShared(operation);
    const hadSteps = this.#forgetSteps(operation);
    this.#forget(operation);
    this.#snapshots.forget(operation);
    if (isWithdrawn && !hadSteps) this.#snapshots.nameWithdrawn(operation);
  }
}

const stepsOf = (operation: Uuid): SQL => sql`(SELECT id FROM ${intents} WHERE operation = ${operation})`;

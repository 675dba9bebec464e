import { and, asc, eq, inArray, isNull, lt, lte, not, or, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { KINDS_IN_PARTS, KINDS_IN_TURN, type OperationKind } from "../../domain/operations.ts";
import type { CostLimit } from "../../domain/spending.ts";
import type { Database } from "../client.ts";
import { operations } from "../schema/index.ts";

/** A row of operations. */
export type OperationRow = typeof operations.$inferSelect;

/** An operation to accept. */
export interface NewOperation {
  readonly id: Uuid;
  readonly integrationId: Uuid;
  readonly kind: OperationKind;
  readonly subjectId: Uuid;
  readonly request: unknown;
  /** Fields of its request that are read when it is accepted, by their names. */
  readonly filled?: Readonly<Record<string, SQL>>;
  /** What its caller has set for it; null or absent: it costs what it costs. */
  readonly costLimit?: CostLimit | null;
  /** As in its row; absent: null. */
  readonly reference?: string | null;
}

/** An operation's row as it is accepted. @param at the time of its acceptance */
export const acceptedRow = (
  { id, integrationId, kind, subjectId, request, costLimit, reference = null }: NewOperation,
  at: Date,
): OperationRow => ({
  id,
  integrationId,
  kind,
  subjectId,
  request,
  state: "pending",
  answerStatus: null,
  answerBody: null,
  finishedAt: null,
  commitment: null,
  height: null,
  leasedUntil: null,
  createdAt: at,
  updatedAt: at,
  quotedCost: costLimit?.quoted ?? null,
  mostCost: costLimit?.most ?? null,
  actualCost: null,
  reference,
});

/**
 * True of an operation that is open. The very words of the predicate of three partial indexes: SQLite uses one only for
 * a query that repeats them literally (https://sqlite.org/partialindex.html), so that this takes no parameter.
 */
export const OPEN: SQL = sql`state IN ('pending', 'unknown')`;

/** True while an operation's effects are still to be written; part of every statement that writes some of them. */
export const isOpen = (id: Uuid): SQL =>
  sql`EXISTS (SELECT 1 FROM operations WHERE id = ${uuidToBytes(id)} AND state IN ('pending', 'unknown'))`;

/** True while an operation is at work. */
export const isPending = (id: Uuid): SQL =>
  sql`EXISTS (SELECT 1 FROM operations WHERE id = ${uuidToBytes(id)} AND state = 'pending')`;

/** True once an operation was accepted in the same batch. */
export const wasAccepted = (id: Uuid): SQL =>
  sql`EXISTS (SELECT 1 FROM operations WHERE id = ${uuidToBytes(id)})`;

/** The request of an operation as its row has it: JSON with all fields. */
export const requestOf = ({ request, filled = {} }: Pick<NewOperation, "request" | "filled">): SQL => {
  const fields = Object.entries(filled).flatMap(([name, value]) => [sql`${`$.${name}`}`, value]);
  const text = sql`${JSON.stringify(request)}`;
  return fields.length === 0 ? text : sql`json_set(${sql.join([text, ...fields], sql`, `)})`;
};

/**
 * Accepts an operation, where `condition` holds. The answer has its row, if it was accepted.
 */
export const insertOperation = (db: Database, operation: NewOperation, condition: SQL, now: Date) =>
  db
    .insert(operations)
    .select(sql`
      SELECT ${uuidToBytes(operation.id)}, ${uuidToBytes(operation.integrationId)}, ${operation.kind}, 'pending',
        ${uuidToBytes(operation.subjectId)}, ${requestOf(operation)}, NULL, NULL, NULL, NULL, NULL, NULL,
        ${now.getTime()}, ${now.getTime()}, ${operation.costLimit?.quoted ?? null},
        ${operation.costLimit?.most ?? null}, NULL, ${operation.reference ?? null}
      WHERE ${condition}`)
    .returning();

/** An operation; undefined if there is none. */
export const findOperation = (db: Database, id: Uuid): Promise<OperationRow | undefined> =>
  db.select().from(operations).where(eq(operations.id, id)).get();

/**
 * Commits an operation that is pending to one of two things that exclude each other: a caller is told 202, or the
 * request that brought it gives it up. Whichever comes first stands, and may be said again.
 * @returns its row; undefined if it is over, or committed to the other
 */
export const commitTo = async (
  db: Database,
  id: Uuid,
  commitment: NonNullable<OperationRow["commitment"]>,
): Promise<OperationRow | undefined> => {
  const [row] = await db
    .update(operations)
    .set({ commitment })
    .where(
      and(
        eq(operations.id, id),
        eq(operations.state, "pending"),
        or(isNull(operations.commitment), eq(operations.commitment, commitment)),
      ),
    )
    .returning();
  return row;
};

/** What an operation ends with. */
export interface EndedState {
  readonly state: "succeeded" | "failed" | "unknown";
  readonly answerStatus: number;
  readonly answerBody: string;
  /** As in the row. */
  readonly height: number | null;
  readonly actualCost: string | null;
}

/** Ends an operation that is open. The answer has the row if this statement was the one to end it. */
export const endOperation = (db: Database, id: Uuid, ending: EndedState, now: Date) =>
  db
    .update(operations)
    .set({ ...ending, finishedAt: ending.state === "unknown" ? null : now, updatedAt: now })
    .where(and(eq(operations.id, id), OPEN))
    .returning();

/**
 * Reserves the effects of an open operation until a time, unless they are reserved. This only saves work: they are
 * written once in any case.
 */
export const leaseEffects = async (db: Database, id: Uuid, now: Date, until: Date): Promise<boolean> => {
  const leased = await db
    .update(operations)
    .set({ leasedUntil: until })
    .where(
      and(eq(operations.id, id), OPEN, or(isNull(operations.leasedUntil), lte(operations.leasedUntil, now))),
    )
    .returning({ id: operations.id });
  return leased.length > 0;
};

/** Ends the reservation of an operation's effects. */
export const releaseEffects = async (db: Database, id: Uuid): Promise<void> => {
  await db.update(operations).set({ leasedUntil: null }).where(eq(operations.id, id));
};

/** Notes that an open operation was looked at, so that others have their turn. */
export const touchOperation = (db: Database, id: Uuid, now: Date) =>
  db
    .update(operations)
    .set({ updatedAt: now })
    .where(and(eq(operations.id, id), OPEN));

/** True of a row whose subject has another of the same kind at work that was accepted before. Rows count up. */
const hasEarlier: SQL = sql`EXISTS (SELECT 1 FROM operations AS earlier
  WHERE earlier.integration_id = ${operations.integrationId} AND earlier.subject_id = ${operations.subjectId}
  AND earlier.kind = ${operations.kind}
  AND earlier.state IN ('pending', 'unknown') AND earlier.state = 'pending' AND earlier.rowid < ${operations}.rowid)`;

/** An operation that stands still: what decides its wallet and its turn. */
export type StaleOperation = Pick<OperationRow, "id" | "kind" | "integrationId" | "subjectId">;

const staleColumns = {
  id: operations.id,
  kind: operations.kind,
  integrationId: operations.integrationId,
  subjectId: operations.subjectId,
};

/**
 * Open operations that nobody has looked at since `before`, the longest forgotten first. One that has to wait for its
 * turn is left out, since there is nothing that could be done for it.
 */
export const staleOperations = (db: Database, before: Date, limit: number): Promise<StaleOperation[]> =>
  db
    .select(staleColumns)
    .from(operations)
    .where(
      and(
        OPEN,
        lt(operations.updatedAt, before),
        not(and(inArray(operations.kind, KINDS_IN_TURN), hasEarlier)!),
      ),
    )
    .orderBy(asc(operations.updatedAt))
    .limit(limit)
    .all();

/** What operations act on: a subject, and the integration that it is of. */
export type Subject = Pick<OperationRow, "integrationId" | "subjectId">;

const openOf = ({ integrationId, subjectId }: Subject, kind: OperationKind) =>
  and(
    eq(operations.integrationId, integrationId),
    eq(operations.subjectId, subjectId),
    eq(operations.kind, kind),
    OPEN,
  );

/** Whether a subject has an open operation of a kind. */
export const hasOpenOperation = (
  { integrationId, subjectId }: Subject,
  kind: OperationKind,
): SQL => sql`EXISTS (
  SELECT 1 FROM operations WHERE integration_id = ${uuidToBytes(integrationId)}
  AND subject_id = ${uuidToBytes(subjectId)} AND kind = ${kind} AND ${OPEN})`;

/** Whether an integration has an operation at work that will spend more than its wallet has reserved for it. */
export const spendsInParts = (integrationId: Uuid): SQL => sql`EXISTS (
  SELECT 1 FROM operations WHERE integration_id = ${uuidToBytes(integrationId)} AND ${OPEN}
  AND state = 'pending' AND ${inArray(operations.kind, KINDS_IN_PARTS)})`;

/** The open operation of a kind that a subject has; undefined where there is none. */
export const openOperationOf = (db: Database, subject: Subject, kind: OperationKind) =>
  db.select().from(operations).where(openOf(subject, kind)).get();

/** Whether a subject's last operation of a kind began after `any`, or failed and began after `failed`. */
export const hadOperationSince = (
  subjectId: Uuid,
  kind: OperationKind,
  { any, failed }: { readonly any: Date; readonly failed: Date },
): SQL => sql`coalesce((
  SELECT created_at > CASE state WHEN 'failed' THEN ${failed.getTime()} ELSE ${any.getTime()} END
  FROM operations WHERE subject_id = ${uuidToBytes(subjectId)} AND kind = ${kind}
  ORDER BY id DESC LIMIT 1), 0)`;

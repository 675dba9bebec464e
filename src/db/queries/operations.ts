import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { OperationKind } from "../../domain/operations.ts";
import type { CostLimit } from "../../domain/spending.ts";
import { type Ledger, template } from "../ledger.ts";
import { operations } from "../schema/ledger.ts";
import type { Statement } from "../statements.ts";

export type OperationRow = typeof operations.$inferSelect;

export interface NewOperation {
  readonly id: Uuid;
  readonly integrationId: Uuid;
  readonly kind: OperationKind;
  readonly subjectId: Uuid;
  readonly request: unknown;
  /** Fields of its request whose values are read at its acceptance, by name. */
  readonly filled?: Readonly<Record<string, SQL>>;
  /** Limit of its cost; null or absent: none. */
  readonly costLimit?: CostLimit | null;
  readonly reference?: string | null;
  /** The key that it is accepted for; null or absent: none. */
  readonly keyId?: Uuid | null;
}

/** An operation's row as it is accepted. @param at the time of its acceptance */
export const acceptedRow = (
  { id, integrationId, kind, subjectId, request, costLimit, reference = null, keyId = null }: NewOperation,
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
  height: null,
  createdAt: at,
  updatedAt: at,
  quotedCost: costLimit?.quoted ?? null,
  mostCost: costLimit?.most ?? null,
  actualCost: null,
  reference,
  keyId,
});

/** Condition: open, in the literal words of the partial indexes (https://sqlite.org/partialindex.html). */
export const OPEN: SQL = sql`state IN ('pending', 'unknown')`;

const idOf = (id: Uuid | SQL): Uint8Array | SQL => (typeof id === "string" ? uuidToBytes(id) : id);

/** Condition: an operation's effects are not written yet. Part of every statement that writes them. */
export const isOpen = (id: Uuid | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM operations WHERE id = ${idOf(id)} AND state IN ('pending', 'unknown'))`;

export const isPending = (id: Uuid | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM operations WHERE id = ${idOf(id)} AND state = 'pending')`;

/** Condition: an operation has a row; in the batch of its acceptance, that it was accepted. */
export const wasAccepted = (id: Uuid): SQL =>
  sql`EXISTS (SELECT 1 FROM operations WHERE id = ${uuidToBytes(id)})`;

/** The request of an operation as its row stores it: JSON with all fields. */
export const requestOf = ({ request, filled = {} }: Pick<NewOperation, "request" | "filled">): SQL => {
  const fields = Object.entries(filled).flatMap(([name, value]) => [sql`${`$.${name}`}`, value]);
  const text = sql`${JSON.stringify(request)}`;
  return fields.length === 0 ? text : sql`json_set(${sql.join([text, ...fields], sql`, `)})`;
};

/** Accepts an operation if `condition` holds. The result has its row, if it was accepted. */
export const insertOperation = (ledger: Ledger, operation: NewOperation, condition: SQL, now: Date) =>
  ledger
    .insert(operations)
    .select(sql`
      SELECT ${uuidToBytes(operation.id)}, ${uuidToBytes(operation.integrationId)}, ${operation.kind}, 'pending',
        ${uuidToBytes(operation.subjectId)}, ${requestOf(operation)}, NULL, NULL, NULL, NULL,
        ${now.getTime()}, ${now.getTime()}, ${operation.costLimit?.quoted ?? null},
        ${operation.costLimit?.most ?? null}, NULL, ${operation.reference ?? null},
        ${operation.keyId ? uuidToBytes(operation.keyId) : null}
      WHERE ${condition}`)
    .returning();

/** An operation; undefined if there is none. */
export const findOperation = (ledger: Ledger, id: Uuid): Promise<OperationRow | undefined> =>
  ledger.select().from(operations).where(eq(operations.id, id)).get();

export interface EndedState {
  readonly state: "succeeded" | "failed" | "unknown";
  readonly answerStatus: number;
  readonly answerBody: string;
  readonly height: number | null;
  readonly actualCost: string | null;
}

const storeEnd = template(
  ["state", "answerStatus", "answerBody", "height", "actualCost", "id", "finishedAt", "updatedAt"],
  (ledger, { id, ...ending }) =>
    ledger
      .update(operations)
      .set(ending)
      .where(and(eq(operations.id, id), OPEN))
      .returning(),
);

/** Ends an open operation. The result has the row if this statement ended it. */
export const endOperation = (id: Uuid, ending: EndedState, now: Date): Statement =>
  storeEnd({
    ...ending,
    id: uuidToBytes(id),
    finishedAt: ending.state === "unknown" ? null : now.getTime(),
    updatedAt: now.getTime(),
  });

export type Subject = Pick<OperationRow, "integrationId" | "subjectId">;

/** Condition: an operation is open, and of a kind and a subject. */
export const openOf = ({ integrationId, subjectId }: Subject, kind: OperationKind): SQL | undefined =>
  and(
    eq(operations.integrationId, integrationId),
    eq(operations.subjectId, subjectId),
    eq(operations.kind, kind),
    OPEN,
  );

/** Condition: a subject has an open operation of a kind. */
export const hasOpenOperation = (
  { integrationId, subjectId }: Subject,
  kind: OperationKind,
): SQL => sql`EXISTS (
  SELECT 1 FROM operations WHERE integration_id = ${uuidToBytes(integrationId)}
  AND subject_id = ${uuidToBytes(subjectId)} AND kind = ${kind} AND ${OPEN})`;

/** Condition: an integration has a pending operation of one of these kinds. */
export const hasPending = (integrationId: Uuid, kinds: readonly OperationKind[]): SQL => sql`EXISTS (
  SELECT 1 FROM operations WHERE integration_id = ${uuidToBytes(integrationId)} AND ${OPEN}
  AND state = 'pending' AND ${inArray(operations.kind, kinds)})`;

/** The open operation of a kind on a subject; undefined if there is none. */
export const openOperationOf = (ledger: Ledger, subject: Subject, kind: OperationKind) =>
  ledger.select().from(operations).where(openOf(subject, kind)).get();

/** Condition: a subject's last operation of a kind began after `any`, or failed and began after `failed`. */
export const hadOperationSince = (
  subjectId: Uuid,
  kind: OperationKind,
  { any, failed }: { readonly any: Date; readonly failed: Date },
): SQL => sql`coalesce((
  SELECT created_at > CASE state WHEN 'failed' THEN ${failed.getTime()} ELSE ${any.getTime()} END
  FROM operations WHERE subject_id = ${uuidToBytes(subjectId)} AND kind = ${kind}
  ORDER BY id DESC LIMIT 1), 0)`;

/** Open operations in the order of acceptance, after a row number. */
export const openOperations = (ledger: Ledger, after: number, limit: number) =>
  ledger
    .select({ rowNumber: sql<number>`rowid`, id: operations.id, kind: operations.kind })
    .from(operations)
    .where(and(OPEN, sql`+rowid > ${after}`))
    .orderBy(sql`+rowid`)
    .limit(limit);

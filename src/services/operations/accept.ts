import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../db/queries/blobs.ts";
import { type LineageRow, lineage, lineageFrom } from "../../db/queries/lineage.ts";
import {
  findOperation,
  insertOperation,
  type NewOperation,
  type OperationRow,
  tieClaim,
} from "../../db/queries/operations.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid } from "../../domain/ids.ts";
import type { Answer, Caller, ServiceContext } from "../context.ts";
import { answerOf } from "./answers.ts";
import { drive } from "./drive.ts";
import type { AcceptedRow } from "./hand-over.ts";

/** How long an operation that was to be answered at once is worked on after its acceptance. Milliseconds. */
const NO_WAIT = 0;

/** Writing small effects may take a moment beyond the wait for the chain. Milliseconds. */
const GRACE_MS = 1_000;

interface Acceptance {
  readonly operation: Omit<NewOperation, "id" | "integrationId"> & { readonly id?: Uuid };
  /** What has to hold for it to be accepted, such as a draft that this batch has claimed. */
  readonly condition?: SQL;
  /** Writes of D1 before and after the operation's row, in its batch. */
  readonly before?: readonly Statement[];
  readonly after?: readonly Statement[];
}

/**
 * Accepts an operation and ties the request's Idempotency-Key to it, in one batch, so that a crash never loses the
 * link. Null where the condition doesn't hold.
 * @throws ServiceError idempotency_key_in_flight where another request has taken the key up meanwhile
 */
export const accept = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId" | "idempotencyKey">,
  { operation, condition, before = [], after = [] }: Acceptance,
): Promise<AcceptedRow | null> => {
  const { db } = context;
  const { integrationId, idempotencyKey } = caller;
  const accepted = { id: newUuid(), integrationId, ...operation };
  const insert = insertOperation(db, accepted, idempotencyKey, condition ?? sql`true`, context.now());
  checkpoint("operation.before_accept");
  const statements: Statement[] = [
    ...before,
    insert,
    ...(idempotencyKey === null ? [] : [tieClaim(db, integrationId, idempotencyKey, accepted.id)]),
    ...after,
    lineage(db, accepted, idempotencyKey),
  ];
  const row = await commit(context, statements, before.length, accepted.id);
  checkpoint("operation.accepted");
  if (row) {
    context.log("operation.accepted", { operation_uuid: row.id, kind: row.kind });
    return row;
  }
  if (condition) return null;
  throw claimTaken();
};

/** Runs the batch. Where its answer is lost, the operation's row tells whether it was committed. */
const commit = async (
  { db, log }: ServiceContext,
  statements: readonly Statement[],
  at: number,
  id: Uuid,
): Promise<AcceptedRow | undefined> => {
  try {
    const results = await db.batch(statements as [Statement, ...Statement[]]);
    const [row] = results[at] as OperationRow[];
    const [read] = results.at(-1) as LineageRow[];
    return row && read && { ...row, lineage: lineageFrom(read) };
  } catch (error) {
    const row = await findOperation(db, id).catch(() => undefined);
    if (!row) throw error;
    log("operation.acceptance_recovered", { operation_uuid: id, error: describe(error) });
    return row;
  }
};

/** Another request under the same key was accepted first. */
export const claimTaken = (): ServiceError =>
  new ServiceError(
    "idempotency_key_in_flight",
    "A request with this Idempotency-Key is being worked on. Wait and send the same request again.",
    { retryable: true, retryAfter: 2 },
  );

/**
 * Works on an accepted operation as long as the caller waits, and answers. Once it was accepted nothing that happens
 * here fails the request: the operation goes on without it.
 */
export const carryOut = async (
  context: ServiceContext,
  caller: Pick<Caller, "respondAsync">,
  row: AcceptedRow,
  fresh: boolean,
  prefix = "/api/v1",
): Promise<Answer> => {
  const work = (wait: number, isFresh: boolean, from: OperationRow) =>
    drive(context, from, context.now().getTime() + wait, isFresh).catch((error: unknown) => {
      context.log("operation.interrupted", { operation_uuid: row.id, error: describe(error) });
      return from;
    });
  if (!caller.respondAsync) {
    const wait = context.settings.SYNC_WAIT_MS;
    return answerOf(context, await inTime(context, work(wait, fresh, row), wait, row), prefix);
  }
  // Its first step is handed over before the answer, so that a wallet that refuses it is heard of at once.
  const current = await work(NO_WAIT, fresh, row);
  if (current.state === "pending") {
    context.waitUntil(work(context.settings.SYNC_WAIT_MS, false, current));
  }
  return answerOf(context, current, prefix);
};

/** What work comes to within a time, or the row as it was; the work goes on then. */
const inTime = async (
  context: ServiceContext,
  work: Promise<OperationRow>,
  milliseconds: number,
  row: OperationRow,
): Promise<OperationRow> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds + GRACE_MS);
  });
  const ended = await Promise.race([work, late]);
  clearTimeout(timer);
  if (ended !== null) return ended;
  context.waitUntil(work);
  return row;
};

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : "unknown";

/** Accepts an operation and carries it out. */
export const perform = async (
  context: ServiceContext,
  caller: Caller,
  operation: Omit<NewOperation, "id" | "integrationId">,
): Promise<Answer> => {
  const row = await accept(context, caller, { operation });
  if (!row) throw claimTaken();
  return carryOut(context, caller, row, true);
};

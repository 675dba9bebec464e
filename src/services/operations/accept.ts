import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../db/queries/blobs.ts";
import {
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

/** How long an operation that was to be answered at once is worked on after its acceptance. Milliseconds. */
const NO_WAIT = 0;

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
): Promise<OperationRow | null> => {
  const { db } = context;
  const { integrationId, idempotencyKey } = caller;
  const accepted = { id: newUuid(), integrationId, ...operation };
  const insert = insertOperation(db, accepted, idempotencyKey, condition ?? sql`true`, context.now());
  checkpoint("operation.before_accept");
  const results = await db.batch([
    ...before,
    insert,
    ...(idempotencyKey === null ? [] : [tieClaim(db, integrationId, idempotencyKey, accepted.id)]),
    ...after,
  ] as [Statement, ...Statement[]]);
  checkpoint("operation.accepted");
  const [row] = results[before.length] as OperationRow[];
  if (row) {
    context.log("operation.accepted", { operation_uuid: row.id, kind: row.kind });
    return row;
  }
  if (condition) return null;
  throw claimTaken();
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
  row: OperationRow,
  fresh: boolean,
  prefix = "/api/v1",
): Promise<Answer> => {
  const wait = caller.respondAsync ? NO_WAIT : context.settings.SYNC_WAIT_MS;
  let current = row;
  try {
    current = await drive(context, row, context.now().getTime() + wait, fresh);
  } catch (error) {
    context.log("operation.interrupted", { operation_uuid: row.id, error: describe(error) });
  }
  return answerOf(context, current, prefix);
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

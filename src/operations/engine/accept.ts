// operations/engine/: takes any operation from its acceptance to its answer, once, however often it is interrupted.

import { sql } from "drizzle-orm";
import type { Caller, ServiceContext } from "../../context.ts";
import { keepBlobs, reliesOnGone } from "../../db/queries/blobs.ts";
import { noteBrought } from "../../db/queries/collection-media.ts";
import { insertOperationKey, unlessTaken } from "../../db/queries/idempotency.ts";
import { type LineageRow, lineage, lineageFrom } from "../../db/queries/lineage.ts";
import {
  findOperation,
  insertOperation,
  type OperationRow,
  wasAccepted,
} from "../../db/queries/operations.ts";
import { hasRoom, mayWait, refuseAbove } from "../../db/queries/usage.ts";
import { type Statement, violatesConstraint } from "../../db/statements.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid } from "../../domain/ids.ts";
import { explained, refuseUsedUp } from "../../integrations/quota.ts";
import type { ConditionalProposal, Kind, Proposal } from "../kind.ts";
import { kindNamed } from "../registry.ts";
import type { AcceptedRow } from "./hand-over.ts";
import { perhapsAccepted } from "./in-doubt.ts";

/**
 * Accepts an operation and inserts the request's Idempotency-Key, in one batch, so that a crash never loses the
 * link. Null if the condition doesn't hold.
 * @throws ServiceError too_many_operations, quota_exceeded; idempotency_key_in_flight if another request has inserted
 * the key meanwhile; database_unavailable with the operation's uuid if the database doesn't tell whether it was accepted
 */
export const accept = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId" | "requestKey"> & Partial<Pick<Caller, "costLimit">>,
  {
    files = [],
    condition = sql`true`,
    after = [],
    known,
    ...operation
  }: Proposal & Partial<ConditionalProposal>,
): Promise<AcceptedRow | null> => {
  const { db } = context;
  const { integrationId, requestKey, costLimit } = caller;
  const accepted = { id: newUuid(), integrationId, costLimit, ...operation };
  const mayBegin = sql`${mayWait(integrationId)} AND ${hasRoom(integrationId)}`;
  const brought = { collectionId: operation.subjectId, operationId: accepted.id };
  const { accepted: facts } = kindNamed(operation.kind);
  checkpoint("operation.before_accept");
  const isAccepted = wasAccepted(accepted.id);
  const kept = keepBlobs(db, operation.subjectId, files, isAccepted);
  const statements: Statement[] = [
    insertOperation(db, accepted, sql`${mayBegin} AND ${condition}`, context.now()),
    ...kept,
    ...(kept.length > 0 ? [noteBrought(db, brought, files, isAccepted)] : []),
    ...(requestKey === null ? [] : insertOperationKey(db, requestKey, accepted.id)),
    ...after,
    ...(kept.length > 0 ? [refuseAbove(db, integrationId, "stored_bytes")] : []),
    lineage(db, accepted, requestKey?.key ?? null),
    ...(facts === null ? [] : [facts.read(db, accepted)]),
  ];
  const made = { id: accepted.id, facts };
  const row = await commit(context, statements, made).catch(async (error: unknown) => {
    if (reliesOnGone(error)) throw clearedAway(error);
    throw await explained(context, integrationId, unlessTaken(error));
  });
  checkpoint("operation.accepted");
  if (!row) {
    await refuseUsedUp(context, integrationId, ["operations_waiting", "database_bytes"]);
    return null;
  }
  context.log("operation.accepted", { operation_uuid: row.id, kind: row.kind });
  return { ...row, known: row.known ?? known };
};

/**
 * Runs the batch. If its answer is lost, the operation's row tells whether it was committed; if the row can't be read
 * or isn't there yet, the request may have had an effect.
 */
const commit = async (
  { db, log }: ServiceContext,
  statements: readonly Statement[],
  { id, facts }: { readonly id: Uuid; readonly facts: Kind["accepted"] },
): Promise<AcceptedRow | undefined> => {
  try {
    const results = await db.batch(statements as [Statement, ...Statement[]]);
    const [row] = results[0] as OperationRow[];
    const [read] = results.at(facts === null ? -1 : -2) as LineageRow[];
    if (!row || !read) return undefined;
    const known = facts?.facts(results.at(-1) as unknown[]);
    return { ...row, lineage: lineageFrom(read), known };
  } catch (error) {
    // The database rolls a batch back that breaks a constraint, and names the constraint.
    if (violatesConstraint(error)) throw error;
    const row = await findOperation(db, id).catch(() => undefined);
    if (!row) throw perhapsAccepted(id, error);
    log("operation.acceptance_recovered", { operation_uuid: id, error });
    return row;
  }
};

const clearedAway = (cause: unknown): ServiceError =>
  new ServiceError("asset_url_failed", "Send the request again: clean-up was deleting one of its files.", {
    outcome: "not_submitted",
    retryable: true,
    cause,
  });

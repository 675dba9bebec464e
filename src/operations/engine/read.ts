import { sql } from "drizzle-orm";
import type { AcceptedOperation, OperationCost, OperationResource } from "../../api/resources/operation.ts";
import type { ChainTransactionResult } from "../../chain/outcome.ts";
import type { Caller, EndpointResponse, ServiceContext } from "../../context.ts";
import { holds } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { madeAt } from "../../db/queries/archives.ts";
import { ledgersByOpen } from "../../db/queries/integrations.ts";
import {
  findOperationWhole,
  type TransactionResult,
  type WholeOperation,
} from "../../db/queries/operation-transactions.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import { withResults } from "../../domain/answer-results.ts";
import { ServiceError } from "../../domain/errors.ts";
import { failureBody } from "../../domain/failures.ts";
import type { Uuid } from "../../domain/ids.ts";
import { type KeyRights, requireReach } from "../../domain/key-rights.ts";
import { findArchived } from "../../files/archive/read.ts";
import { openText } from "../../files/storage/large-texts.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { walletFor } from "../registry.ts";
import { LOST, LOST_ANSWERED_MS } from "./in-doubt.ts";

/**
 * An operation as callers see it. Transactions of an ended operation are in its ledger, those of an open one in the journal.
 * @param known the results in the ledger
 */
export const toOperation = async (
  context: ServiceContext,
  operation: OperationRow,
  known: readonly TransactionResult[] = [],
): Promise<AcceptedOperation> => viewOf(operation, await resultsOf(context, operation, known));

/** An operation with its transactions' results. */
const viewOf = (
  operation: OperationRow,
  transactions: readonly ChainTransactionResult[],
): AcceptedOperation => ({
  operation_uuid: operation.id,
  kind: operation.kind,
  state: operation.state,
  subject_uuid: operation.subjectId,
  reference: operation.reference,
  created_at: operation.createdAt.toISOString(),
  updated_at: operation.updatedAt.toISOString(),
  finished_at: operation.finishedAt?.toISOString() ?? null,
  cost: costOf(operation),
  transactions: [...transactions],
});

const costOf = ({ quotedCost, mostCost, actualCost }: OperationRow): OperationCost => ({
  quoted: quotedCost,
  at_most: mostCost,
  actual: actualCost,
});

const resultsOf = async (
  context: ServiceContext,
  operation: OperationRow,
  known: readonly TransactionResult[],
): Promise<ChainTransactionResult[]> => {
  if (operation.state === "pending" || operation.state === "unknown") {
    const records = await recordsOf(context, operation);
    return records.flatMap(({ result }) => (result?.transaction_hash ? [result] : []));
  }
  return known.map(({ result }) => result as ChainTransactionResult);
};

/**
 * The wallet's records of an open operation. If the wallet can't be called now, the response still shows the operation
 * as pending.
 */
const recordsOf = async (
  context: ServiceContext,
  operation: OperationRow,
): Promise<readonly TransactionRecord[]> => {
  try {
    return await walletFor(context, operation).transactions(operation.id);
  } catch (error) {
    context.log("operation.wallet_unavailable", { operation_uuid: operation.id, error });
    return [];
  }
};

/** One operation of the caller. @throws ServiceError not_found, collection_not_allowed */
export const readOperation = async (
  context: ServiceContext,
  { integrationId, rights }: Pick<Caller, "integrationId" | "rights">,
  id: Uuid,
): Promise<EndpointResponse<OperationResource>> => {
  const found = await findOperationWhole(ledgerOf(context, integrationId), id);
  if (!found) return archivedResource(context, integrationId, id, rights);
  if (found.integrationId !== integrationId) throw missing();
  requireReach(rights, found.subjectId);
  return resource(context, found, await toOperation(context, found, found.results));
};

/**
 * One operation of any integration.
 * @param integrationId its owner; absent: it is looked for in the ledgers of all
 * @throws ServiceError not_found
 */
export const readOperationAsOperator = async (
  context: ServiceContext,
  id: Uuid,
  integrationId?: Uuid,
): Promise<EndpointResponse<OperationResource>> => {
  const found = await findAsOperator(context, id, integrationId);
  if (found) {
    return resource(context, found, await toOperation(context, found, found.results));
  }
  if (integrationId === undefined)
    throw missing(" Send its integration_uuid too: not all ledgers were asked, and no archive.");
  return archivedResource(context, integrationId, id);
};

/** Ledgers that are asked at once, and those without an open operation that are asked for one at most. */
const AT_ONCE = 20;
const MOST_IDLE = 500;

/**
 * An operation in a ledger; undefined: none that was asked has it.
 * @param integrationId whose it is; absent: the ledgers with open operations are asked, and some of the others
 * @throws ServiceError where it may be in a ledger that doesn't answer
 */
export const findAsOperator = async (
  context: ServiceContext,
  id: Uuid,
  integrationId?: Uuid,
): Promise<WholeOperation | undefined> => {
  if (integrationId !== undefined) return findOperationWhole(ledgerOf(context, integrationId), id);
  let failure: PromiseRejectedResult | undefined;
  for await (const some of ledgersByOpen(context.db, AT_ONCE, MOST_IDLE)) {
    const asked = await Promise.allSettled(
      some.map((integrationId) => findOperationWhole(ledgerOf(context, integrationId), id)),
    );
    for (const one of asked) {
      if (one.status === "rejected") failure = one;
      else if (one.value) return one.value;
    }
  }
  if (failure) throw failure.reason;
  return undefined;
};

/** One archived operation. @param rights those of the key that asks for it */
const archivedResource = async (
  context: ServiceContext,
  integrationId: Uuid,
  id: Uuid,
  rights: Pick<KeyRights, "collections"> = { collections: null },
): Promise<EndpointResponse<OperationResource>> => {
  const archived = await findArchived(context, integrationId, id);
  if (!archived) throw (await mayBeLost(context, integrationId, id)) ? lost(id) : missing();
  requireReach(rights, archived.row.subjectId);
  const results = archived.transactions.map(({ result }) => result as ChainTransactionResult);
  return resource(context, archived.row, viewOf(archived.row, results));
};

/** Whether an operation of this id, if there was one, is from the days before its ledger was lost or set back. */
const mayBeLost = async (context: ServiceContext, integrationId: Uuid, id: Uuid): Promise<boolean> => {
  const made = madeAt(id);
  const restored = sql`EXISTS (SELECT 1 FROM wallet WHERE restored_at BETWEEN ${made} AND ${made + LOST_ANSWERED_MS})`;
  return holds(ledgerOf(context, integrationId), restored);
};

const lost = (id: Uuid): ServiceError => {
  const { code, message, ...details } = LOST;
  return new ServiceError(code, message, { ...details, operationUuid: id });
};

const missing = (more = "") =>
  new ServiceError("not_found", `There is no such operation. Check its operation_uuid.${more}`);

const resource = async (
  context: ServiceContext,
  operation: OperationRow,
  view: AcceptedOperation,
): Promise<EndpointResponse<OperationResource>> => {
  const { answerBody, answerStatus: status } = operation;
  if (answerBody === null) return { status: 200, body: { ...view, answer: null } };
  const text = await openText(context.env.BUCKET, answerBody);
  if (typeof text === "string") {
    const stored = JSON.parse(text);
    const isFailure = operation.state === "failed";
    const body = isFailure ? failureBody(stored, operation.id) : withResults(stored, view.transactions);
    return { status: 200, body: { ...view, answer: { status: status ?? 200, body } } };
  }
  const head = JSON.stringify({ ...view, answer: { status } });
  return { status: 200, body: embed(`${head.slice(0, -2)},"body":`, text, "}}") };
};

/** Streams a long JSON text between two short ones. */
const embed = (
  before: string,
  stream: ReadableStream<Uint8Array>,
  after: string,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode(before)),
      flush: (controller) => controller.enqueue(encoder.encode(after)),
    }),
  );
};

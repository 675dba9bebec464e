import { findArchived } from "../../archive/read.ts";
import type { ChainTransactionResult } from "../../chain/outcome.ts";
import type { Answer, Caller, ServiceContext } from "../../context.ts";
import { findOperationWhole } from "../../db/queries/operation-transactions.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import { withResults } from "../../domain/answer-results.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { AcceptedOperation, OperationResource } from "../../resources/operation.ts";
import { openText } from "../../storage/large-texts.ts";
import { toOperation, viewOf } from "./view.ts";

/** One operation of the caller's. @throws ServiceError not_found */
export const readOperation = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  id: Uuid,
): Promise<Answer<OperationResource>> => {
  const { integrationId } = caller;
  const found = await findOperationWhole(context.db, id);
  if (!found) return archivedResource(context, integrationId, id);
  if (found.integrationId !== integrationId) throw missing();
  return resource(context, found, await toOperation(context, found, found.results));
};

/**
 * One operation of any integration.
 * @param integrationId whose it is; one that left the database some time after its end isn't found without it
 * @throws ServiceError not_found
 */
export const readOperationAsOperator = async (
  context: ServiceContext,
  id: Uuid,
  integrationId?: Uuid,
): Promise<Answer<OperationResource>> => {
  const found = await findOperationWhole(context.db, id);
  if (found) {
    return resource(context, found, await toOperation(context, found, found.results));
  }
  if (integrationId === undefined) throw missing(" If it ended long ago, give its integration_uuid too.");
  return archivedResource(context, integrationId, id);
};

/** One operation that left the database some time after its end. */
const archivedResource = async (
  context: ServiceContext,
  integrationId: Uuid,
  id: Uuid,
): Promise<Answer<OperationResource>> => {
  const archived = await findArchived(context, integrationId, id);
  if (!archived) throw missing();
  const results = archived.transactions.map(({ result }) => result as ChainTransactionResult);
  return resource(context, archived.row, viewOf(archived.row, results));
};

const missing = (more = "") =>
  new ServiceError("not_found", `There is no such operation. Check its operation_uuid.${more}`);

const resource = async (
  context: ServiceContext,
  operation: OperationRow,
  view: AcceptedOperation,
): Promise<Answer<OperationResource>> => {
  const { answerBody, answerStatus: status } = operation;
  if (answerBody === null) return { status: 200, body: { ...view, answer: null } };
  const text = await openText(context.env.BUCKET, answerBody);
  if (typeof text === "string") {
    const body = withResults(JSON.parse(text), view.transactions);
    return { status: 200, body: { ...view, answer: { status: status ?? 200, body } } };
  }
  const head = JSON.stringify({ ...view, answer: { status } });
  return { status: 200, body: embed(`${head.slice(0, -2)},"body":`, text, "}}") };
};

/** A long JSON text between two short ones, streamed. */
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

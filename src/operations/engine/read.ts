import type { Answer, Caller, ServiceContext } from "../../context.ts";
import { findOperationWhole } from "../../db/queries/operations.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { OperationResource } from "../../resources/operation.ts";
import { openText } from "../../storage/large-texts.ts";
import { toOperation } from "./view.ts";

/** One operation of the caller's. @throws ServiceError not_found */
export const readOperation = async (
  context: ServiceContext,
  caller: Pick<Caller, "integrationId">,
  id: Uuid,
): Promise<Answer<OperationResource>> => {
  const found = await findOperationWhole(context.db, id);
  if (found?.operation.integrationId !== caller.integrationId) throw missing();
  return resource(context, found);
};

/** One operation of any integration. @throws ServiceError not_found */
export const readOperationAsOperator = async (
  context: ServiceContext,
  id: Uuid,
): Promise<Answer<OperationResource>> => {
  const found = await findOperationWhole(context.db, id);
  if (!found) throw missing();
  return resource(context, found);
};

const missing = () => new ServiceError("not_found", "There is no such operation. Check its operation_uuid.");

const resource = async (
  context: ServiceContext,
  { operation, results }: NonNullable<Awaited<ReturnType<typeof findOperationWhole>>>,
): Promise<Answer<OperationResource>> => {
  const view = await toOperation(context, operation, results);
  const { answerBody, answerStatus: status } = operation;
  if (answerBody === null) return { status: 200, body: { ...view, answer: null } };
  const text = await openText(context.env.BUCKET, answerBody);
  if (typeof text === "string") {
    return {
      status: 200,
      body: { ...view, answer: { status: status ?? 200, body: JSON.parse(text) as unknown } },
    };
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

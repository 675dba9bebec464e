import type { Answer, ServiceContext } from "../../context.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import { type Failure, failureError } from "../../domain/failures.ts";
import { openText } from "../../storage/large-texts.ts";
import { toOperation } from "./view.ts";

/**
 * The answer to an operation's caller: its kind's answer, its failure, or that it is pending. Everybody who asks for
 * the same operation gets the same.
 * @throws ServiceError where the operation failed or can't be proven
 */
export const answerOf = async (context: ServiceContext, operation: OperationRow): Promise<Answer> => {
  const { id: operationUuid } = operation;
  if (operation.state === "pending" || operation.answerBody === null) {
    return { status: 202, body: await toOperation(context, operation), operationUuid };
  }
  if (operation.state !== "succeeded") {
    throw failureError(JSON.parse(operation.answerBody) as Failure, operationUuid);
  }
  const text = await openText(context.env.BUCKET, operation.answerBody);
  return {
    status: operation.answerStatus ?? 200,
    body: typeof text === "string" ? JSON.parse(text) : text,
    operationUuid,
  };
};

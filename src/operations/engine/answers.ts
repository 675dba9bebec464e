import type { Answer, ServiceContext } from "../../context.ts";
import { openText } from "../../db/large-texts.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import { type Failure, failureError } from "../../domain/failures.ts";
import { operationView } from "./view.ts";

/** Every answer of an operation says which one it was. */
const OPERATION_HEADER = "X-Operation-Uuid";

/**
 * What the caller of an operation is told: the answer of its kind, its failure, or that work goes on. Everybody who
 * asks for the same operation is told the same.
 * @param prefix of the operation's address: `/api/v1` or `/admin/v1`
 * @throws ServiceError where the operation failed or can't be proven
 */
export const answerOf = async (
  context: ServiceContext,
  operation: OperationRow,
  prefix: string,
): Promise<Answer> => {
  if (operation.state === "pending" || operation.answerBody === null) {
    return {
      status: 202,
      body: await operationView(context, operation),
      headers: { Location: `${prefix}/operation/${operation.id}`, [OPERATION_HEADER]: operation.id },
    };
  }
  if (operation.state !== "succeeded") {
    throw failureError(JSON.parse(operation.answerBody) as Failure, operation.id);
  }
  const text = await openText(context.env.BUCKET, operation.answerBody);
  return {
    status: operation.answerStatus ?? 200,
    body: typeof text === "string" ? JSON.parse(text) : text,
    headers: { [OPERATION_HEADER]: operation.id },
  };
};

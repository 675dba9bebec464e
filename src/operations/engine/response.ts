import type { EndpointResponse, ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { resultsOfOperation } from "../../db/queries/operation-transactions.ts";
import { withResults } from "../../domain/answer-results.ts";
import { type Failure, failureError } from "../../domain/failures.ts";
import { openText } from "../../files/storage/large-texts.ts";
import type { RowWithResults } from "../../wallet/interface.ts";
import { toOperation } from "./read.ts";

/**
 * The response to an operation's caller: its kind's body, its failure, or that it is pending. Every request for the
 * operation gets the same.
 * @throws ServiceError if the operation failed or can't be proven
 */
export const responseOf = async (
  context: ServiceContext,
  operation: RowWithResults,
): Promise<EndpointResponse> => {
  const { id: operationUuid } = operation;
  if (operation.state === "pending" || operation.answerBody === null) {
    return { status: 202, body: await toOperation(context, operation), operationUuid };
  }
  if (operation.state !== "succeeded") {
    throw failureError(JSON.parse(operation.answerBody) as Failure, operationUuid);
  }
  const text = await openText(context.env.BUCKET, operation.answerBody);
  const status = operation.answerStatus ?? 200;
  if (typeof text !== "string") return { status, body: text, operationUuid };
  const ledger = ledgerOf(context, operation.integrationId);
  const results = operation.results ?? (await resultsOfOperation(ledger, operationUuid));
  const body = withResults(
    JSON.parse(text),
    results.map(({ result }) => result),
  );
  return { status, body, operationUuid };
};

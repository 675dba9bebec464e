import type { ChainTransactionResult } from "../../chain/outcome.ts";
import type { ServiceContext } from "../../context.ts";
import type { TransactionResult } from "../../db/queries/operation-transactions.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import type { AcceptedOperation, OperationCost } from "../../resources/operation.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { walletFor } from "../registry.ts";

/**
 * An operation as callers see it. Transactions of one that is over are in D1, of an open one in its wallet.
 * @param known what D1 has of one that is over
 */
export const toOperation = async (
  context: ServiceContext,
  operation: OperationRow,
  known: readonly TransactionResult[] = [],
): Promise<AcceptedOperation> => viewOf(operation, await resultsOf(context, operation, known));

/** An operation with its transactions' results. */
export const viewOf = (
  operation: OperationRow,
  transactions: readonly ChainTransactionResult[],
): AcceptedOperation => ({
  operation_uuid: operation.id,
  kind: operation.kind,
  state: operation.state,
  subject_uuid: operation.subjectId,
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
 * What the wallet has of an open operation. If it can't be asked now, the answer still says that the operation is
 * pending.
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

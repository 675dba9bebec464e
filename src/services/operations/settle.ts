import { findOperation, type OperationRow } from "../../db/queries/operations.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Failure } from "../../domain/failures.ts";
import type { Uuid } from "../../domain/ids.ts";
import type { Answer, ServiceContext } from "../context.ts";
import { endingOf, fail } from "./endings.ts";
import type { Operation } from "./kind.ts";
import { readOperationAsOperator } from "./read.ts";
import { rulesOf, walletFor } from "./registry.ts";

const NO_EFFECT: Failure = {
  code: "transaction_failed",
  message: "The operator has settled it: it had no effect and never will. Send it again as a new request.",
  outcome: "failed_on_chain",
  retryable: true,
};

const HAD_EFFECT: Failure = {
  code: "conflict",
  message: "The operator has settled it: it had its effect. Read the collection's NFTs; don't send it again.",
  outcome: "final",
  retryable: false,
};

/**
 * Ends an operation whose outcome the nodes can't prove as the operator says, who has looked at the chain. Nothing
 * more of it is sent from then on.
 * @param hadEffect only for mints: everything else may be done again without harm, and is then known to be done
 * @throws ServiceError not_found, conflict where it is in another state, or of another kind
 */
export const settleOperation = async (
  context: ServiceContext,
  id: Uuid,
  hadEffect: boolean,
): Promise<Answer> => {
  const row = await findOperation(context.db, id);
  if (!row) throw new ServiceError("not_found", "There is no such operation. Check its operation_uuid.");
  requireUnknown(row);
  if (hadEffect && row.kind !== "mint") {
    throw new ServiceError(
      "conflict",
      `Settle it as without effect, and have it done again: a ${row.kind} does no harm when it is repeated.`,
    );
  }
  const wallet = walletFor(context, row);
  const records = await wallet.transactions(id);
  if (!(await wallet.withdraw(id, records.length, true))) {
    throw new ServiceError("conflict", "The wallet is at work on this operation again. Read it, and wait.");
  }
  const rules = rulesOf(row.kind);
  const statements = hadEffect ? [] : (rules.onFailure?.(context, row as Operation<unknown>, records) ?? []);
  const failure = hadEffect ? HAD_EFFECT : NO_EFFECT;
  const ended = await fail(context, row, { failure, statements, records });
  await wallet.acknowledge(id, endingOf(ended));
  context.log("operation.settled", { operation_uuid: id, kind: row.kind, had_effect: hadEffect });
  return readOperationAsOperator(context, id);
};

const requireUnknown = ({ state }: OperationRow): void => {
  if (state === "unknown") return;
  throw new ServiceError(
    "conflict",
    `Only an operation in the state \`unknown\` is to be settled; this one is ${state}.`,
  );
};

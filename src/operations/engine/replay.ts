import { findArchived } from "../../archive/read.ts";
import type { Answer, Caller, ServiceContext } from "../../context.ts";
import { findOperationWhole } from "../../db/queries/operation-transactions.ts";
import type { Uuid } from "../../domain/ids.ts";
import { answerOf } from "./answers.ts";
import { joinOperation } from "./run.ts";

/** Answers a request that was sent again, from the operation that its Idempotency-Key leads to. @throws ServiceError */
export const replayOperation = async (context: ServiceContext, caller: Caller, id: Uuid): Promise<Answer> => {
  const found = await findOperationWhole(context.db, id);
  if (found?.state === "pending") return joinOperation(context, caller, found);
  if (found) return answerOf(context, found);
  const archived = await findArchived(context, caller.integrationId, id);
  if (!archived) throw new Error(`a key leads to operation ${id}, which has no row`);
  return answerOf(context, { ...archived.row, results: archived.transactions });
};

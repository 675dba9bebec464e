import { findArchived } from "../../archive/read.ts";
import type { Answer, Caller, ServiceContext } from "../../context.ts";
import { findOperation } from "../../db/queries/operations.ts";
import type { Uuid } from "../../domain/ids.ts";
import { answerOf } from "./answers.ts";
import { joinOperation } from "./run.ts";

/** Answers a request that was sent again, from the operation that its Idempotency-Key leads to. @throws ServiceError */
export const replayOperation = async (context: ServiceContext, caller: Caller, id: Uuid): Promise<Answer> => {
  const row =
    (await findOperation(context.db, id)) ?? (await findArchived(context, caller.integrationId, id))?.row;
  if (!row) throw new Error(`a key leads to operation ${id}, which has no row`);
  return row.state === "pending" ? joinOperation(context, caller, row) : answerOf(context, row);
};

import type { Context } from "hono";
import type { OperationKind } from "../domain/operations.ts";
import type { Answered } from "../http/answered.ts";
import type { AppEnv } from "../http/app-env.ts";
import { runOperation } from "../operations/engine/run.ts";
import type { GuardedProposal, KindAnswers, Proposal } from "../operations/kind.ts";
import { reply } from "./endpoint.ts";

/** Runs an operation for the caller, and gives its answer back. @throws ServiceError */
export const run = async <K extends OperationKind>(
  c: Context<AppEnv>,
  proposal: Proposal<K> | GuardedProposal<K>,
): Promise<Answered<KindAnswers[K], never>> =>
  reply(c, await runOperation(c.get("context"), c.get("caller"), proposal));

import type { ReplayOperation } from "../http/idempotency/idempotency.ts";
import { replayOperation } from "../operations/engine/replay.ts";
import { reply } from "./endpoint.ts";

/** How a request is answered whose Idempotency-Key leads to an operation. */
export const replayedOperation: ReplayOperation = async (c, id) =>
  reply(c, await replayOperation(c.get("context"), c.get("caller"), id));

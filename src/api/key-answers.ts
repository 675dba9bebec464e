import type { KeyAnswers } from "../http/idempotency.ts";
import { noRoom } from "../integrations/quota.ts";
import { replayOperation } from "../operations/engine/replay.ts";
import { reply } from "./endpoint.ts";

/** What the use cases say of an Idempotency-Key. */
export const keyAnswers: KeyAnswers = {
  operation: async (c, id) => reply(c, await replayOperation(c.get("context"), c.get("caller"), id)),
  full: (c) => noRoom(c.get("context"), c.get("caller").integrationId),
};

import { sql } from "drizzle-orm";
import { hasLock } from "../db/queries/collection-effects.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Issue } from "../domain/issues.ts";
import { type LockRecord, lockedError } from "../domain/locks.ts";
import type { Proposal } from "./kind.ts";

/** Refuses a write that each of these locks forbids whatever it changes, by those that the database knows at its acceptance. */
export const unlessLocked = (
  collectionUuid: Uuid,
  locks: readonly (keyof LockRecord)[],
  message: string,
  issues?: readonly Issue[],
): Required<Pick<Proposal, "condition" | "refusal">> => ({
  condition: sql`NOT ${hasLock(collectionUuid, locks)}`,
  refusal: async () => lockedError(message, issues),
});

import { sql } from "drizzle-orm";
import type { ServiceContext } from "../context.ts";
import { holds } from "../db/client.ts";
import { ledgerOf } from "../db/ledger.ts";
import { hasLock } from "../db/queries/collection-effects.ts";
import type { Uuid } from "../domain/ids.ts";
import type { Issue } from "../domain/issues.ts";
import { type LockRecord, lockedError } from "../domain/locks.ts";
import type { Proposal } from "./kind.ts";

/** Refuses a write that each of these locks forbids whatever it changes, by those that the ledger knows at its acceptance. */
export const unlessLocked = (
  context: ServiceContext,
  { id, integrationId }: { readonly id: Uuid; readonly integrationId: Uuid },
  locks: readonly (keyof LockRecord)[],
  { message, issues }: { readonly message: string; readonly issues?: readonly Issue[] },
): Required<Pick<Proposal, "condition" | "refusal">> => {
  const isLocked = hasLock(id, locks);
  return {
    condition: sql`NOT ${isLocked}`,
    // The acceptance also depends on limits, which may have had no room a moment ago.
    refusal: async () =>
      (await holds(ledgerOf(context, integrationId), isLocked)) ? lockedError(message, issues) : null,
  };
};

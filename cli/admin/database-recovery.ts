import type { AdminClient } from "../../client/src/admin.ts";
import type { Recovery } from "../../client/src/index.ts";
import { table } from "../table.ts";

/** What only the database knew, and what the operator does about it: the table of docs/running.md, "Rolling the database back". */
export const LOST_WITH_DATABASE: readonly (readonly [lost: string, remedy: string])[] = [
  ["keys issued since that moment", "requests with them get 401; issue new ones"],
  ["revocations of keys since then: those keys are valid again", "revoke them again"],
  [
    "integrations suspended, renamed or deleted since",
    "they are back in their earlier state: suspend, rename or delete them again",
  ],
  [
    "contracts adopted since then, unless they have collections",
    "adopt them again; they get a new contract_uuid",
  ],
  [
    "changes of drafts that are not finalized, and their files",
    "they are back in their earlier state, or gone; notify their owners",
  ],
  ["the responses to writes that don't touch the chain", "a retried upload or draft runs again"],
  ["Idempotency-Keys that joined a finalization in progress", "nothing: a retry gets 409 draft_finalized"],
  ["webhooks created, changed or deleted since", "they are back in their earlier state; notify their owners"],
  ["payout accounts and limits set since", "set them again"],
  ["pages for collectors changed since", "they are back in their earlier state; set them up again"],
  [
    "counts and settings that collectors and admins changed from wallets",
    "nothing: the scheduled job reads them from the chain",
  ],
];

/** What a recovery leaves to the operator. */
export const lostText = (): string => {
  const rows = LOST_WITH_DATABASE.map(([lost, remedy]) => ({
    "lost with the database": lost,
    "what to do": remedy,
  }));
  return `No journal records the following. Repair it by hand:\n${table(rows)}`;
};

/** Each call does a bounded part: repeated until all is done. */
export async function recoverAll(admin: AdminClient): Promise<Omit<Recovery, "next">> {
  const { next, ...total } = await admin.database.recover(null);
  for (let cursor = next; cursor !== null; ) {
    const { next: after, unrestored, ...counts } = await admin.database.recover(cursor);
    cursor = after;
    total.unrestored.push(...unrestored);
    for (const [name, count] of Object.entries(counts)) total[name as keyof typeof counts] += count;
  }
  return total;
}

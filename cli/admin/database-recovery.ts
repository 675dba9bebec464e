import type { AdminClient } from "../../client/src/admin.ts";
import type { Recovery } from "../../client/src/index.ts";
import { table } from "../table.ts";

/** What only the database knew, and what the operator does about it: the table of docs/running.md, "Rolling the database back". */
export const LOST_WITH_DATABASE: readonly (readonly [lost: string, remedy: string])[] = [
  ["keys issued since that moment", "their holders are answered 401; issue new ones"],
  ["revocations of keys since then: those keys are valid again", "revoke them again"],
  [
    "integrations suspended, renamed or deleted since",
    "they are as they were then: suspend and delete them again",
  ],
  [
    "contracts adopted since then, unless they have collections",
    "adopt them again; they get another contract_uuid",
  ],
  [
    "changes of drafts that are not finalized, and their files",
    "they are as they were then, or gone; tell their owners",
  ],
  ["the answers to writes that don't touch the chain", "a repeated upload or draft is carried out again"],
  [
    "Idempotency-Keys that joined a finalization in progress",
    "nothing: a repetition is answered 409 draft_finalized",
  ],
  ["webhooks made, changed or deleted since", "they are as they were then; tell their owners"],
  ["payout accounts and limits set since", "set them again"],
  ["pages for collectors changed since", "they are as they were then; set them up again"],
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
  return `No journal has the following; see to it yourself:\n${table(rows)}`;
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

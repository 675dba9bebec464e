import { sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import type { ConditionalProposal, Proposal } from "../kind.ts";

/** What a request would have had accepted, if it weren't there for a quote. Thrown through the request's own code. */
export class Planned extends Error {
  override readonly name = "Planned";
  readonly proposal: Proposal;

  constructor(proposal: Proposal) {
    super("the request was only to be planned");
    this.proposal = proposal;
  }
}

/** Whether a proposal would be accepted now. */
export const isAcceptable = async (
  { db }: ServiceContext,
  { condition }: Partial<ConditionalProposal>,
): Promise<boolean> => {
  if (condition === undefined) return true;
  const row = await db.get<{ holds: number }>(sql`SELECT ${condition} AS holds`);
  return row.holds === 1;
};

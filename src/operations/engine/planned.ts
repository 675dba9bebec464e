import { sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { contractsAbout } from "../../db/queries/contracts.ts";
import { requestOf } from "../../db/queries/operations.ts";
import type { ConditionalProposal, Proposal } from "../kind.ts";

/** A write that would be accepted, as it is planned. */
export interface PlannedWrite {
  /** With all of its request. */
  readonly proposal: Proposal;
  /** How many contracts the service has made, about. */
  readonly contracts: number;
}

/** What a request would have had accepted, if it weren't there for a quote. Thrown through the request's own code. */
export class Planned extends Error {
  override readonly name = "Planned";
  readonly write: PlannedWrite;

  constructor(write: PlannedWrite) {
    super("the request was only to be planned");
    this.write = write;
  }
}

/** Reads at once what a proposal's plan depends on; null: it would not be accepted now. */
export const plannedWrite = async (
  { db }: ServiceContext,
  proposal: Proposal & Partial<ConditionalProposal>,
): Promise<PlannedWrite | null> => {
  const { condition = sql`true` } = proposal;
  const row = await db.get<{ holds: number; contracts: number | null; request: string }>(
    sql`SELECT ${condition} AS holds, ${contractsAbout} AS contracts, ${requestOf(proposal)} AS request`,
  );
  if (row.holds !== 1) return null;
  return { proposal: { ...proposal, request: JSON.parse(row.request) }, contracts: row.contracts ?? 0 };
};

import { and, asc, desc, eq, gte, isNotNull, isNull, sql } from "drizzle-orm";
import { type Uuid, uuidAt } from "../../domain/ids.ts";
import type { Series, SlotCount } from "../../domain/overview.ts";
import type { Database } from "../client.ts";
import { collections, contracts, integrations, operations, webhooks } from "../schema/index.ts";

/** Operations that were accepted in a series' slots. Ids sort by when they were made. */
export const countSlots = (db: Database, { since, width }: Series): Promise<SlotCount[]> => {
  // Parameters are floating-point numbers to D1.
  const slot = sql<number>`CAST((${operations.createdAt} - ${since}) / ${width} AS INTEGER)`;
  const inState = (state: string) => sql<number>`sum(${operations.state} = ${state})`;
  return db
    .select({
      slot,
      accepted: sql<number>`count(*)`,
      succeeded: inState("succeeded"),
      failed: inState("failed"),
      took: sql<number>`coalesce(sum(CASE WHEN ${operations.state} = 'succeeded'
        THEN ${operations.finishedAt} - ${operations.createdAt} END), 0)`,
    })
    .from(operations)
    .where(and(gte(operations.id, uuidAt(new Date(since))), gte(operations.createdAt, new Date(since))))
    .groupBy(slot)
    .orderBy(asc(slot))
    .all();
};

/** Tokens that the API has minted since a moment, by contract. */
export const mintedByContract = async (db: Database, since: Date): Promise<ReadonlyMap<Uuid, number>> => {
  const tokens = sql<number>`sum(json_array_length(${operations.request}, '$.receivers')
    * json_extract(${operations.request}, '$.quantity'))`;
  const rows = await db
    .select({ contractId: collections.contractId, tokens })
    .from(operations)
    .innerJoin(collections, eq(collections.id, operations.subjectId))
    .where(
      and(
        gte(operations.id, uuidAt(since)),
        sql`${operations.kind} = 'mint'`,
        eq(operations.state, "succeeded"),
      ),
    )
    .groupBy(collections.contractId)
    .all();
  return new Map(rows.map(({ contractId, tokens }) => [contractId, tokens]));
};

/** The newest contracts of all integrations that are ready. */
export const newestContracts = (db: Database, limit: number) =>
  db
    .select({ id: contracts.id, integrationId: contracts.integrationId, accountId: contracts.accountId })
    .from(contracts)
    .where(eq(contracts.state, "ready"))
    .orderBy(desc(contracts.id))
    .limit(limit)
    .all();

/** Webhooks that are enabled, or that the service has disabled, the newest first. */
export const newestWebhooks = (db: Database, state: "enabled" | "disabled", limit: number) =>
  db
    .select({
      id: webhooks.id,
      integrationId: webhooks.integrationId,
      url: webhooks.url,
      disabledReason: webhooks.disabledReason,
    })
    .from(webhooks)
    .where(
      state === "enabled"
        ? sql`state = 'enabled'`
        : and(isNotNull(webhooks.disabledReason), eq(webhooks.state, state)),
    )
    .orderBy(desc(webhooks.id))
    .limit(limit)
    .all();

/** Bytes of files that assets and collections refer to, of all integrations. */
export const storedBytes = async (db: Database): Promise<number> => {
  const row = await db
    .select({ bytes: sql<number | null>`sum(${integrations.storedBytes})` })
    .from(integrations)
    .where(isNull(integrations.deletedAt))
    .get();
  return row?.bytes ?? 0;
};

import { and, desc, eq, lt } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { contracts } from "../schema/index.ts";

/** A row of an integration's contracts. */
export type ContractRow = typeof contracts.$inferSelect;

/** A contract of an integration; undefined where there is none. */
export const findContract = (db: Database, integrationId: Uuid, id: Uuid): Promise<ContractRow | undefined> =>
  db
    .select()
    .from(contracts)
    .where(and(eq(contracts.id, id), eq(contracts.integrationId, integrationId)))
    .get();

/** An integration's newest contracts that are ready. */
export const readyContracts = (db: Database, integrationId: Uuid, limit: number): Promise<ContractRow[]> =>
  db
    .select()
    .from(contracts)
    .where(and(eq(contracts.integrationId, integrationId), eq(contracts.state, "ready")))
    .orderBy(desc(contracts.id))
    .limit(limit)
    .all();

/** An integration's contracts, newest first, behind the one with the id `after`. */
export const listContracts = (
  db: Database,
  integrationId: Uuid,
  after: Uuid | null,
  limit: number,
): Promise<ContractRow[]> =>
  db
    .select()
    .from(contracts)
    .where(and(eq(contracts.integrationId, integrationId), after ? lt(contracts.id, after) : undefined))
    .orderBy(desc(contracts.id))
    .limit(limit)
    .all();

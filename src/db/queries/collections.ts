import { and, desc, eq, lt } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { collections, contracts } from "../schema/index.ts";

/** A collection with the account of the contract that holds it. */
export interface CollectionRow {
  readonly collection: typeof collections.$inferSelect;
  readonly contractAccountId: string;
}

const select = (db: Database) =>
  db
    .select({ collection: collections, contractAccountId: contracts.accountId })
    .from(collections)
    .innerJoin(contracts, eq(contracts.id, collections.contractId));

/** A collection of an integration; undefined where there is none. */
export const findCollection = (
  db: Database,
  integrationId: Uuid,
  id: Uuid,
): Promise<CollectionRow | undefined> =>
  select(db)
    .where(and(eq(collections.id, id), eq(collections.integrationId, integrationId)))
    .get();

/** Collections of an integration, newest first, behind the one with the id `after`. */
export const listCollections = (
  db: Database,
  integrationId: Uuid,
  after: Uuid | null,
  limit: number,
): Promise<CollectionRow[]> =>
  select(db)
    .where(and(eq(collections.integrationId, integrationId), after ? lt(collections.id, after) : undefined))
    .orderBy(desc(collections.id))
    .limit(limit)
    .all();

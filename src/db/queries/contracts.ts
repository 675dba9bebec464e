import { and, desc, eq } from "drizzle-orm";
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

/** An integration's contracts, newest first. */
export const listContracts = (db: Database, integrationId: Uuid): Promise<ContractRow[]> =>
  db
    .select()
    .from(contracts)
    .where(eq(contracts.integrationId, integrationId))
    .orderBy(desc(contracts.id))
    .all();

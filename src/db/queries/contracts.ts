import { and, desc, eq, lt } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { contracts } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { isOpen } from "./operations.ts";

/** A row of an integration's contracts. */
export type ContractRow = typeof contracts.$inferSelect;

/** A contract of an integration; undefined if there is none. */
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
export const listContracts = (db: Database, integrationId: Uuid, after: Uuid | null, limit: number) =>
  db
    .select()
    .from(contracts)
    .where(and(eq(contracts.integrationId, integrationId), after ? lt(contracts.id, after) : undefined))
    .orderBy(desc(contracts.id))
    .limit(limit)
    .all();

/** A contract of any integration; undefined if there is none. */
export const findAnyContract = (db: Database, id: Uuid): Promise<ContractRow | undefined> =>
  db.select().from(contracts).where(eq(contracts.id, id)).get();

/** The contract of an account; undefined where the service has none there. */
export const findContractOf = (db: Database, accountId: string): Promise<ContractRow | undefined> =>
  db.select().from(contracts).where(eq(contracts.accountId, accountId)).get();

/** Contracts of all integrations, newest first, behind the one with the id `after`. */
export const listAllContracts = (db: Database, after: Uuid | null, limit: number): Promise<ContractRow[]> =>
  db
    .select()
    .from(contracts)
    .where(after ? lt(contracts.id, after) : undefined)
    .orderBy(desc(contracts.id))
    .limit(limit)
    .all();

/** A contract runs other code from now on. */
export const setContractCode = (
  db: Database,
  id: Uuid,
  codeHash: Uint8Array,
  { operationId, now }: { readonly operationId: Uuid; readonly now: Date },
): Statement =>
  db
    .update(contracts)
    .set({ codeHash, updatedAt: now })
    .where(and(eq(contracts.id, id), isOpen(operationId)));

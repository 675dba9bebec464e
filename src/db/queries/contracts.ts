import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { collections, contracts } from "../schema/index.ts";
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

/** Condition: a contract belongs to the integration and is ready. */
export const isReady = (integrationId: Uuid, id: Uuid): SQL => sql`EXISTS (
  SELECT 1 FROM contracts WHERE id = ${uuidToBytes(id)} AND integration_id = ${uuidToBytes(integrationId)}
  AND state = 'ready')`;

/** A contract of any integration; undefined if there is none. */
export const findAnyContract = (db: Database, id: Uuid): Promise<ContractRow | undefined> =>
  db.select().from(contracts).where(eq(contracts.id, id)).get();

/** The contract of an account; undefined if the service has none there. */
export const findContractOf = (db: Database, accountId: string): Promise<ContractRow | undefined> =>
  db.select().from(contracts).where(eq(contracts.accountId, accountId)).get();

/** Contracts of one integration or of all, or the one of an account, newest first, after the id `after`. */
export const listContracts = (
  db: Database,
  { integrationId, accountId }: { readonly integrationId?: Uuid; readonly accountId?: string | undefined },
  after: Uuid | null,
  limit: number,
): Promise<ContractRow[]> =>
  db
    .select()
    .from(contracts)
    .where(
      and(
        integrationId && eq(contracts.integrationId, integrationId),
        accountId === undefined ? undefined : eq(contracts.accountId, accountId),
        after ? lt(contracts.id, after) : undefined,
      ),
    )
    .orderBy(desc(contracts.id))
    .limit(limit)
    .all();

/** Condition: a contract's wallet has lost its role in the contract. */
export const isLeft = (accountId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM contracts WHERE account_id = ${accountId} AND left_at IS NOT NULL)`;

/** Records whether a contract's wallet has a role in it. @param leftAt null: it has */
export const setContractLeft = (
  db: Database,
  accountId: string,
  leftAt: Date | null,
  operationId: Uuid,
): Statement =>
  db
    .update(contracts)
    .set({ leftAt })
    .where(and(eq(contracts.accountId, accountId), isOpen(operationId)));

/** Forgets the known earnings of a contract's collections, which belonged to another owner. */
export const forgetEarned = (db: Database, accountId: string, operationId: Uuid): Statement =>
  db
    .update(collections)
    .set({ earned: null })
    .where(
      and(
        sql`${collections.contractId} = (SELECT id FROM contracts WHERE account_id = ${accountId})`,
        isOpen(operationId),
      ),
    );

/** Records the code that a contract runs. */
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

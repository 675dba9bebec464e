import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { collections, contracts } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { isOpen, wasAccepted } from "./operations.ts";

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
    .limit(limit);

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

const forget = (db: Database, accountIds: readonly string[], where: SQL): Statement =>
  db
    .update(collections)
    .set({ earned: null, earnedOwn: false })
    .where(
      and(
        sql`${collections.contractId} IN (
          SELECT id FROM contracts WHERE account_id IN (SELECT value FROM json_each(${JSON.stringify(accountIds)})))`,
        where,
      ),
    );

/**
 * Forgets the known earnings of contracts, in the batch that accepts an operation: what they show at the next reading is
 * not the wallet's.
 */
export const forgetEarned = (db: Database, accountIds: readonly string[], operationId: Uuid): Statement =>
  forget(db, accountIds, wasAccepted(operationId));

/** The same for a restored operation. */
export const forgetEarnedAgain = async (db: Database, accountIds: readonly string[]): Promise<void> => {
  await forget(db, accountIds, sql`true`);
};

/** Records the code that is announced for a contract. */
export const setCodeState = async (
  db: Database,
  id: Uuid,
  codeState: ContractRow["codeState"],
): Promise<void> => {
  await db.update(contracts).set({ codeState }).where(eq(contracts.id, id));
};

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

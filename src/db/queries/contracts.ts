import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import type { Ledger } from "../ledger.ts";
import { contracts } from "../schema/index.ts";
import { collections, leftContracts } from "../schema/ledger.ts";
import type { Statement } from "../statements.ts";
import { wasAccepted } from "./operations.ts";

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
  sql`EXISTS (SELECT 1 FROM left_contracts WHERE account_id = ${accountId})`;

/** Records whether a contract's wallet has a role in it. @param leftAt null: it has */
export const setContractLeft = (ledger: Ledger, accountId: string, leftAt: Date | null): Statement =>
  leftAt === null
    ? ledger.delete(leftContracts).where(eq(leftContracts.accountId, accountId))
    : ledger.insert(leftContracts).values({ accountId, leftAt }).onConflictDoNothing();

/** The same in D1, for the operator's lists. */
export const indexContractLeft = (db: Database, accountId: string, leftAt: Date | null): Statement =>
  db.update(contracts).set({ leftAt }).where(eq(contracts.accountId, accountId));

/**
 * Forgets the known earnings of contracts, in the batch that accepts an operation: what they show at the next reading is
 * not the wallet's.
 */
export const forgetEarned = (ledger: Ledger, accountIds: readonly string[], operationId: Uuid): Statement =>
  ledger
    .update(collections)
    .set({ earned: null, earnedOwn: false })
    .where(
      and(
        sql`contract_account_id IN (SELECT value FROM json_each(${JSON.stringify(accountIds)}))`,
        wasAccepted(operationId),
      ),
    );

/** Records the code that is announced for a contract. */
export const setCodeState = async (
  db: Database,
  id: Uuid,
  codeState: ContractRow["codeState"],
): Promise<void> => {
  await db.update(contracts).set({ codeState }).where(eq(contracts.id, id));
};

/** Records the code that a contract runs. */
export const setContractCode = (db: Database, id: Uuid, codeHash: Uint8Array, now: Date): Statement =>
  db.update(contracts).set({ codeHash, updatedAt: now }).where(eq(contracts.id, id));

import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  type ContractCollection,
  contractViews,
  isPublishedAs,
  mayHaveMore,
} from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import { connect } from "../chain/rpc.ts";
import type { ServiceContext } from "../context.ts";
import { type Database, runBatch } from "../db/client.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import { isOpen, OPEN, type OperationRow } from "../db/queries/operations.ts";
import { collections, contracts, integrations } from "../db/schema/index.ts";
import { type Uuid, uuidToBytes } from "../domain/ids.ts";
import { PAYOUT } from "../domain/operations.ts";

/** yoctoNEAR of a nanoNEAR, the unit in which unpaid sales are counted. */
export const NANO = 10n ** 15n;

/** The sales that pending payouts take from an integration, in nanoNEAR. */
const pendingSales = (id: Uuid): SQL => sql`(
  SELECT coalesce(sum(CAST(json_extract(request, '$.sales') AS INTEGER)), 0) FROM operations
  WHERE integration_id = ${uuidToBytes(id)} AND kind = ${PAYOUT} AND ${OPEN})`;

/** An integration's sales that no payout has taken, as of the last reading of the contracts; nanoNEAR. */
export const untakenSales = (id: Uuid): SQL => sql`max(0,
  (SELECT unpaid_sales FROM integrations WHERE id = ${uuidToBytes(id)}) - ${pendingSales(id)})`;

/** An integration's sales that no payout has taken, at most `most`; both in nanoNEAR. */
export const salesUpTo = (id: Uuid, most: bigint): SQL =>
  sql`max(0, min(CAST(${most.toString()} AS INTEGER), ${untakenSales(id)}))`;

/** Deducts the sales that an operation paid out, while it is open. @param sales nanoNEAR */
export const takeSales = (
  db: Database,
  { id, integrationId }: Pick<OperationRow, "id" | "integrationId">,
  sales: string,
) =>
  db
    .update(integrations)
    .set({ unpaidSales: sql`unpaid_sales - CAST(${sales} AS INTEGER)` })
    .where(and(eq(integrations.id, integrationId), isOpen(id)));

/** A contract and the integration whose collections it has. */
interface Contract {
  readonly accountId: string;
  readonly integrationId: Uuid;
}

/** A collection's earnings as D1 has them and as the contract returned them, yoctoNEAR; null: not known. */
export interface EarningsRead {
  readonly id: Uuid;
  readonly earned: string | null;
  readonly read: string | null;
}

/**
 * Stores what collections of a contract have earned. The increase counts as unpaid sales where the contract belongs to the
 * integration's wallet, and did at the last reading: the contract counts what its owner gets, whoever that is. Concurrent
 * readings count an increase once.
 * @param height a block from which on the contract's owner is read
 */
export const noteSales = async (
  { db, now, settings }: ServiceContext,
  { accountId, integrationId }: Contract,
  readings: readonly EarningsRead[],
  height: number,
): Promise<void> => {
  const changed = readings.filter(({ earned, read }) => read !== earned && !isLower(read, earned));
  if (changed.length === 0) return;
  const [roles, integration] = await Promise.all([
    contractViews(connect(settings), accountId, height).roles(),
    findIntegration(db, integrationId),
  ]);
  const isOwner = roles.owner_id === integration?.walletAccountId;
  const statements = changed.flatMap(({ id, earned, read }) => {
    // Parts of a nanoNEAR are counted with the next increase.
    const sales =
      isOwner && read !== null && earned !== null ? BigInt(read) / NANO - BigInt(earned) / NANO : 0n;
    const isUnchanged = sql`EXISTS (SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)} AND earned IS ${earned})`;
    return [
      db
        .update(integrations)
        .set({ unpaidSales: sql`unpaid_sales + CAST(${sales.toString()} AS INTEGER)` })
        .where(and(eq(integrations.id, integrationId), isUnchanged)),
      db
        .update(collections)
        .set({ earned: read, updatedAt: now() })
        .where(and(eq(collections.id, id), isUnchanged)),
    ];
  });
  await runBatch(db, statements);
};

/** A node that lags returns less than was read before. */
const isLower = (read: string | null, earned: string | null): boolean =>
  read !== null && earned !== null && BigInt(read) < BigInt(earned);

/** Collections of one view. */
const PAGE = 50;

/**
 * Reads what all collections of an integration have earned, in blocks from `height` on, so that a payout of a balance of
 * that block covers each sale in it. A contract that can't be read, because its account was deleted for example, has no
 * new sales.
 * @throws ChainUnavailableError; NodesLagError if no node has reached the height
 */
export const readSales = async (
  context: ServiceContext,
  integrationId: Uuid,
  height: number,
): Promise<void> => {
  const rows = await context.db
    .select({
      id: collections.id,
      onChainId: collections.onChainId,
      earned: collections.earned,
      height: collections.height,
      accountId: contracts.accountId,
    })
    .from(collections)
    .innerJoin(contracts, eq(contracts.id, collections.contractId))
    .where(and(eq(collections.integrationId, integrationId), eq(contracts.state, "ready")))
    .all();
  for (const [accountId, own] of Map.groupBy(rows, (row) => row.accountId)) {
    const atLeast = Math.max(height, ...own.map((row) => row.height));
    try {
      const shown = await allCollections(context, accountId, atLeast);
      const readings = own.flatMap(({ id, onChainId, earned }) => {
        const collection = shown.get(onChainId);
        return collection && isPublishedAs(collection, id)
          ? [{ id, earned, read: collection.earned ?? null }]
          : [];
      });
      await noteSales(context, { accountId, integrationId }, readings, atLeast);
    } catch (error) {
      if (!(error instanceof ViewError)) throw error;
      context.log("sales.contract_unreadable", { contract: accountId, error });
    }
  }
};

const allCollections = async ({ settings }: ServiceContext, accountId: string, height: number) => {
  const views = contractViews(connect(settings), accountId, height);
  const shown = new Map<number, ContractCollection>();
  for (let page = await views.collections(0, PAGE); ; page = await views.collections(shown.size, PAGE)) {
    for (const collection of page) shown.set(collection.collection_id, collection);
    if (!mayHaveMore(page, PAGE)) return shown;
  }
};

import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  type ContractCollection,
  type ContractViews,
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
  sql`min(CAST(${most.toString()} AS INTEGER), ${untakenSales(id)})`;

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

/** What D1 knows of a collection. */
interface CollectionRow {
  readonly id: Uuid;
  /** Its number on the contract. */
  readonly onChainId: number;
  /** Earnings at the last reading, yoctoNEAR; null: not known. */
  readonly earned: string | null;
}

/**
 * Stores the earnings of a contract's collections, and counts their increase as unpaid sales if the contract belongs to the
 * integration's wallet and did at the last reading: the contract counts its owner's earnings, whoever the owner is.
 * Concurrent readings count an increase once.
 * @param shown the collections as the contract returned them
 */
export const noteSales = async (
  { db, now }: ServiceContext,
  integrationId: Uuid,
  views: ContractViews,
  { rows, shown }: { readonly rows: readonly CollectionRow[]; readonly shown: readonly ContractCollection[] },
): Promise<void> => {
  const byNumber = new Map(shown.map((collection) => [collection.collection_id, collection]));
  const changed = rows.flatMap(({ id, onChainId, earned }) => {
    const collection = byNumber.get(onChainId);
    if (!collection || !isPublishedAs(collection, id)) return [];
    const read = collection.earned ?? null;
    return read === earned || isLower(read, earned) ? [] : [{ id, earned, read }];
  });
  if (changed.length === 0) return;
  const [roles, integration] = await Promise.all([views.roles(), findIntegration(db, integrationId)]);
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

/** A lagging node returns less than an earlier reading. */
const isLower = (read: string | null, earned: string | null): boolean =>
  read !== null && earned !== null && BigInt(read) < BigInt(earned);

/** Collections of one view. */
const PAGE = 50;

/**
 * Reads and stores the earnings of all collections of an integration, from blocks at or after `height`: a payout of the
 * balance of that block then covers each sale in it. A contract that can't be read, for example because its account was
 * deleted, has no new sales.
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
  const rpc = connect(context.settings);
  for (const [accountId, own] of Map.groupBy(rows, (row) => row.accountId)) {
    const views = contractViews(rpc, accountId, Math.max(height, ...own.map((row) => row.height)));
    try {
      await noteSales(context, integrationId, views, { rows: own, shown: await allCollections(views) });
    } catch (error) {
      if (!(error instanceof ViewError)) throw error;
      context.log("sales.contract_unreadable", { contract: accountId, error });
    }
  }
};

const allCollections = async (views: ContractViews): Promise<ContractCollection[]> => {
  const shown: ContractCollection[] = [];
  for (;;) {
    const page = await views.collections(shown.length, PAGE);
    shown.push(...page);
    if (!mayHaveMore(page, PAGE)) return shown;
  }
};

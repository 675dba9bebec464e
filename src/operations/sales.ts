import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import {
  type ContractCollection,
  type ContractViews,
  contractViews,
  isPublishedAs,
} from "../chain/contract/views.ts";
import { ChainUnavailableError, ViewError } from "../chain/errors.ts";
import { connectFor } from "../chain/rpc.ts";
import type { Seen } from "../chain/views.ts";
import { COLLECTIONS_PAGE, collectionPages } from "../collections/on-chain.ts";
import type { ServiceContext } from "../context.ts";
import { runBatch } from "../db/client.ts";
import { type Ledger, ledgerOf } from "../db/ledger.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import { isOpen, OPEN } from "../db/queries/operations.ts";
import { collections, meta } from "../db/schema/ledger.ts";
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
  (SELECT unpaid_sales FROM meta) - ${pendingSales(id)})`;

/** An integration's sales that no payout has taken, at most `most`; both in nanoNEAR. */
export const salesUpTo = (id: Uuid, most: bigint): SQL =>
  sql`min(CAST(${most.toString()} AS INTEGER), ${untakenSales(id)})`;

/** Deducts the sales that an operation paid out, while it is open. @param sales nanoNEAR */
export const takeSales = (ledger: Ledger, operationId: Uuid, sales: string) =>
  ledger
    .update(meta)
    .set({ unpaidSales: sql`unpaid_sales - CAST(${sales} AS INTEGER)` })
    .where(isOpen(operationId));

/** Largest integer of SQLite. */
export const MOST_NANO = 2n ** 63n - 1n;

/** What the ledger knows of a collection. */
interface CollectionRow {
  readonly id: Uuid;
  /** Its number on the contract. */
  readonly onChainId: number;
  /** Earnings at the last reading, yoctoNEAR, as the column describes them. */
  readonly earned: string | null;
  /** Whether the integration's wallet was the contract's owner then. */
  readonly earnedOwn: boolean;
}

/**
 * Stores the earnings of a contract's collections, and counts their increase as unpaid sales if the contract belonged to
 * the integration's wallet at both readings: the contract counts its owner's earnings, whoever the owner is. The wallet
 * becomes the owner by an operation only, whose acceptance makes the last reading one of another owner's
 * (`forgetEarned`). Concurrent readings count an increase once.
 * @param page collections as the contract returned them
 * @throws ViewError, ChainUnavailableError if the contract's owner can't be read
 */
export const noteSales = async (
  context: ServiceContext,
  integrationId: Uuid,
  views: ContractViews,
  { rows, page }: { readonly rows: readonly CollectionRow[]; readonly page: Seen<ContractCollection[]> },
): Promise<void> => {
  const byNumber = new Map(page.value.map((collection) => [collection.collection_id, collection]));
  const unsettled = rows.flatMap((row) => {
    const collection = byNumber.get(row.onChainId);
    if (!collection || !isPublishedAs(collection, row.id)) return [];
    const read = collection.earned ?? null;
    if (isLower(read, row.earned) || (read === row.earned && row.earnedOwn)) return [];
    return [{ ...row, read }];
  });
  if (unsettled.length === 0) return;
  const [owner, integration] = await Promise.all([
    views.ownerAt(page.height),
    findIntegration(context.db, integrationId),
  ]);
  const ledger = ledgerOf(context, integrationId);
  const isOwn = owner === integration?.walletAccountId;
  const changed = unsettled.filter((row) => row.read !== row.earned || isOwn !== row.earnedOwn);
  const statements = changed.flatMap(({ id, earned, earnedOwn, read }) => {
    // Parts of a nanoNEAR are counted with the next increase.
    const sales =
      isOwn && earnedOwn && read !== null && earned !== null
        ? BigInt(read) / NANO - BigInt(earned) / NANO
        : 0n;
    const isUnchanged = sql`EXISTS (SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)}
      AND earned IS ${earned} AND earned_own = ${earnedOwn ? 1 : 0})`;
    const sum = sql`min(unpaid_sales + CAST(${sales.toString()} AS INTEGER), CAST(${MOST_NANO.toString()} AS INTEGER))`;
    return [
      ledger.update(meta).set({ unpaidSales: sum }).where(isUnchanged),
      ledger
        .update(collections)
        .set({ earned: read, earnedOwn: isOwn, updatedAt: context.now() })
        .where(and(eq(collections.id, id), isUnchanged)),
    ];
  });
  await runBatch(ledger, statements);
};

/** A lagging node returns less than an earlier reading. */
const isLower = (read: string | null, earned: string | null): boolean =>
  read !== null && earned !== null && BigInt(read) < BigInt(earned);

/** Pages of collections that a payout reads at most, and contracts that it reads at once. */
const MOST_PAGES = 200;
const AT_ONCE = 5;

/** Contracts whose sales a payout could not read. */
interface UnreadContracts {
  /** Accounts of contracts that don't answer as one of Mintage, for example because their account was deleted, or too many. */
  readonly skipped: readonly string[];
  /** Why nodes didn't answer for others; null: they answered for all. */
  readonly unavailable: ChainUnavailableError | null;
}

/**
 * Reads and stores the earnings of all collections of an integration, from blocks at or after `height`: a payout of the
 * balance of that block then covers each sale in it. Those of newer contracts are read first.
 * @throws ChainUnavailableError if nodes answer for none of its contracts; ServiceError rate_limited
 */
export const readSales = async (
  context: ServiceContext,
  integrationId: Uuid,
  height: number,
): Promise<UnreadContracts> => {
  const rows = await ledgerOf(context, integrationId)
    .select({
      id: collections.id,
      onChainId: collections.onChainId,
      earned: collections.earned,
      earnedOwn: collections.earnedOwn,
      height: collections.height,
      accountId: collections.contractAccountId,
    })
    .from(collections)
    .orderBy(desc(collections.contractId))
    .all();
  const rpc = connectFor(context);
  const skipped: string[] = [];
  const unavailable: ChainUnavailableError[] = [];
  const all = [...Map.groupBy(rows, (row) => row.accountId)];
  const queue = all.values();
  let pages = 0;
  const readNext = async () => {
    for (const [accountId, own] of queue) {
      const last = Math.max(...own.map((row) => row.onChainId));
      pages += Math.ceil(last / COLLECTIONS_PAGE);
      if (pages > MOST_PAGES) {
        skipped.push(accountId);
        continue;
      }
      const views = contractViews(rpc, accountId, Math.max(height, ...own.map((row) => row.height)));
      try {
        for await (const page of collectionPages(views, last))
          await noteSales(context, integrationId, views, { rows: own, page });
      } catch (error) {
        if (error instanceof ViewError) skipped.push(accountId);
        else if (error instanceof ChainUnavailableError) unavailable.push(error);
        else throw error;
        context.log("sales.contract_unreadable", { contract: accountId, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  const [first = null] = unavailable;
  if (first !== null && unavailable.length === all.length) throw first;
  return { skipped, unavailable: first };
};

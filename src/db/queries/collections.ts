import { and, desc, eq, gt, lte, max, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import type { Ledger } from "../ledger.ts";
import { withinBytes } from "../page-bytes.ts";
import { collections, contracts } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/** A collection, the account of the contract that holds it, and the code that is announced for that. */
export interface CollectionRow {
  readonly collection: typeof collections.$inferSelect;
  readonly contractAccountId: string;
  readonly codeState: (typeof collections.$inferSelect)["codeState"];
}

/** The columns of a `CollectionRow`. */
export const COLLECTION_ROW = {
  collection: collections,
  contractAccountId: collections.contractAccountId,
  codeState: collections.codeState,
};

/** A collection of the ledger's integration; undefined if there is none. */
export const findCollection = (ledger: Ledger, id: Uuid): Promise<CollectionRow | undefined> =>
  ledger.select(COLLECTION_ROW).from(collections).where(eq(collections.id, id)).get();

/** A collection by its number on its contract; undefined if the service has none there. */
export const findCollectionOnChain = (db: Database, contractAccountId: string, onChainId: number) =>
  db
    .select({ collection: collections, contract: contracts })
    .from(contracts)
    .innerJoin(
      collections,
      and(eq(collections.contractId, contracts.id), eq(collections.onChainId, onChainId)),
    )
    .where(eq(contracts.accountId, contractAccountId))
    .get();

/** The rows of a contract's collections with on-chain ids in `(from, to]`. */
export const collectionsOnChain = (db: Ledger, contractId: Uuid, from: number, to: number) =>
  db
    .select({
      id: collections.id,
      integrationId: collections.integrationId,
      onChainId: collections.onChainId,
      settings: collections.settings,
      minted: collections.minted,
      locks: collections.locks,
      /** Assets that are shown of those that were hidden; null: none were. */
      shown: sql<number | null>`json_extract(${collections.reveal}, '$.shown')`,
      phaseCounts: collections.phaseCounts,
      earned: collections.earned,
      earnedOwn: collections.earnedOwn,
      eventsReportedTo: collections.eventsReportedTo,
      scannedSeq: collections.scannedSeq,
      height: collections.height,
    })
    .from(collections)
    .where(
      and(
        eq(collections.contractId, contractId),
        gt(collections.onChainId, from),
        lte(collections.onChainId, to),
      ),
    );

/** The highest on-chain id of a contract's collections; 0 if it has none. */
export const lastOnChain = async (db: Ledger, contractId: Uuid): Promise<number> => {
  const row = await db
    .select({ last: max(collections.onChainId) })
    .from(collections)
    .where(eq(collections.contractId, contractId))
    .get();
  return row?.last ?? 0;
};

/** Ids for `IN`. */
export const idsIn = (ids: readonly Uuid[]): SQL =>
  sql`(SELECT unhex(value) FROM json_each(${JSON.stringify(ids.map((id) => id.replaceAll("-", "")))}))`;

/**
 * Collections of an integration, newest first, after the id `after`; fewer than the limit if they are large.
 * @param only those among which they are; null: all
 */
export const listCollections = (
  db: Database,
  { integrationId, only }: { readonly integrationId: Uuid; readonly only: readonly Uuid[] | null },
  after: Uuid | null,
  limit: number,
) => {
  const behind = sql`${after ? sql`AND id < ${uuidToBytes(after)}` : sql``}
    ${only === null ? sql`` : sql`AND id IN ${idsIn(only)}`}`;
  const { places, candidates } = withinBytes({
    rows: sql`SELECT id AS place, octet_length(settings) AS bytes FROM collections
      WHERE integration_id = ${uuidToBytes(integrationId)} ${behind} ORDER BY id DESC LIMIT ${limit}`,
    order: sql`place DESC`,
  });
  return db
    .select({ ...COLLECTION_ROW, candidates })
    .from(collections)
    .where(sql`${collections.id} IN ${places}`)
    .orderBy(desc(collections.id));
};

/** Notes in the collections of a contract what may become of its code. */
export const setCodeOfCollections = (
  ledger: Ledger,
  contractId: Uuid,
  codeState: CollectionRow["codeState"],
): Statement => ledger.update(collections).set({ codeState }).where(eq(collections.contractId, contractId));

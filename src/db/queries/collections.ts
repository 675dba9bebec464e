import { and, desc, eq, gt, lte, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { withinBytes } from "../page-bytes.ts";
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

const prepareFind = (db: Database) =>
  select(db)
    .where(
      and(
        eq(collections.id, sql.placeholder("id")),
        eq(collections.integrationId, sql.placeholder("integrationId")),
      ),
    )
    .prepare();

const prepared = new WeakMap<Database, ReturnType<typeof prepareFind>>();

/** A collection of an integration; undefined if there is none. Its SQL is built once, because it is the most frequent query. */
export const findCollection = (
  db: Database,
  integrationId: Uuid,
  id: Uuid,
): Promise<CollectionRow | undefined> => {
  let find = prepared.get(db);
  if (find === undefined) {
    find = prepareFind(db);
    prepared.set(db, find);
  }
  return find.get({ id: uuidToBytes(id), integrationId: uuidToBytes(integrationId) });
};

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
export const collectionsOnChain = (db: Database, contractId: Uuid, from: number, to: number) =>
  db
    .select({
      id: collections.id,
      integrationId: collections.integrationId,
      onChainId: collections.onChainId,
      settings: collections.settings,
      minted: collections.minted,
      earned: collections.earned,
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
    )
    .all();

/** Collections of an integration, newest first, after the id `after`; fewer than the limit if they are large. */
export const listCollections = (db: Database, integrationId: Uuid, after: Uuid | null, limit: number) => {
  const behind = after ? sql`AND id < ${uuidToBytes(after)}` : sql``;
  const { places, candidates } = withinBytes({
    rows: sql`SELECT id AS place, octet_length(settings) + coalesce(octet_length(recent_mints), 0) AS bytes FROM collections
      WHERE integration_id = ${uuidToBytes(integrationId)} ${behind} ORDER BY id DESC LIMIT ${limit}`,
    order: sql`place DESC`,
  });
  return db
    .select({ collection: collections, contractAccountId: contracts.accountId, candidates })
    .from(collections)
    .innerJoin(contracts, eq(contracts.id, collections.contractId))
    .where(sql`${collections.id} IN ${places}`)
    .orderBy(desc(collections.id))
    .all();
};

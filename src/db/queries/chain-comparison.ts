import { and, asc, eq, gt, gte, lte, not, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { CollectionSettings } from "../../domain/settings.ts";
import type { Database } from "../client.ts";
import { collections, contracts, operations } from "../schema/index.ts";
import { hasOpenOperation, OPEN } from "./operations.ts";

/** The next contract that is ready, behind an id, or that one itself. */
export const nextContract = (db: Database, after: Uuid | null, itself: boolean) =>
  db
    .select()
    .from(contracts)
    .where(
      and(
        eq(contracts.state, "ready"),
        after === null ? undefined : itself ? gte(contracts.id, after) : gt(contracts.id, after),
      ),
    )
    .orderBy(asc(contracts.id))
    .limit(1)
    .get();

/** What D1 knows of a contract's collections whose ids on-chain are in `(from, to]`. */
export const collectionsOnChain = (db: Database, contractId: Uuid, from: number, to: number) =>
  db
    .select({
      id: collections.id,
      onChainId: collections.onChainId,
      settings: collections.settings,
      minted: collections.minted,
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

/**
 * Takes over settings that somebody changed on the chain without the API, unless an operation has had to do with the
 * collection since `height`, or an update of it is under way.
 */
export const adoptSettings = async (
  db: Database,
  { id, height }: { readonly id: Uuid; readonly height: number },
  settings: CollectionSettings,
  now: Date,
): Promise<boolean> => {
  const adopted = await db
    .update(collections)
    .set({ settings, updatedAt: now })
    .where(
      and(
        eq(collections.id, id),
        eq(collections.height, height),
        not(hasOpenOperation(id, "collection_update")),
      ),
    )
    .returning({ id: collections.id });
  return adopted.length > 0;
};

/** Whether a finalization that is under way makes the collection of this `external_id` (hexadecimal). */
export const isBeingFinalized = async (db: Database, externalId: string): Promise<boolean> => {
  const collectionUuid = sql`json_extract(${operations.request}, '$.collectionUuid')`;
  const row = await db
    .select({ id: operations.id })
    .from(operations)
    .where(
      and(OPEN, eq(operations.kind, "finalize"), sql`replace(${collectionUuid}, '-', '') = ${externalId}`),
    )
    .limit(1)
    .get();
  return row !== undefined;
};

import { and, asc, eq, gt, gte, inArray, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { collections, contracts, operations } from "../schema/index.ts";
import type { ContractRow } from "./contracts.ts";

/** The next contract that is ready, behind an id, or that one itself. */
export const nextContract = (
  db: Database,
  after: Uuid | null,
  itself: boolean,
): Promise<ContractRow | undefined> =>
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

/** What D1 knows of a contract's collections, by their ids on-chain. */
export const collectionsOnChain = (db: Database, contractId: Uuid, onChainIds: readonly number[]) =>
  db
    .select({ id: collections.id, onChainId: collections.onChainId, minted: collections.minted })
    .from(collections)
    .where(
      and(
        eq(collections.contractId, contractId),
        inArray(collections.onChainId, sql`(SELECT value FROM json_each(${JSON.stringify(onChainIds)}))`),
      ),
    )
    .all();

/** The chain shows another number of minted tokens. It never falls, so that the larger one is the later. */
export const setMinted = async (db: Database, id: Uuid, minted: number, now: Date): Promise<void> => {
  await db
    .update(collections)
    .set({ minted: sql`max(${collections.minted}, ${minted})`, updatedAt: now })
    .where(eq(collections.id, id));
};

/** Whether a finalization that is under way makes the collection of this `external_id` (hexadecimal). */
export const isBeingFinalized = async (db: Database, externalId: string): Promise<boolean> => {
  const collectionUuid = sql`json_extract(${operations.request}, '$.collectionUuid')`;
  const row = await db
    .select({ id: operations.id })
    .from(operations)
    .where(
      and(
        eq(operations.state, "pending"),
        eq(operations.kind, "finalize"),
        sql`replace(${collectionUuid}, '-', '') = ${externalId}`,
      ),
    )
    .limit(1)
    .get();
  return row !== undefined;
};

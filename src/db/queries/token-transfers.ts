import { and, asc, eq, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { tokenTransfers } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/** A transaction that gave tokens to an account. */
export interface Transfer {
  readonly at: Date;
  readonly receiverId: string;
  /** base58. */
  readonly hash: string;
}

/** Records a transfer of tokens by their numbers, if the collection has a page. Repeatable. */
export const keepTransfer = (
  db: Database,
  collectionId: Uuid,
  numbers: readonly number[],
  { at, receiverId, hash }: Transfer,
): Statement => {
  const id = uuidToBytes(collectionId);
  return db
    .insert(tokenTransfers)
    .select(
      sql`SELECT ${id}, value, ${at.getTime()}, ${receiverId}, ${hash} FROM json_each(${JSON.stringify(numbers)})
      WHERE EXISTS (SELECT 1 FROM collection_pages WHERE collection_id = ${id})`,
    )
    .onConflictDoNothing();
};

/** The transfers of a token that are recorded, the first one first. */
export const transfersOf = (db: Database, collectionId: Uuid, number: number): Promise<Transfer[]> =>
  db
    .select({ at: tokenTransfers.at, receiverId: tokenTransfers.receiverId, hash: tokenTransfers.hash })
    .from(tokenTransfers)
    .where(and(eq(tokenTransfers.collectionId, collectionId), eq(tokenTransfers.number, number)))
    .orderBy(asc(tokenTransfers.at))
    .all();

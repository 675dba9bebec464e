import { and, desc, eq, lte, sql } from "drizzle-orm";
import { numberRuns } from "../../domain/events.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { tokenNumber } from "../../domain/token-ids.ts";
import type { Database } from "../client.ts";
import { mintTransactions } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/**
 * Keeps which transaction minted some tokens, where the collection has a page that can show it. A token is minted once,
 * so that whoever comes second says the same.
 */
export const keepMintTransaction = (
  db: Database,
  collectionId: Uuid,
  { hash, tokenIds }: { readonly hash: string; readonly tokenIds: readonly string[] },
): Statement[] => {
  const numbers = tokenIds.map(tokenNumber).sort((a, b) => a - b);
  const id = uuidToBytes(collectionId);
  return numberRuns(numbers).map(([first, last]) =>
    db
      .insert(mintTransactions)
      .select(
        sql`SELECT ${id}, ${first}, ${last}, ${hash} WHERE EXISTS (
          SELECT 1 FROM collection_pages WHERE collection_id = ${id})`,
      )
      .onConflictDoNothing(),
  );
};

/** The transaction, base58, that minted a token; null: not known. */
export const mintTransactionOf = async (
  db: Database,
  collectionId: Uuid,
  number: number,
): Promise<string | null> => {
  const row = await db
    .select({ last: mintTransactions.last, hash: mintTransactions.hash })
    .from(mintTransactions)
    .where(and(eq(mintTransactions.collectionId, collectionId), lte(mintTransactions.first, number)))
    .orderBy(desc(mintTransactions.first))
    .limit(1)
    .get();
  return row !== undefined && row.last >= number ? row.hash : null;
};

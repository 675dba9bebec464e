import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { hundredOf, type Mint, type MintNotes, notedHash, notesOf } from "../../domain/mint-notes.ts";
import type { Database } from "../client.ts";
import { collections, mintedHundreds } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/** Size of `recent_mints` at which it is full, after about twenty mints. It is read with its row. */
const FULL_BYTES = 1_200;

const recent = sql`coalesce(${collections.recentMints}, '{}')`;

const isFull = sql`octet_length(${recent}) >= ${FULL_BYTES}`;

const hasPage = (collectionId: SQL) =>
  sql`EXISTS (SELECT 1 FROM collection_pages WHERE collection_id = ${collectionId})`;

/** Columns over the rows `note`: the hundred of a note, and all notes of a hundred as an object. */
const hundreds = sql`CAST(note.key AS INTEGER) / 100`;
const grouped = sql`json_group_object(note.key, json(note.value))`;
const merged = sql`json_patch(${mintedHundreds.transactions}, excluded.transactions)`;

const insertHundreds = (db: Database, rows: SQL): Statement =>
  db
    .insert(mintedHundreds)
    .select(rows)
    .onConflictDoUpdate({
      target: [mintedHundreds.collectionId, mintedHundreds.hundred],
      set: { transactions: merged },
      // The same mint may be recorded again.
      setWhere: sql`${mintedHundreds.transactions} <> ${merged}`,
    });

/** Moves a full `collections.recent_mints` to `minted_hundreds`, before the update that clears it (`withMint`). */
export const moveMints = (db: Database, collectionId: Uuid): Statement =>
  insertHundreds(
    db,
    sql`SELECT collections.id, ${hundreds}, ${grouped}
      FROM collections, json_each(CASE WHEN ${isFull} THEN ${recent} ELSE '{}' END) AS note
      WHERE collections.id = ${uuidToBytes(collectionId)} GROUP BY 1, 2`,
  );

/** `collections.recent_mints` with a mint added, if the collection has a page. Part of an update that every mint makes. */
export const withMint = (mint: Mint): SQL => sql`CASE WHEN ${hasPage(sql`collections.id`)}
  THEN json_patch(CASE WHEN ${isFull} THEN '{}' ELSE ${recent} END, ${JSON.stringify(notesOf(mint))})
  ELSE ${collections.recentMints} END`;

/** Records the transaction that minted some tokens, if the collection has a page. Repeatable. */
export const keepMintTransaction = (db: Database, collectionId: Uuid, mint: Mint): Statement => {
  const id = uuidToBytes(collectionId);
  return insertHundreds(
    db,
    sql`SELECT ${id}, ${hundreds}, ${grouped} FROM json_each(${JSON.stringify(notesOf(mint))}) AS note
      WHERE ${hasPage(sql`${id}`)} GROUP BY 1, 2`,
  );
};

/** The transaction, base58, that minted a token; null: not known. */
export const mintTransactionOf = async (
  db: Database,
  collectionId: Uuid,
  number: number,
): Promise<string | null> => {
  const [own, hundred] = await db.batch([
    db.select({ notes: collections.recentMints }).from(collections).where(eq(collections.id, collectionId)),
    db
      .select({ notes: mintedHundreds.transactions })
      .from(mintedHundreds)
      .where(
        and(eq(mintedHundreds.collectionId, collectionId), eq(mintedHundreds.hundred, hundredOf(number))),
      ),
  ]);
  for (const { notes } of [...own, ...hundred]) {
    const hash = notedHash((notes ?? {}) as MintNotes, number);
    if (hash !== null) return hash;
  }
  return null;
};

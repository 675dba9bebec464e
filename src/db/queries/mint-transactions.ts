import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { hundredOf, type Mint, type MintNotes, notedHash, notesOf } from "../../domain/mint-notes.ts";
import type { Database } from "../client.ts";
import { collections, mintedHundreds } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/** Of notes in a collection's own row, which are read with it, before another mint moves them: some twenty mints. */
const FULL_BYTES = 1_200;

const recent = sql`coalesce(${collections.recentMints}, '{}')`;

const isFull = sql`octet_length(${recent}) >= ${FULL_BYTES}`;

const hasPage = (collectionId: SQL) =>
  sql`EXISTS (SELECT 1 FROM collection_pages WHERE collection_id = ${collectionId})`;

/** Of `note`, a row for each note: the hundred that it is of, and all notes of one hundred as an object. */
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
      // Whoever has followed a mint to its end may ask again.
      setWhere: sql`${mintedHundreds.transactions} <> ${merged}`,
    });

/**
 * Moves what a collection's row has noted of its mints into `minted_hundreds`, where the row is full. In its batch it
 * stands before the update that notes the next one, which clears a full row (`withMint`).
 */
export const moveMints = (db: Database, collectionId: Uuid): Statement =>
  insertHundreds(
    db,
    sql`SELECT collections.id, ${hundreds}, ${grouped}
      FROM collections, json_each(CASE WHEN ${isFull} THEN ${recent} ELSE '{}' END) AS note
      WHERE collections.id = ${uuidToBytes(collectionId)} GROUP BY 1, 2`,
  );

/**
 * `collections.recent_mints` with a mint noted, where the collection has a page that can show it: so that a mint costs no
 * row of its own. A part of an update that is made in any case.
 */
export const withMint = (mint: Mint): SQL => sql`CASE WHEN ${hasPage(sql`collections.id`)}
  THEN json_patch(CASE WHEN ${isFull} THEN '{}' ELSE ${recent} END, ${JSON.stringify(notesOf(mint))})
  ELSE ${collections.recentMints} END`;

/**
 * Keeps which transaction minted some tokens, by itself, where the collection has a page that can show it. A token is
 * minted once, so that whoever comes second says the same.
 */
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

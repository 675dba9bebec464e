import { and, eq, type SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { hundredOf, type Mint, notedHash, notesOf } from "../../domain/mint-notes.ts";
import type { Database } from "../client.ts";
import { template } from "../ledger.ts";
import { mintedHundreds } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

const hasPage = (collectionId: SQL) =>
  sql`EXISTS (SELECT 1 FROM collection_pages WHERE collection_id = ${collectionId})`;

/** Columns over the rows `note`: the hundred of a note, and all notes of a hundred as an object. */
const hundreds = sql`CAST(note.key AS INTEGER) / 100`;
const grouped = sql`json_group_object(note.key, json(note.value))`;
const merged = sql`json_patch(${mintedHundreds.transactions}, excluded.transactions)`;

const insertHundreds = (db: DrizzleD1Database, rows: SQL): Statement =>
  db
    .insert(mintedHundreds)
    .select(rows)
    .onConflictDoUpdate({
      target: [mintedHundreds.collectionId, mintedHundreds.hundred],
      set: { transactions: merged },
      // The same mint may be recorded again.
      setWhere: sql`${mintedHundreds.transactions} <> ${merged}`,
    });

const insertNotes = (
  db: DrizzleD1Database,
  { id, notes }: Readonly<Record<"id" | "notes", SQL>>,
): Statement =>
  insertHundreds(
    db,
    sql`SELECT ${id}, ${hundreds}, ${grouped} FROM json_each(${notes}) AS note WHERE ${hasPage(id)} GROUP BY 1, 2`,
  );

/** Records the transaction that minted some tokens, if the collection has a page. Repeatable. */
export const keepMintTransaction = (db: Database, collectionId: Uuid, mint: Mint): Statement =>
  insertNotes(db, { id: sql`${uuidToBytes(collectionId)}`, notes: sql`${JSON.stringify(notesOf(mint))}` });

const insertNotesTemplate = template(["id", "notes"], insertNotes);

/** The same, to be posted to D1. */
export const mintTransactionToPost = (collectionId: Uuid, mint: Mint): Statement =>
  insertNotesTemplate({ id: uuidToBytes(collectionId), notes: JSON.stringify(notesOf(mint)) });

/** The transaction, base58, that minted a token; null: not known. */
export const mintTransactionOf = async (
  db: Database,
  collectionId: Uuid,
  number: number,
): Promise<string | null> => {
  const row = await db
    .select({ notes: mintedHundreds.transactions })
    .from(mintedHundreds)
    .where(and(eq(mintedHundreds.collectionId, collectionId), eq(mintedHundreds.hundred, hundredOf(number))))
    .get();
  return row ? notedHash(row.notes, number) : null;
};

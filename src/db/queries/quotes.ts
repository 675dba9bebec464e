import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { quotes } from "../schema/index.ts";
import { type KeyWithResponse, keepWithEffect, runKeyedBatch } from "./idempotency.ts";
import { hasRoom, quotesWeight, unweighQuotes, weighed } from "./usage.ts";

/** A row of quotes. */
export type QuoteRow = typeof quotes.$inferSelect;

/**
 * Keeps a quote.
 * @param answered the answer to keep, if there is room for the quote
 * @returns whether the integration has room for it
 * @throws ServiceError idempotency_key_in_flight
 */
export const insertQuote = async (
  db: Database,
  quote: QuoteRow,
  answered: KeyWithResponse | null,
): Promise<boolean> => {
  const { id, integrationId, method, path, bodyDigest, expected, most, createdAt, expiresAt } = quote;
  const insert = db
    .insert(quotes)
    .select(sql`
      SELECT ${uuidToBytes(id)}, ${uuidToBytes(integrationId)}, ${method}, ${path}, ${bodyDigest}, ${expected}, ${most},
        ${createdAt.getTime()}, ${expiresAt.getTime()}
      WHERE ${hasRoom(integrationId)}`)
    .returning({ id: quotes.id });
  const which = sql`id = ${uuidToBytes(id)}`;
  const statements = [
    ...weighed(db, integrationId, quotesWeight(which), [insert]),
    // The answer takes room too, which is counted behind the quote's.
    ...keepWithEffect(db, answered, sql`EXISTS (SELECT 1 FROM quotes WHERE ${which})`),
  ];
  const results = await runKeyedBatch(db, statements);
  return (results[1] as Awaited<typeof insert>).length > 0;
};

/** A quote of an integration's. */
export const findQuote = (db: Database, integrationId: Uuid, id: Uuid): Promise<QuoteRow | undefined> =>
  db
    .select()
    .from(quotes)
    .where(and(eq(quotes.id, id), eq(quotes.integrationId, integrationId)))
    .get();

/** Forgets quotes whose time is over, the oldest first. @returns how many, `limit` at most */
export const deleteExpiredQuotes = async (db: Database, now: Date, limit: number): Promise<number> => {
  const which: SQL = sql`id IN (
    SELECT id FROM quotes WHERE expires_at <= ${now.getTime()} ORDER BY expires_at LIMIT ${limit})`;
  const [, deleted] = await db.batch([unweighQuotes(db, which), db.delete(quotes).where(which)]);
  return deleted.meta.changes;
};

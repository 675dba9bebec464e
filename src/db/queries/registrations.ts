import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Ledger } from "../ledger.ts";
import { operations, registrations } from "../schema/ledger.ts";
import type { Statement } from "../statements.ts";
import { isOpen } from "./operations.ts";

/** An account at a token. */
interface Named {
  readonly currency: string;
  readonly account: string;
}

/** The operation that paid, or pays, for the registration of an account. */
interface Paying {
  readonly id: Uuid;
  readonly integrationId: Uuid;
  readonly createdAt: Date;
}

/** Accounts that the service registers for an integration in 24 hours at most: fresh tokens can't take more from its wallet. */
export const MOST_REGISTRATIONS = 8;

const DAY_MS = 24 * 3_600_000;

const listOf = (named: readonly Named[]): string =>
  JSON.stringify(named.map(({ currency, account }) => [currency, account]));

/** Who pays or has paid for the registration of an account; undefined: nobody. State and height are null once it is archived. */
export const findRegistration = (db: Ledger, { currency, account }: Named) =>
  db
    .select({ state: operations.state, height: operations.height })
    .from(registrations)
    .leftJoin(operations, eq(operations.id, registrations.operationId))
    .where(and(eq(registrations.currency, currency), eq(registrations.account, account)))
    .get();

/** Condition: none of these registrations is paid for, or being paid for. */
export const areUnpaid = (named: readonly Named[]): SQL => sql`NOT EXISTS (
  SELECT 1 FROM json_each(${listOf(named)}) AS named CROSS JOIN registrations
  WHERE registrations.currency = named.value ->> 0 AND registrations.account = named.value ->> 1)`;

/** When the last registration was accepted that has to be 24 hours old for `count` more; null where they may be paid now. */
export const fullSince = (integrationId: Uuid, count: number, now: Date): SQL => sql`(
  SELECT created_at FROM registrations
  WHERE integration_id = ${uuidToBytes(integrationId)} AND created_at > ${now.getTime() - DAY_MS}
  ORDER BY created_at DESC LIMIT 1 OFFSET ${MOST_REGISTRATIONS - count})`;

/** Seconds until registrations may be paid for again. @param since as `fullSince` found it, milliseconds */
export const secondsUntilFree = (since: number, now: Date): number =>
  Math.max(1, Math.ceil((since + DAY_MS - now.getTime()) / 1_000));

/** Notes what an operation registers, where `condition` holds. */
export const noteRegistrations = (
  db: Ledger,
  { id, integrationId, createdAt }: Paying,
  named: readonly Named[],
  condition: SQL = sql`true`,
): Statement =>
  db
    .insert(registrations)
    .select(sql`
      SELECT value ->> 0, value ->> 1, ${uuidToBytes(integrationId)}, ${uuidToBytes(id)}, ${createdAt.getTime()}
      FROM json_each(${listOf(named)}) WHERE ${condition}`)
    .onConflictDoNothing();

/** Forgets registrations of an operation that fails before they are paid. */
export const forgetRegistrations = (db: Ledger, operationId: Uuid, named: readonly Named[]): Statement =>
  db.delete(registrations).where(sql`
    (currency, account) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${listOf(named)}))
    AND operation_id = ${uuidToBytes(operationId)} AND ${isOpen(operationId)}`);

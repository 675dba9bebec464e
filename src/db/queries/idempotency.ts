import { and, eq, isNull, lte, type SQL, sql } from "drizzle-orm";
import { keyInFlight } from "../../domain/errors.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { idempotencyKeys } from "../schema/index.ts";
import { failedOn, type Statement } from "../statements.ts";
import { wasAccepted } from "./operations.ts";
import { hasRoom, keysWeight, unweighKeys, weighed } from "./usage.ts";

/** A key with what it stands for. */
export type KeyRow = typeof idempotencyKeys.$inferSelect;

/**
 * A request's hold on a key. A claim that stands for nothing after five minutes may be taken over by another request,
 * perhaps one with another body; what the first still writes is bound to its own bytes, and changes nothing then.
 */
export interface OwnedKey {
  readonly integrationId: Uuid;
  readonly key: string;
  /** 16 random bytes of this request alone. */
  readonly owner: Uint8Array;
}

/** An answer as a key stands for it. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** The body, or where R2 has it (`keepText`). */
  readonly body: string | null;
  /** Its bytes in R2; null where it isn't there. */
  readonly bodyBytes: number | null;
  /** What stands for the request's body, where that was read as it streamed in; absent: the key has it. */
  readonly fingerprint?: Uint8Array;
}

/** A request's claim with the answer that is kept in the batch of its effect. */
export interface AnsweredKey {
  readonly claim: OwnedKey;
  readonly answer: KeptAnswer;
}

interface NewClaim extends OwnedKey {
  /** Null while it is not known: that of a multipart body is, once the body is read. */
  readonly fingerprint: Uint8Array | null;
  readonly now: Date;
  readonly expiresAt: Date;
  /** A key in flight since then, with no operation behind it, frees itself. */
  readonly freesBefore: Date;
  /** Statuses that free a key, so that the same request may be tried again. */
  readonly freeing: readonly number[];
}

const isKey = (integrationId: Uuid, key: string): SQL =>
  and(eq(idempotencyKeys.integrationId, integrationId), eq(idempotencyKeys.key, key)) as SQL;

/** True while a request's claim is its own still and stands for nothing yet; for the rows of the keys themselves. */
const isHeld = ({ integrationId, key, owner }: OwnedKey): SQL =>
  and(
    isKey(integrationId, key),
    eq(idempotencyKeys.owner, owner),
    isNull(idempotencyKeys.operationId),
    isNull(idempotencyKeys.status),
  ) as SQL;

/** The same as a condition of statements on other tables. */
export const holdsClaim = ({ integrationId, key, owner }: OwnedKey): SQL => sql`EXISTS (
  SELECT 1 FROM idempotency_keys WHERE integration_id = ${uuidToBytes(integrationId)} AND key = ${key}
  AND owner = ${owner} AND operation_id IS NULL AND status IS NULL)`;

/**
 * Takes a key if it is new or free: expired, in flight for too long with no operation behind it, or bound to an
 * operation that ended with an answer that is not kept. The same claim again is taken again, so that one whose answer
 * was lost may be repeated.
 * @returns `full` where it would be new, and the integration's rows take as much of the database as they may
 */
export const claimKey = async (db: Database, claim: NewClaim): Promise<"taken" | "held" | "full"> => {
  const { integrationId, key, owner, fingerprint, now, expiresAt, freesBefore, freeing } = claim;
  const row = {
    owner,
    fingerprint,
    operationId: null,
    status: null,
    headers: null,
    body: null,
    createdAt: now,
    expiresAt,
    bodyBytes: null,
  };
  const isThere = sql`SELECT 1 FROM idempotency_keys WHERE ${isKey(integrationId, key)}`;
  const take = db
    .insert(idempotencyKeys)
    .select(sql`
      SELECT ${uuidToBytes(integrationId)}, ${key}, ${owner}, ${fingerprint}, NULL, NULL, NULL, NULL,
        ${now.getTime()}, ${expiresAt.getTime()}, NULL
      WHERE ${hasRoom(integrationId)} OR EXISTS (${isThere})`)
    .onConflictDoUpdate({
      target: [idempotencyKeys.integrationId, idempotencyKeys.key],
      set: row,
      setWhere: sql`
        (idempotency_keys.operation_id IS NULL AND idempotency_keys.status IS NULL
          AND (idempotency_keys.owner = ${owner} OR idempotency_keys.created_at <= ${freesBefore.getTime()}))
        OR (idempotency_keys.expires_at <= ${now.getTime()} AND NOT EXISTS (
          SELECT 1 FROM operations WHERE id = idempotency_keys.operation_id AND state IN ('pending', 'unknown')))
        OR EXISTS (
          SELECT 1 FROM operations WHERE id = idempotency_keys.operation_id AND state = 'failed'
          AND answer_status IN (SELECT value FROM json_each(${JSON.stringify(freeing)})))`,
    })
    .returning({ key: idempotencyKeys.key });
  const find = db.select({ key: idempotencyKeys.key }).from(idempotencyKeys).where(isKey(integrationId, key));
  const weight = keysWeight(isKey(integrationId, key));
  const results = await db.batch([find, ...weighed(db, integrationId, weight, [take])] as unknown as [
    typeof find,
    Statement,
    typeof take,
    Statement,
  ]);
  const [before, , taken] = results;
  if (taken.length > 0) return "taken";
  return before.length > 0 ? "held" : "full";
};

/** A key; undefined if it was freed meanwhile. */
export const findKey = (db: Database, integrationId: Uuid, key: string): Promise<KeyRow | undefined> =>
  db.select().from(idempotencyKeys).where(isKey(integrationId, key)).get();

/** Keeps an answer for a claim that is in flight, where `condition` holds. */
export const keepAnswer = (
  db: Database,
  { claim, answer }: AnsweredKey,
  condition: SQL = sql`true`,
): [Statement, ...Statement[]] => {
  const { integrationId, key } = claim;
  const keep = db
    .update(idempotencyKeys)
    .set(answer)
    .where(sql`${isHeld(claim)} AND ${condition}`);
  return weighed(db, integrationId, keysWeight(isKey(integrationId, key)), [keep]);
};

/**
 * Statements that keep an answer in the batch of its effect, which fails as `unlessTakenOver` tells once another request
 * has taken the key over.
 * @param answered null: the request has no key, and there is nothing to keep
 * @param condition of the database, which tells where these statements stand that the batch has the effect
 */
export const keepWithEffect = (
  db: Database,
  answered: AnsweredKey | null,
  condition: SQL,
): readonly Statement[] =>
  answered === null ? [] : [requireHeld(db, answered.claim), ...keepAnswer(db, answered, condition)];

/** Undoes a batch where a claim isn't the request's any more: inserts a key without a time, which it must have. */
const requireHeld = (db: Database, claim: OwnedKey): Statement =>
  db.insert(idempotencyKeys).select(sql`
    SELECT ${uuidToBytes(claim.integrationId)}, ${claim.key}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    WHERE NOT ${holdsClaim(claim)}`);

/** What a batch with `keepWithEffect` failed with: keyInFlight where the claim isn't the request's any more, else itself. */
export const unlessTakenOver = (error: unknown): unknown =>
  failedOn(error, "idempotency_keys.created_at") ? keyInFlight() : error;

/**
 * Carries out an effect together with its answer.
 * @param condition under which the effect comes about, of the database before it
 * @param before statements between the two
 * @returns what the effect's statement returns
 * @throws ServiceError idempotency_key_in_flight
 */
export const carryOutAnswered = async <Effect extends Statement>(
  db: Database,
  { answered, condition }: { readonly answered: AnsweredKey | null; readonly condition: SQL },
  effect: Effect,
  before: readonly Statement[] = [],
): Promise<Awaited<Effect>> => {
  const statements = [...keepWithEffect(db, answered, condition), ...before, effect];
  try {
    const results = await db.batch(statements as [Statement, ...Statement[]]);
    return results.at(-1) as Awaited<Effect>;
  } catch (error) {
    throw unlessTakenOver(error);
  }
};

/** Ties a request's claim to the operation that it led to in the same batch, or that it joins. */
export const tieClaim = (db: Database, claim: OwnedKey, operationId: Uuid) =>
  db
    .update(idempotencyKeys)
    .set({ operationId })
    .where(and(isHeld(claim), wasAccepted(operationId)));

/** Frees a key whose claim stands for nothing. What became an operation answers for its key itself. */
export const freeKey = async (db: Database, claim: OwnedKey): Promise<void> => {
  const { integrationId, key } = claim;
  const free = db.delete(idempotencyKeys).where(isHeld(claim));
  await db.batch(weighed(db, integrationId, keysWeight(isKey(integrationId, key)), [free]));
};

/** Some keys that have expired, with where their answers are, except those of operations that go on. */
export const expiredKeys = (db: Database, now: Date, limit: number) =>
  db
    .select({
      integrationId: idempotencyKeys.integrationId,
      key: idempotencyKeys.key,
      body: idempotencyKeys.body,
    })
    .from(idempotencyKeys)
    .where(
      and(
        lte(idempotencyKeys.expiresAt, now),
        sql`NOT EXISTS (SELECT 1 FROM operations WHERE id = ${idempotencyKeys.operationId}
          AND state IN ('pending', 'unknown'))`,
      ),
    )
    .limit(limit)
    .all();

/** Keys by their two columns, and where their answers are. */
type ExpiredKey = Awaited<ReturnType<typeof expiredKeys>>[number];

/** Deletes those of the given keys that are still expired, of all integrations, in one batch. */
export const deleteExpired = async (db: Database, keys: readonly ExpiredKey[], now: Date): Promise<void> => {
  const names = keys.map(({ integrationId, key }) => [integrationId.replaceAll("-", ""), key]);
  const gone = sql`(idempotency_keys.integration_id, idempotency_keys.key) IN (
      SELECT unhex(value ->> 0), value ->> 1 FROM json_each(${JSON.stringify(names)}))
    AND idempotency_keys.expires_at <= ${now.getTime()}`;
  await db.batch([unweighKeys(db, gone), db.delete(idempotencyKeys).where(gone)]);
};

import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Budget } from "../../domain/key-rights.ts";
import { DEFAULT_LIMITS, type LimitName, limitsWith } from "../../domain/quota.ts";
import type { Database } from "../client.ts";
import type { Ledger } from "../ledger.ts";
import { integrations } from "../schema/index.ts";
import { failedOn, type Statement } from "../statements.ts";
import { budgetsFrom, budgetsOfKey } from "./api-keys.ts";
import { OPEN } from "./operations.ts";

/**
 * Drafts, keys and pending operations are counted up to the limit, by partial indexes. Bytes are counters in the integration's
 * row, updated by the batch that changes the counted rows.
 */

/** Approximate bytes of a row and its index entries, without its texts. */
const ROW_BYTES = 512;

/** A limit of an integration: the operator's, or the default. Part of a statement that has `integrations` in it. */
const limitOf = (name: LimitName): SQL => sql`coalesce(limits ->> ${`$.${name}`}, ${DEFAULT_LIMITS[name]})`;

const limitFor = (integrationId: Uuid, name: LimitName): SQL =>
  sql`(SELECT ${limitOf(name)} FROM integrations WHERE id = ${uuidToBytes(integrationId)})`;

/** Condition: there are fewer rows than the limit. Reads at most that many rows. */
const fewerThan = (rows: SQL, limit: SQL): SQL =>
  sql`(${limit} > 0 AND NOT EXISTS (${rows} LIMIT 1 OFFSET max(${limit}, 1) - 1))`;

const openDrafts = (integrationId: Uuid): SQL =>
  sql`SELECT 1 FROM drafts WHERE integration_id = ${uuidToBytes(integrationId)} AND state <> 'finalized'`;

const waitingOperations = (integrationId: Uuid): SQL =>
  sql`SELECT 1 FROM operations WHERE integration_id = ${uuidToBytes(integrationId)} AND ${OPEN}
    AND state = 'pending'`;

const workingKeys = (integrationId: Uuid, now: Date): SQL =>
  sql`SELECT 1 FROM api_keys WHERE integration_id = ${uuidToBytes(integrationId)} AND revoked_at IS NULL
    AND expires_at IS NULL
    UNION ALL SELECT 1 FROM api_keys WHERE integration_id = ${uuidToBytes(integrationId)} AND revoked_at IS NULL
    AND expires_at > ${now.getTime()}`;

/** Condition: an integration can have another draft. */
export const mayCreateDraft = (integrationId: Uuid): SQL =>
  fewerThan(openDrafts(integrationId), limitFor(integrationId, "drafts"));

/** Condition: an integration can have another pending operation. @param limit its `operations_waiting` */
export const mayWait = (integrationId: Uuid, limit: number): SQL =>
  fewerThan(waitingOperations(integrationId), sql`${limit}`);

/** The number of an integration's pending operations, in its ledger. */
export const countWaiting = async (ledger: Ledger, integrationId: Uuid): Promise<number> =>
  (
    await ledger.get<{ count: number }>(
      sql`SELECT count(*) AS count FROM (${waitingOperations(integrationId)})`,
    )
  ).count;

/** Condition: an integration can have another key. */
export const mayHaveKey = (integrationId: Uuid, now: Date): SQL =>
  fewerThan(workingKeys(integrationId, now), limitFor(integrationId, "keys"));

/** Condition: with `more` bytes, an integration's rows are below its share of the database. */
export const hasRoom = (integrationId: Uuid, more: SQL = sql`0`): SQL => sql`(
  SELECT database_bytes + ${more} < ${limitOf("database_bytes")} FROM integrations
  WHERE id = ${uuidToBytes(integrationId)})`;

/** Number of an integration's audit entries: of their numbers none is left out, and the oldest are deleted first. */
const auditCount = (integrationId: Uuid): SQL => {
  const of = sql`FROM audit_entries WHERE integration_id = ${uuidToBytes(integrationId)}`;
  return sql`coalesce((SELECT max(seq) ${of}) - (SELECT min(seq) ${of}) + 1, 0)`;
};

/** Condition: an integration's audit log has fewer entries than so many times its limit. */
export const hasAuditRoom = (integrationId: Uuid, times: number): SQL =>
  sql`${auditCount(integrationId)} < ${times} * ${limitFor(integrationId, "audit_entries")}`;

const COUNTERS = { stored_bytes: "storedBytes", database_bytes: "databaseBytes" } as const;

export type Counter = keyof typeof COUNTERS;

/** As its last statement, makes a batch fail that has brought an integration above a limit: the counter becomes null. */
export const refuseAbove = (db: Database, integrationId: Uuid | SQL, counter: Counter): Statement =>
  db
    .update(integrations)
    .set({ [COUNTERS[counter]]: sql`NULL` })
    .where(
      and(
        sql`integrations.id = ${typeof integrationId === "string" ? uuidToBytes(integrationId) : integrationId}`,
        gt(integrations[COUNTERS[counter]], limitOf(counter)),
      ),
    );

/** The limit that made a batch fail; null: it failed for another reason. */
export const exceededLimit = (error: unknown): Counter | "audit_entries" | null =>
  (["stored_bytes", "database_bytes"] as const).find((name) => failedOn(error, `integrations.${name}`)) ??
  (failedOn(error, "audit_entries.actor") ? "audit_entries" : null);

/** The weight of rows: scalar subqueries of bytes; null counts as 0. */
export interface Weight {
  readonly database?: SQL;
  readonly stored?: SQL;
}

/** Adds the weight of rows to an integration's counters, or subtracts it before the rows change. */
export const weigh = (
  db: Database,
  integrationId: Uuid | SQL,
  { database = sql`0`, stored = sql`0` }: Weight,
  sign: 1 | -1,
): Statement =>
  db
    .update(integrations)
    .set({
      databaseBytes: sql`max(database_bytes + ${sign} * weight.database, 0)`,
      storedBytes: sql`max(stored_bytes + ${sign} * weight.stored, 0)`,
    })
    .from(sql`(SELECT coalesce(${database}, 0) AS database, coalesce(${stored}, 0) AS stored) AS weight`)
    .where(sql`integrations.id = ${typeof integrationId === "string" ? uuidToBytes(integrationId) : integrationId}
      AND (weight.database <> 0 OR weight.stored <> 0)`);

/** Statements that change rows, with the integration's counters changed accordingly. */
export const weighed = (
  db: Database,
  integrationId: Uuid | SQL,
  weight: Weight,
  changes: readonly Statement[],
): Statement[] => [weigh(db, integrationId, weight, -1), ...changes, weigh(db, integrationId, weight, 1)];

/** Weight of a draft's row and placeholder, if it is the integration's and open. */
export const draftWeight = (integrationId: Uuid, id: Uuid): Weight => ({
  stored: sql`(SELECT size FROM blobs WHERE sha256 =
    (SELECT placeholder_sha256 FROM drafts WHERE ${isOpenDraft(integrationId, id)}))`,
  database: sql`(SELECT ${ROW_BYTES} + octet_length(settings) FROM drafts WHERE ${isOpenDraft(integrationId, id)})`,
});

const isOpenDraft = (integrationId: Uuid, id: Uuid): SQL =>
  sql`id = ${uuidToBytes(id)} AND integration_id = ${uuidToBytes(integrationId)} AND state = 'draft'`;

/** Weight of assets of an open draft. @param which a condition on `draft_assets` */
export const assetsWeight = (integrationId: Uuid, draftId: Uuid, which: SQL = sql`true`): Weight => {
  const rows = sql`draft_assets WHERE draft_id = (SELECT id FROM drafts WHERE ${isOpenDraft(integrationId, draftId)})
    AND ${which}`;
  const bytes = (column: SQL) => sql`(SELECT size FROM blobs WHERE sha256 = draft_assets.${column})`;
  return {
    database: sql`(SELECT sum(${ROW_BYTES} + octet_length(filename) + coalesce(octet_length(reference_filename), 0)
      + coalesce(octet_length(subtitle), 0)) FROM ${rows})`,
    stored: sql`(SELECT sum(${bytes(sql`sha256`)} + coalesce(${bytes(sql`reference_sha256`)}, 0)) FROM ${rows})`,
  };
};

export const both = (one: Weight, other: Weight): Weight => ({
  database: sql`coalesce(${one.database ?? sql`0`}, 0) + coalesce(${other.database ?? sql`0`}, 0)`,
  stored: sql`coalesce(${one.stored ?? sql`0`}, 0) + coalesce(${other.stored ?? sql`0`}, 0)`,
});

export const ownerOf = (collectionId: Uuid): SQL =>
  sql`(SELECT integration_id FROM collections WHERE id = ${uuidToBytes(collectionId)})`;

/** What files take that a collection keeps beyond its draft's assets; `digests` is a list of their digests. */
export const keptFilesWeight = (collectionId: Uuid, digests: SQL): Weight => ({
  stored: sql`(SELECT sum(size) FROM collection_blobs JOIN blobs USING (sha256)
    WHERE collection_id = ${uuidToBytes(collectionId)} AND collection_blobs.sha256 IN ${digests})`,
});

/** Answers in R2 count too: they last as long as the row, and a limit that is checked before anything is done is theirs. */
const KEY_BYTES = sql`${ROW_BYTES} + octet_length(key) + coalesce(octet_length(body), 0) + coalesce(body_bytes, 0)`;

/** What idempotency keys take; `which` is about `idempotency_keys`. */
export const keysWeight = (which: SQL): Weight => ({
  database: sql`(SELECT sum(${KEY_BYTES}) FROM idempotency_keys WHERE ${which})`,
});

/** Subtracts the weight of rows from the counters of their integrations. */
const unweighRows = (db: Database, table: SQL, bytes: SQL, which: SQL): Statement =>
  db
    .update(integrations)
    .set({ databaseBytes: sql`max(database_bytes - weight.database, 0)` })
    .from(sql`(SELECT integration_id, sum(${bytes}) AS database
      FROM ${table} WHERE ${which} GROUP BY integration_id) AS weight`)
    .where(sql`integrations.id = weight.integration_id`);

export const unweighKeys = (db: Database, which: SQL): Statement =>
  unweighRows(db, sql`idempotency_keys`, KEY_BYTES, which);

/** Recounts an integration's bytes after rows were restored without their weight. */
export const recountUsage = async (db: Database, integrationId: Uuid): Promise<void> => {
  const id = uuidToBytes(integrationId);
  const own = sql`SELECT id FROM drafts WHERE integration_id = ${id}`;
  const sum = (rows: SQL) => sql`coalesce((SELECT ${rows}), 0)`;
  const stored = sql`${sum(sql`sum(asset.size + coalesce(reference.size, 0)) FROM draft_assets
      JOIN blobs AS asset ON asset.sha256 = draft_assets.sha256
      LEFT JOIN blobs AS reference ON reference.sha256 = draft_assets.reference_sha256
      WHERE draft_id IN (${own})`)}
    + ${sum(sql`sum(blobs.size) FROM drafts JOIN blobs ON blobs.sha256 = drafts.placeholder_sha256
      WHERE drafts.integration_id = ${id}`)}
    + ${sum(sql`sum(blobs.size) FROM collections
      JOIN collection_blobs ON collection_blobs.collection_id = collections.id
      JOIN blobs ON blobs.sha256 = collection_blobs.sha256 WHERE collections.integration_id = ${id}`)}`;
  const database = sql`${sum(sql`sum(${ROW_BYTES} + octet_length(settings)) FROM drafts WHERE integration_id = ${id}`)}
    + ${sum(sql`sum(${ROW_BYTES} + octet_length(filename) + coalesce(octet_length(reference_filename), 0)
      + coalesce(octet_length(subtitle), 0)) FROM draft_assets WHERE draft_id IN (${own})`)}
    + ${sum(sql`sum(${KEY_BYTES}) FROM idempotency_keys
      WHERE integration_id = ${id}`)}`;
  await db
    .update(integrations)
    .set({ storedBytes: stored, databaseBytes: database })
    .where(eq(integrations.id, integrationId));
};

/** Reads the limits that the operator has set, and the use of all limits. */
export const selectUsage = (db: Database, integrationId: Uuid, now: Date) => {
  const count = (rows: SQL) => sql<number>`(SELECT count(*) FROM (${rows}))`;
  return db
    .select({
      set: integrations.limits,
      spendingPerDay: integrations.spendingPerDay,
      drafts: count(openDrafts(integrationId)),
      stored_bytes: integrations.storedBytes,
      database_bytes: integrations.databaseBytes,
      keys: count(workingKeys(integrationId, now)),
      audit_entries: sql<number>`${auditCount(integrationId)}`,
      name: integrations.name,
      walletAccountId: integrations.walletAccountId,
    })
    .from(integrations)
    .where(eq(integrations.id, integrationId));
};

export type UsageRow = Awaited<ReturnType<typeof selectUsage>>[number];

/** What limits an integration's operations. */
export interface OperationLimits {
  /** Most pending operations. */
  readonly waiting: number;
  /** Spending limit of its wallet for a day, yoctoNEAR; null: none. */
  readonly spendingPerDay: string | null;
  /** Budgets of the API key that it is accepted for, and of the keys that this one was made by. */
  readonly budgets: readonly Budget[];
}

/** Limits of an operation for a key, or for none. */
export const readOperationLimits = async (
  db: Database,
  { integrationId, keyId }: { readonly integrationId: Uuid; readonly keyId: Uuid | null },
): Promise<OperationLimits> => {
  const row = await db
    .select({
      limits: integrations.limits,
      spendingPerDay: integrations.spendingPerDay,
      budgets: budgetsOfKey(sql`${keyId && uuidToBytes(keyId)}`),
    })
    .from(integrations)
    .where(eq(integrations.id, integrationId))
    .get();
  const waiting = limitsWith(row?.limits ?? null).operations_waiting;
  return { waiting, spendingPerDay: row?.spendingPerDay ?? null, budgets: budgetsFrom(row?.budgets ?? null) };
};

import { asc, type SQL, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { type AuditAction, auditedChanges } from "../../domain/audit.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { auditEntries } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { auditWeight, refuseAbove, weigh } from "./usage.ts";

export type AuditRow = typeof auditEntries.$inferSelect;

/** A change to record. */
export interface AuditedChange {
  readonly action: AuditAction;
  readonly subjectId?: Uuid | null;
  readonly changes?: object;
}

/** What ends something is recorded even beyond the integration's share of the database. */
const isEnding = (action: AuditAction): boolean => action.endsWith(".deleted");

/**
 * Records a change of the request's actor, if `condition` holds; nothing in work that no request asked for. Part of the
 * batch of the change, which fails if a key's entry exceeds the integration's share of the database (`exceededCounter`).
 */
export const recordChange = (
  { db, actor, now }: Pick<ServiceContext, "db" | "actor" | "now">,
  integrationId: Uuid,
  { action, subjectId = null, changes = {} }: AuditedChange,
  condition: SQL,
): Statement[] => {
  if (actor === undefined) return [];
  const integration = uuidToBytes(integrationId);
  const texts = [JSON.stringify(auditedChanges(changes)), JSON.stringify(actor)] as const;
  const entry = db.insert(auditEntries).select(sql`
    SELECT ${integration}, coalesce((SELECT max(seq) FROM audit_entries WHERE integration_id = ${integration}), 0) + 1,
      ${action}, ${subjectId && uuidToBytes(subjectId)}, ${texts[0]}, ${texts[1]}, ${now().getTime()}
    WHERE ${condition}`);
  const isLimited = actor.type === "key" && !isEnding(action);
  return [
    entry,
    weigh(db, integrationId, { database: auditWeight(texts, condition) }, 1),
    ...(isLimited ? [refuseAbove(db, integrationId, "database_bytes")] : []),
  ];
};

/** Entries of an integration after a number, oldest first. */
export const auditAfter = (db: Database, integrationId: Uuid, after: number, limit: number) =>
  db
    .select()
    .from(auditEntries)
    .where(sql`integration_id = ${uuidToBytes(integrationId)} AND seq > ${after}`)
    .orderBy(asc(auditEntries.seq))
    .limit(limit);

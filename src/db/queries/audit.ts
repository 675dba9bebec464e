import { asc, type SQL, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { type AuditAction, auditedChanges } from "../../domain/audit.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { type Database, holds } from "../client.ts";
import { auditEntries } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { hasAuditRoom } from "./usage.ts";

export type AuditRow = typeof auditEntries.$inferSelect;

/** A change to record. */
export interface AuditedChange {
  readonly action: AuditAction;
  readonly subjectId?: Uuid | null;
  readonly changes?: object;
  /** `hasRoomFor` was asked before: it is recorded in any case. */
  readonly hasRoom?: true;
}

/**
 * How many times an integration's limit of entries an action may use: a leaked key can always be deleted, and is still
 * rotated when others have used the limit up. Null: without a limit.
 */
const shareOf = (action: AuditAction): number | null => {
  if (action.endsWith(".deleted")) return null;
  return action.endsWith("rotated") ? 2 : 1;
};

/**
 * Records a change of the request's actor, if `condition` holds; nothing in work that no request asked for. Part of the
 * batch of the change, which fails if a key's entry exceeds the integration's limit (`exceededLimit`).
 */
export const recordChange = (
  { db, actor, now }: Pick<ServiceContext, "db" | "actor" | "now">,
  integrationId: Uuid,
  { action, subjectId = null, changes = {}, hasRoom }: AuditedChange,
  condition: SQL,
): Statement[] => {
  if (actor === undefined) return [];
  const integration = uuidToBytes(integrationId);
  const share = actor.type === "key" && !hasRoom ? shareOf(action) : null;
  const text = JSON.stringify(actor);
  // The column takes no null, so that the batch fails.
  const noted =
    share === null ? sql`${text}` : sql`iif(${hasAuditRoom(integrationId, share)}, ${text}, NULL)`;
  const entry = db.insert(auditEntries).select(sql`
    SELECT ${integration}, coalesce((SELECT max(seq) FROM audit_entries WHERE integration_id = ${integration}), 0) + 1,
      ${action}, ${subjectId && uuidToBytes(subjectId)}, ${JSON.stringify(auditedChanges(changes))}, ${noted},
      ${now().getTime()}
    WHERE ${condition}`);
  return [entry];
};

/** Whether the audit log has room for an entry of the request's actor that is written later. */
export const hasRoomFor = async (
  { db, actor }: Pick<ServiceContext, "db" | "actor">,
  integrationId: Uuid,
  action: AuditAction,
): Promise<boolean> => {
  const share = actor?.type === "key" ? shareOf(action) : null;
  return share === null || holds(db, hasAuditRoom(integrationId, share));
};

/** Entries of an integration after a number, oldest first. */
export const auditAfter = (db: Database, integrationId: Uuid, after: number, limit: number) =>
  db
    .select()
    .from(auditEntries)
    .where(sql`integration_id = ${uuidToBytes(integrationId)} AND seq > ${after}`)
    .orderBy(asc(auditEntries.seq))
    .limit(limit);

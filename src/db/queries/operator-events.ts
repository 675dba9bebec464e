import { type SQL, sql } from "drizzle-orm";
import type { EventType } from "../../domain/events.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import type { Statement } from "../statements.ts";
import { insertEvents } from "./events.ts";

/** Something that the operator is told of. */
export interface OperatorEvent {
  readonly type: EventType;
  readonly data: object;
  readonly at: Date;
}

/**
 * Tells the operator's integration of something where `condition` holds. No statement where there is no such
 * integration; an id that no integration has tells nobody, and breaks no batch.
 */
export const insertOperatorEvent = (
  db: Database,
  operator: string | undefined,
  { type, data, at }: OperatorEvent,
  condition: SQL,
): Statement[] => {
  if (operator === undefined) return [];
  const integrationId = operator as Uuid;
  const isThere = sql`EXISTS (SELECT 1 FROM integrations WHERE id = ${uuidToBytes(integrationId)})`;
  const event = { integrationId, runs: [[type, 1]], data, at } as const;
  return [insertEvents(db, event, sql`${isThere} AND ${condition}`)];
};

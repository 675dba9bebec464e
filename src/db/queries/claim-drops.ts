import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Database } from "../client.ts";
import { claimDrops } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/** A drop as far as events have told of it. */
export type ToldDrop = typeof claimDrops.$inferSelect;

/** What events have told of a contract's drops. */
export const toldDrops = (db: Database, contractId: Uuid): Promise<ToldDrop[]> =>
  db.select().from(claimDrops).where(eq(claimDrops.contractId, contractId)).all();

/** Enters a drop that no event has told of, unless it is there. */
export const enterDrop = (db: Database, { contractId, dropId }: ToldDrop): Statement =>
  db
    .insert(claimDrops)
    .values({ contractId, dropId, told: 0, links: new Uint8Array() })
    .onConflictDoNothing();

/** True while events have told of this many links of a drop. */
export const isToldOf = ({ contractId, dropId, told }: ToldDrop): SQL => sql`EXISTS (
  SELECT 1 FROM claim_drops WHERE contract_id = ${uuidToBytes(contractId)} AND drop_id = ${dropId} AND told = ${told})`;

/** Notes that events have told of more links of a drop. */
export const raiseToldLinks = (
  db: Database,
  { contractId, dropId, told }: ToldDrop,
  next: Pick<ToldDrop, "told" | "links">,
): Statement =>
  db
    .update(claimDrops)
    .set(next)
    .where(
      and(eq(claimDrops.contractId, contractId), eq(claimDrops.dropId, dropId), eq(claimDrops.told, told)),
    );

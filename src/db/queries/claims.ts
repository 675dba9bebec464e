import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import type { Ledger } from "../ledger.ts";
import { claims, operations } from "../schema/ledger.ts";
import type { Statement } from "../statements.ts";
import { wasAccepted } from "./operations.ts";

export interface ClaimedLink {
  readonly collectionId: Uuid;
  readonly dropId: number;
  readonly link: number;
}

/** The operation that relays a link's claim, which the database may have lost; undefined: none was accepted. */
export const findClaim = (db: Ledger, { collectionId, dropId, link }: ClaimedLink) =>
  db
    .select({ operationId: claims.operationId, operation: operations })
    .from(claims)
    .leftJoin(operations, eq(operations.id, claims.operationId))
    .where(and(eq(claims.collectionId, collectionId), eq(claims.dropId, dropId), eq(claims.link, link)))
    .get();

/** Puts back which operation relays a link's claim: the latest that does. */
export const putClaimBack = (
  db: Ledger,
  { collectionId, dropId, link }: ClaimedLink,
  operationId: Uuid,
): Statement =>
  db
    .insert(claims)
    .values({ collectionId, dropId, link, operationId })
    .onConflictDoUpdate({
      target: [claims.collectionId, claims.dropId, claims.link],
      set: { operationId: sql`excluded.operation_id` },
      setWhere: sql`excluded.operation_id > ${claims.operationId}`,
    });

/** The number of a drop that stands for all of a contract of which a lost ledger doesn't know what was reported. */
export const LOST_DROPS = -1;

/** Condition: a link has no pending or successful claim. */
export const isUnclaimed = ({ collectionId, dropId, link }: ClaimedLink): SQL => sql`NOT EXISTS (
  SELECT 1 FROM claims JOIN operations AS claiming ON claiming.id = claims.operation_id
  WHERE claims.collection_id = ${uuidToBytes(collectionId)} AND claims.drop_id = ${dropId}
  AND claims.link = ${link} AND claiming.state <> 'failed')`;

/** Records the operation that relays a link's claim, in the batch that accepts it. */
export const keepClaim = (
  db: Ledger,
  { collectionId, dropId, link }: ClaimedLink,
  operationId: Uuid,
): Statement =>
  db
    .insert(claims)
    .select(
      sql`SELECT ${uuidToBytes(collectionId)}, ${dropId}, ${link}, ${uuidToBytes(operationId)} WHERE ${wasAccepted(operationId)}`,
    )
    .onConflictDoUpdate({
      target: [claims.collectionId, claims.dropId, claims.link],
      set: { operationId: sql`excluded.operation_id` },
    });

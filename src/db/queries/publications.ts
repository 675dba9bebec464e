import { eq, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Publication } from "../../domain/steps.ts";
import type { Database } from "../client.ts";
import { operations, publications } from "../schema/index.ts";

/** What is known of a code's publication, from the view of one deployment. */
export const publicationOf = async (
  db: Database,
  codeHash: Uint8Array,
  operationId: Uuid,
): Promise<Publication> => {
  const found = await db
    .select({ operationId: publications.operationId, state: operations.state })
    .from(publications)
    .leftJoin(operations, eq(operations.id, publications.operationId))
    .where(eq(publications.codeHash, codeHash))
    .get();
  if (!found) return "none";
  if (found.operationId === operationId) return "ours";
  if (found.state === "pending" || found.state === "unknown") return "elsewhere_pending";
  return found.state === "succeeded" ? "elsewhere_done" : "none";
};

/** Makes a deployment the one that publishes. False if another that is at work, or was successful, came first. */
export const claimPublication = async (db: Database, codeHash: Uint8Array, operationId: Uuid, now: Date) => {
  await db
    .insert(publications)
    .values({ codeHash, operationId, createdAt: now })
    .onConflictDoUpdate({
      target: publications.codeHash,
      set: { operationId, createdAt: now },
      setWhere: sql`NOT EXISTS (SELECT 1 FROM operations WHERE id = publications.operation_id AND state IN ('pending', 'unknown', 'succeeded'))`,
    });
  return (await publicationOf(db, codeHash, operationId)) === "ours";
};

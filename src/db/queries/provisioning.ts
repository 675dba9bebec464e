import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Publication } from "../../domain/steps.ts";
import type { Database } from "../client.ts";
import { contracts, integrations, operations, publications } from "../schema/index.ts";
import type { Statement } from "../statements.ts";
import { isOpen, wasAccepted } from "./operations.ts";

/** The state of a code's publication, as seen by one deployment. */
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

/** Claims the publication of a code for a deployment. False if another deployment is publishing it or has published it. */
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

/**
 * Stores the sealed copy of a wallet's key, before its account exists. It never replaces another key's, which may be the only
 * one of an account; false then.
 */
export const storeWalletKey = async (
  db: Database,
  id: Uuid,
  key: Partial<typeof integrations.$inferInsert> & { readonly walletPublicKey: Uint8Array },
  now: Date,
): Promise<boolean> => {
  const isFree = or(
    isNull(integrations.walletPublicKey),
    eq(integrations.walletPublicKey, key.walletPublicKey),
  );
  const stored = await db
    .update(integrations)
    .set({ ...key, updatedAt: now })
    .where(and(eq(integrations.id, id), isFree))
    .returning({ id: integrations.id });
  return stored.length > 0;
};

/** Records that the creation of the wallet's account was accepted. */
export const startWallet = (db: Database, id: Uuid, operationId: Uuid, now: Date): Statement =>
  db
    .update(integrations)
    .set({ walletState: "creating", updatedAt: now })
    .where(and(eq(integrations.id, id), wasAccepted(operationId)));

/** Records the outcome of creating a wallet's account. */
export const setWalletState = (
  db: Database,
  id: Uuid,
  walletState: "new" | "ready",
  { operationId, now }: { readonly operationId: Uuid; readonly now: Date },
): Statement =>
  db
    .update(integrations)
    .set({ walletState, updatedAt: now })
    .where(and(eq(integrations.id, id), ne(integrations.walletState, "ready"), isOpen(operationId)));

/** Stores a contract that is being deployed or was adopted. */
export const insertContract = (db: Database, row: typeof contracts.$inferInsert) =>
  db.insert(contracts).values(row).onConflictDoNothing().returning();

/** Records the outcome of a contract's deployment. */
export const setContractState = (
  db: Database,
  id: Uuid,
  state: "ready" | "failed",
  { operationId, now }: { readonly operationId: Uuid; readonly now: Date },
): Statement =>
  db
    .update(contracts)
    .set({ state, updatedAt: now })
    .where(and(eq(contracts.id, id), eq(contracts.state, "deploying"), isOpen(operationId)));

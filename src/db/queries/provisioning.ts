import { and, eq, isNull, ne, or } from "drizzle-orm";
import type { Uuid } from "../../domain/ids.ts";
import type { Publication } from "../../domain/steps.ts";
import type { Database } from "../client.ts";
import { contracts, integrations, publications } from "../schema/index.ts";
import type { Statement } from "../statements.ts";

/** The state of a code's publication, as seen by one deployment. */
export const publicationOf = async (
  db: Database,
  codeHash: Uint8Array,
  operationId: Uuid,
): Promise<Publication> => {
  const found = await db.select().from(publications).where(eq(publications.codeHash, codeHash)).get();
  if (!found) return "none";
  if (found.operationId === operationId) return "ours";
  return found.isDone ? "elsewhere_done" : "elsewhere_pending";
};

/** Claims the publication of a code for a deployment. False if another deployment is publishing it or has published it. */
export const claimPublication = async (db: Database, codeHash: Uint8Array, operationId: Uuid, now: Date) => {
  await db.insert(publications).values({ codeHash, operationId, createdAt: now }).onConflictDoNothing();
  return (await publicationOf(db, codeHash, operationId)) === "ours";
};

/** Records that a deployment has published its code, or that it won't. */
export const endPublication = (db: Database, operationId: Uuid, isDone: boolean): Statement =>
  isDone
    ? db.update(publications).set({ isDone }).where(eq(publications.operationId, operationId))
    : db
        .delete(publications)
        .where(and(eq(publications.operationId, operationId), eq(publications.isDone, false)));

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

/** Records that the creation of the wallet's account is to be accepted, unless it is already being made. */
export const startWallet = (db: Database, id: Uuid, now: Date) =>
  db
    .update(integrations)
    .set({ walletState: "creating", updatedAt: now })
    .where(and(eq(integrations.id, id), ne(integrations.walletState, "ready")));

/** Records the outcome of creating a wallet's account. */
export const setWalletState = (db: Database, id: Uuid, walletState: "new" | "ready", now: Date): Statement =>
  db
    .update(integrations)
    .set({ walletState, updatedAt: now })
    .where(and(eq(integrations.id, id), ne(integrations.walletState, "ready")));

/** Stores a contract that is being deployed or was adopted. */
export const insertContract = (db: Database, row: typeof contracts.$inferInsert) =>
  db.insert(contracts).values(row).onConflictDoNothing().returning();

/** Records the outcome of a contract's deployment. */
export const setContractState = (db: Database, id: Uuid, state: "ready" | "failed", now: Date): Statement =>
  db
    .update(contracts)
    .set({ state, updatedAt: now })
    .where(and(eq(contracts.id, id), eq(contracts.state, "deploying")));

import { and, lt, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { madeAt } from "../../db/queries/archives.ts";
import { releaseDraft } from "../../db/queries/collection-effects.ts";
import { setContractState } from "../../db/queries/provisioning.ts";
import { contracts, drafts } from "../../db/schema/index.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { ACCEPTED_WITHIN_MS } from "../../operations/engine/in-doubt.ts";

/** Drafts and contracts of one run. */
const MOST = 50;

/** How long a reservation may wait for its operation: longer than any can still be accepted. Milliseconds. */
const RESERVED_MS = 2 * ACCEPTED_WITHIN_MS;

/**
 * Gives back what D1 has reserved for operations that were never accepted, because the Worker stopped in between: locked drafts, and
 * contracts that are being deployed. A ledger that has lost operations since says nothing about them.
 */
export const releaseUnaccepted = async (context: ServiceContext): Promise<void> => {
  const { db, log, now } = context;
  const before = new Date(now().getTime() - RESERVED_MS);
  const [locked, deploying] = await db.batch([
    db
      .select({ id: drafts.id, integrationId: drafts.integrationId, operationId: drafts.operationId })
      .from(drafts)
      .where(and(sql`state = 'finalizing'`, lt(drafts.updatedAt, before)))
      .limit(MOST),
    db
      .select({ id: contracts.id, integrationId: contracts.integrationId, createdAt: contracts.createdAt })
      .from(contracts)
      .where(and(sql`state = 'deploying'`, lt(contracts.createdAt, before)))
      .limit(MOST),
  ]);
  const release = async (what: object, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      log("reconcile.reservation_kept", { ...what, error });
    }
  };
  for (const { id, integrationId, operationId } of locked) {
    await release({ draft_uuid: id }, async () => {
      if (operationId === null) return;
      const known = sql`SELECT 1 FROM operations WHERE id = ${uuidToBytes(operationId)}`;
      if (await isKnown(context, integrationId, known, madeAt(operationId))) return;
      await releaseDraft(db, id, operationId, now());
      log("reconcile.draft_released", { draft_uuid: id });
    });
  }
  for (const { id, integrationId, createdAt } of deploying) {
    await release({ contract_uuid: id }, async () => {
      const known = sql`SELECT 1 FROM operations WHERE subject_id = ${uuidToBytes(id)}`;
      if (await isKnown(context, integrationId, known, createdAt.getTime())) return;
      await setContractState(db, id, "failed", now());
      log("reconcile.contract_failed", { contract_uuid: id });
    });
  }
};

/** Whether a ledger has an operation, or may have lost it. @param since when it was to be accepted, milliseconds since the epoch */
const isKnown = async (
  context: ServiceContext,
  integrationId: Uuid,
  operation: ReturnType<typeof sql>,
  since: number,
): Promise<boolean> => {
  const { known } = await ledgerOf(context, integrationId).get<{ known: number }>(
    sql`SELECT EXISTS (${operation}) OR EXISTS (SELECT 1 FROM wallet WHERE restored_at >= ${since}) AS known`,
  );
  return known === 1;
};

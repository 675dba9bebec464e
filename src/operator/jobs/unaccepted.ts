import { and, asc, gt, lt, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { madeAt } from "../../db/queries/archives.ts";
import { releaseDraft } from "../../db/queries/collection-effects.ts";
import { FIRST } from "../../db/queries/integrations.ts";
import { setContractState } from "../../db/queries/provisioning.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { contracts, drafts } from "../../db/schema/index.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { ACCEPTED_WITHIN_MS } from "../../operations/engine/in-doubt.ts";

/** Drafts of one run, and contracts: many may wait for the operator, who settles their operations. */
const MOST = 50;
const SWEEP = "unaccepted";

/** How long a reservation may wait for its operation: longer than any can still be accepted. Milliseconds. */
const RESERVED_MS = 5 * ACCEPTED_WITHIN_MS;

/** The last draft and the last contract of the run before; null: the beginning. */
type Cursor = readonly [draft: Uuid | null, contract: Uuid | null];

/**
 * Releases what D1 has reserved for operations that were never accepted, because the Worker stopped in between: locked drafts, and
 * contracts that are being deployed. A ledger that has lost operations since says nothing about them.
 */
export const releaseUnaccepted = async (context: ServiceContext): Promise<void> => {
  const { db, log, now } = context;
  const before = new Date(now().getTime() - RESERVED_MS);
  const [draft, contract] = JSON.parse((await readSweep(db, SWEEP)) ?? "[null,null]") as Cursor;
  const [locked, deploying] = await db.batch([
    db
      .select({ id: drafts.id, integrationId: drafts.integrationId, operationId: drafts.operationId })
      .from(drafts)
      .where(and(sql`state = 'finalizing'`, lt(drafts.updatedAt, before), gt(drafts.id, draft ?? FIRST)))
      .orderBy(asc(drafts.id))
      .limit(MOST),
    db
      .select({ id: contracts.id, integrationId: contracts.integrationId, createdAt: contracts.createdAt })
      .from(contracts)
      .where(
        and(sql`state = 'deploying'`, lt(contracts.createdAt, before), gt(contracts.id, contract ?? FIRST)),
      )
      .orderBy(asc(contracts.id))
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
      log("reconcile.contract_released", { contract_uuid: id });
    });
  }
  const next: Cursor = [lastOf(locked), lastOf(deploying)];
  await writeSweep(db, SWEEP, JSON.stringify(next), now());
};

/** The cursor behind a run's rows. */
const lastOf = (rows: readonly { readonly id: Uuid }[]): Uuid | null =>
  rows.length < MOST ? null : rows.at(-1)!.id;

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

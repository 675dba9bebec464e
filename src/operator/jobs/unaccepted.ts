import { and, asc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { madeAt } from "../../db/queries/archives.ts";
import { releaseDraft } from "../../db/queries/collection-effects.ts";
import { releaseFiles } from "../../db/queries/collection-media.ts";
import { FIRST } from "../../db/queries/integrations.ts";
import { setContractState } from "../../db/queries/provisioning.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { broughtFiles, collections, contracts, drafts } from "../../db/schema/index.ts";
import { type Uuid, uuidAt, uuidToBytes } from "../../domain/ids.ts";
import { ACCEPTED_WITHIN_MS } from "../../operations/engine/in-doubt.ts";

/** Drafts of one run, and contracts: many may wait for the operator, who settles their operations. */
const MOST = 50;
const SWEEP = "unaccepted";

/** How long a reservation may wait for its operation: longer than any can still be accepted. Milliseconds. */
const RESERVED_MS = 5 * ACCEPTED_WITHIN_MS;

/** Operations of one run whose files are looked at, and until what age: a ledger may archive what is an hour old. Milliseconds. */
const MOST_WITH_FILES = 200;
const FILES_UNTIL_MS = 50 * 60_000;

/**
 * The last draft, contract and operation with files of the run before, null: the beginning; and whether a ledger didn't answer
 * about files since the beginning, which are then looked at again.
 */
type Cursor = readonly [draft: Uuid | null, contract: Uuid | null, files?: Uuid | null, failed?: boolean];

/**
 * Releases what D1 has reserved for operations that were never accepted, because the Worker stopped in between: locked drafts,
 * contracts that are being deployed, and files that were brought to a collection. A ledger that has lost operations since says nothing about them.
 */
export const releaseUnaccepted = async (context: ServiceContext): Promise<void> => {
  const { db, log, now } = context;
  const cursor = JSON.parse((await readSweep(db, SWEEP)) ?? "[null,null]") as Cursor;
  const [locked, deploying, brought] = await reservations(context, cursor);
  const release = async (what: object, work: () => Promise<unknown>) => {
    try {
      await work();
      return true;
    } catch (error) {
      log("reconcile.reservation_kept", { ...what, error });
      return false;
    }
  };
  for (const { id, integrationId, operationId } of locked) {
    await release({ draft_uuid: id }, async () => {
      if (operationId === null) return;
      const known = sql`SELECT 1 FROM operations WHERE id = ${uuidToBytes(operationId)}
        UNION ALL ${mayHaveBegun(id)}`;
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
  // One call of each ledger: mints that bring files may be many.
  let hasFailed = cursor[3] ?? false;
  for (const [integrationId, some] of Map.groupBy(brought, ({ integrationId: owner }) => owner)) {
    const isReleased = await release({ integration_uuid: integrationId }, async () => {
      const known = await knownOf(context, integrationId, some);
      for (const { operationId, collectionId, sha256s } of some) {
        if (known.has(digitsOf(operationId))) continue;
        const names = JSON.parse(sha256s) as string[];
        await runBatch(db, releaseFiles(db, { collectionId, operationId }, names));
        log("reconcile.files_released", { collection_uuid: collectionId, operation_uuid: operationId });
      }
    });
    hasFailed ||= !isReleased;
  }
  const isAgain = hasFailed && brought.length < MOST_WITH_FILES;
  const files = isAgain ? null : (brought.at(-1)?.operationId ?? cursor[2] ?? null);
  const next: Cursor = [lastOf(locked), lastOf(deploying), files, hasFailed && !isAgain];
  await writeSweep(db, SWEEP, JSON.stringify(next), now());
};

/**
 * Finalizations of a draft that may have begun its collection on the chain: it may not change any more, and the next finalization
 * continues there.
 */
const mayHaveBegun = (draftId: Uuid): SQL => sql`SELECT 1 FROM operations
  WHERE subject_id = ${uuidToBytes(draftId)} AND kind = 'finalize' AND (json_extract(request, '$.begun') IS NOT NULL
    OR EXISTS (SELECT 1 FROM transactions WHERE operation_id = operations.id AND step GLOB 'create*'))`;

/** What is reserved for operations that have to be accepted by now: drafts, contracts, files. */
const reservations = ({ db, now }: ServiceContext, [draft, contract, files]: Cursor) => {
  const before = new Date(now().getTime() - RESERVED_MS);
  const oldest = uuidAt(new Date(now().getTime() - FILES_UNTIL_MS));
  return db.batch([
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
    db
      .select({
        operationId: broughtFiles.operationId,
        collectionId: broughtFiles.collectionId,
        integrationId: collections.integrationId,
        sha256s: sql<string>`json_group_array(lower(hex(sha256)))`,
      })
      .from(broughtFiles)
      .innerJoin(collections, eq(collections.id, broughtFiles.collectionId))
      .where(
        and(
          gt(broughtFiles.operationId, files && files > oldest ? files : oldest),
          lt(broughtFiles.operationId, uuidAt(before)),
        ),
      )
      .groupBy(broughtFiles.operationId)
      .orderBy(asc(broughtFiles.operationId))
      .limit(MOST_WITH_FILES),
  ]);
};

/** Which of some operations a ledger has or may have lost, by the hexadecimal digits of their ids. */
const knownOf = async (
  context: ServiceContext,
  integrationId: Uuid,
  some: readonly { readonly operationId: Uuid }[],
): Promise<ReadonlySet<string>> => {
  const ids = JSON.stringify(some.map(({ operationId }) => digitsOf(operationId)));
  const { known } = await ledgerOf(context, integrationId).get<{ known: string }>(sql`
    SELECT json_group_array(value) AS known FROM json_each(${ids})
    WHERE EXISTS (SELECT 1 FROM operations WHERE id = unhex(value))
      OR EXISTS (SELECT 1 FROM wallet WHERE restored_at >= ${madeAt(some[0]!.operationId)})`);
  return new Set(JSON.parse(known) as string[]);
};

const digitsOf = (id: Uuid): string => id.replaceAll("-", "");

/** The cursor behind a run's rows. */
const lastOf = (rows: readonly { readonly id: Uuid }[]): Uuid | null =>
  rows.length < MOST ? null : rows.at(-1)!.id;

/** Whether a ledger has an operation, or may have lost it. @param since when it was to be accepted, milliseconds since the epoch */
const isKnown = async (
  context: ServiceContext,
  integrationId: Uuid,
  operation: SQL,
  since: number,
): Promise<boolean> => {
  const { known } = await ledgerOf(context, integrationId).get<{ known: number }>(
    sql`SELECT EXISTS (${operation}) OR EXISTS (SELECT 1 FROM wallet WHERE restored_at >= ${since}) AS known`,
  );
  return known === 1;
};

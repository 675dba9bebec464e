import type { ServiceContext } from "../context.ts";
import { deleteDraft } from "../db/queries/drafts.ts";
import { deletedAfter, openDraftsOf } from "../db/queries/integrations.ts";
import { readSweep, writeSweep } from "../db/queries/sweeps.ts";
import type { Uuid } from "../domain/ids.ts";

const SWEEP = "deleted";

/** Deleted integrations that one run looks at, and drafts that it deletes; each may have thousands of assets. */
const INTEGRATIONS = 50;
const DRAFTS = 10;

/** Deletes the open drafts of deleted integrations, some a run. Clean-up then deletes their files. */
export const forgetDeleted = async ({ db, now }: ServiceContext): Promise<void> => {
  const after = (await readSweep(db, SWEEP)) as Uuid | null;
  const deleted = await deletedAfter(db, after, INTEGRATIONS);
  if (deleted.length === 0 && after === null) return;
  const open = await openDraftsOf(db, deleted, DRAFTS);
  for (const { id, integrationId } of open) await deleteDraft(db, integrationId, id);
  // More of the same may be open.
  if (open.length === DRAFTS) return;
  await writeSweep(db, SWEEP, deleted.length < INTEGRATIONS ? null : (deleted.at(-1) ?? null), now());
};

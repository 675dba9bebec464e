import type { ServiceContext } from "../context.ts";
import { deleteDraft } from "../db/queries/drafts.ts";
import { draftsOfDeleted } from "../db/queries/integrations.ts";

/** Drafts that one run deletes; each may have thousands of assets. */
const DRAFTS = 10;

/** Deletes the open drafts of deleted integrations, some a run. Clean-up then deletes their files. */
export const forgetDeleted = async ({ db }: ServiceContext): Promise<void> => {
  for (const { id, integrationId } of await draftsOfDeleted(db, DRAFTS))
    await deleteDraft(db, integrationId, id);
};

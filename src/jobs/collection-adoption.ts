import { settingsFromContract } from "../chain/contract/settings.ts";
import type { ContractCollection } from "../chain/contract/views.ts";
import { type NewCollection, newCollection } from "../collections/new-collection.ts";
import type { ServiceContext } from "../context.ts";
import { DraftAssets } from "../db/draft-assets.ts";
import { isBehind } from "../db/queries/behind-wallets.ts";
import { findCollection } from "../db/queries/collections.ts";
import type { ContractRow } from "../db/queries/contracts.ts";
import { findPlanned, finishAdopted, lockAgain } from "../db/queries/lost-drafts.ts";
import { recountUsage } from "../db/queries/usage.ts";
import type { Statement } from "../db/statements.ts";
import { type Uuid, uuidFromBytes } from "../domain/ids.ts";
import { isAsOnChain, putDraftBack, readManifest } from "../drafts/manifest.ts";

/**
 * Enters a published collection that the database lacks, where its external id is the one that a draft was to have:
 * the finalization is known to nobody any more, neither the database nor a wallet. Its draft is put back as R2 has it,
 * or taken as it is if it has as many assets and copies as the collection.
 * @returns whether it was entered
 */
export const adoptCollection = async (
  context: ServiceContext,
  contract: ContractRow,
  shown: ContractCollection,
): Promise<boolean> => {
  const { db, log } = context;
  // The recovery puts it back together with its operation, and the answer that was given.
  if (!shown.published || (await isBehind(db))) return false;
  const id = uuidFromBytes(Buffer.from(shown.external_id, "hex"));
  // Known under another number: that is to be reported, and nothing is to be entered.
  if (await findCollection(db, contract.integrationId, id)) return false;
  const draftId = await lockedDraft(context, contract, id, shown);
  if (draftId === null) return false;
  const collection: NewCollection = {
    id,
    integrationId: contract.integrationId,
    contractId: contract.id,
    draftId,
    onChainId: shown.collection_id,
    settings: settingsFromContract(shown),
    total: shown.total,
    assets: shown.assets,
    minted: shown.minted,
    height: 0,
  };
  const { statements, commit } = await newCollection(context, collection, new DraftAssets(db, draftId));
  const batch = [...statements, finishAdopted(db, draftId, id, context.now())];
  await commit(() => db.batch(batch as unknown as [Statement, ...Statement[]]));
  await recountUsage(db, contract.integrationId);
  log("reconcile.collection_adopted", {
    contract: contract.accountId,
    collection_uuid: id,
    draft_uuid: draftId,
  });
  return true;
};

/** The draft of a collection, locked with the assets that are on the chain; null if there is none. */
const lockedDraft = async (
  context: ServiceContext,
  contract: ContractRow,
  collectionUuid: Uuid,
  shown: ContractCollection,
): Promise<Uuid | null> => {
  const planned = await findPlanned(context.db, contract.integrationId, collectionUuid);
  const operationId = planned?.operationId ?? null;
  const manifest = await readManifest(context, collectionUuid);
  if (manifest?.integrationUuid === contract.integrationId && manifest.assets.length === shown.assets) {
    await putDraftBack(context, manifest, {
      contractId: contract.id,
      contract: contract.accountId,
      plannedCollectionId: collectionUuid,
      settings: settingsFromContract(shown),
      operationId,
    });
    return manifest.draftUuid;
  }
  if (!planned || !(await isAsOnChain(context, planned.id, shown))) return null;
  await lockAgain(context.db, planned.id, operationId, context.now());
  return planned.id;
};

import { contractViews } from "../../chain/contract/views.ts";
import { connect } from "../../chain/rpc.ts";
import { findOnChain } from "../../collections/on-chain.ts";
import type { ServiceContext } from "../../context.ts";
import { findCollection } from "../../db/queries/collections.ts";
import { type DraftRow, findDraft } from "../../db/queries/drafts.ts";
import { lockAgain } from "../../db/queries/lost-drafts.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { isAsOnChain, keepManifest, putDraftBack, readManifest } from "../../drafts/manifest.ts";
import { type Operation, Unrestorable } from "../kind.ts";
import type { FinalizedDraft, FinalizeOperation } from "./finalize-plan.ts";

/** Keeps what a database that loses this finalization and its draft needs to have both back. */
export const keepManifestOf = async (
  context: ServiceContext,
  { subjectId, integrationId, request }: Operation<FinalizeOperation>,
  { assets, createdAt }: FinalizedDraft,
): Promise<void> => {
  const times = createdAt ? { createdAt } : await requireDraft(context, integrationId, subjectId);
  const draft = { id: subjectId, integrationId, createdAt: times.createdAt };
  await keepManifest(context, request.collectionUuid, draft, assets);
};

const requireDraft = async (
  context: ServiceContext,
  integrationId: Uuid,
  id: Uuid,
): Promise<DraftRow["draft"]> => {
  const found = await findDraft(context.db, integrationId, id);
  if (!found) throw new Error(`draft ${id} has no row`);
  return found.draft;
};

/**
 * Puts the draft of a finalization back as it was accepted: locked, with the assets that went on the chain.
 * @throws Unrestorable if nothing has those assets any more
 */
export const putFinalizationBack = async (
  context: ServiceContext,
  operation: Operation<FinalizeOperation>,
  giveUp: (other: Uuid) => Promise<void>,
): Promise<void> => {
  const { id, integrationId, subjectId, request } = operation;
  const { contractUuid: contractId, contract, collectionUuid, settings } = request;
  if (await findCollection(context.db, integrationId, collectionUuid)) return;
  const before = await findDraft(context.db, integrationId, subjectId);
  const holder = before?.draft.operationId ?? null;
  if (holder !== null && holder !== id) await giveUp(holder);
  const manifest = await readManifest(context, collectionUuid);
  if (manifest === null) return lockDraftAgain(context, operation, before?.draft);
  const home = { contractId, contract, plannedCollectionId: collectionUuid, settings, operationId: id };
  try {
    await putDraftBack(context, manifest, home);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "conflict") throw error;
    throw new Unrestorable(`Its draft can't be put back: ${error.message}`);
  }
};

/** Without a manifest the database's draft is used, if it is the one that went on the chain. */
const lockDraftAgain = async (
  context: ServiceContext,
  { id, request }: Operation<FinalizeOperation>,
  draft: DraftRow["draft"] | undefined,
): Promise<void> => {
  if (!draft) throw new Unrestorable("Neither the database nor R2 has its draft.");
  const views = contractViews(connect(context.settings), request.contract);
  const shown = await findOnChain(views, request.collectionUuid);
  if (shown && !(await isAsOnChain(context, draft.id, shown))) {
    throw new Unrestorable(
      "Its draft has other assets than the collection on the chain, and R2 has no list.",
    );
  }
  await lockAgain(context.db, draft.id, id, context.now());
};

import type { FinalizeAnswer } from "../api/resources/collection.ts";
import type { ContractCollection } from "../chain/contract/views.ts";
import { readCurrencies } from "../collections/currencies.ts";
import { hasManifest, isAsOnChain } from "../collections/draft-manifest.ts";
import { commitmentOf, newOrder, readOrder, resealOrder } from "../collections/hidden-assets.ts";
import { requirePayees } from "../collections/new-collection.ts";
import type { Caller, EndpointResponse, ServiceContext } from "../context.ts";
import { ASSETS_A_PAGE, DraftAssets, wholeOf } from "../db/draft-assets.ts";
import { ledgerOf } from "../db/ledger.ts";
import { draftTotals, pageOfAssets } from "../db/queries/assets.ts";
import { isFinalizable, isLockedFor, lockDraft, unlockDraft } from "../db/queries/collection-effects.ts";
import { type DraftRow, type DraftToFinalize, findToFinalize } from "../db/queries/drafts.ts";
import { insertOperationKey, runKeyedBatch } from "../db/queries/idempotency.ts";
import { findOperation, type OperationRow } from "../db/queries/operations.ts";
import { mostAssets } from "../domain/batch-limits.ts";
import { invalidField, ServiceError, unsentConflict } from "../domain/errors.ts";
import { newUuid, toHex, type Uuid } from "../domain/ids.ts";
import { phasesOf, withPhases } from "../domain/settings.ts";
import { pause } from "../waiting.ts";
import { ACCEPTED_WITHIN_MS } from "./engine/in-doubt.ts";
import { joinOperation, tryOperation } from "./engine/run.ts";
import type { Proposal, Reservation } from "./kind.ts";
import { collectionOnChain } from "./kinds/finalize.ts";
import {
  type DraftAsRead,
  draftEmpty,
  type FinalizeOperation,
  hiddenAssets,
  splitAssets,
} from "./kinds/finalize-plan.ts";
import { registering } from "./registrations.ts";

/** Pause before a draft is read again whose finalization isn't accepted yet. Milliseconds. */
const LOOK_AGAIN_MS = 250;

/** Retries for a draft that changes during its finalization. */
const TRIES = 5;

/**
 * Creates a collection on-chain from a draft. A draft yields exactly one collection: a call during its finalization
 * joins that one and gets its response.
 * @throws ServiceError not_found, draft_finalized, draft_empty, unknown_account, invalid_request (what is no
 *   currency), wallet_busy and spending_limit_reached of registrations, and those of a chain write
 */
export const finalizeDraft = async (
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
): Promise<EndpointResponse<FinalizeAnswer>> => {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const { found, underWay } = await requireFinalizable(context, caller, draftId);
    if (underWay) return join(context, caller, underWay);
    const proposal = await proposalOf(context, caller, found).catch(async (error: unknown) => {
      // A finalization that has begun since may be registering what this one would register.
      const { underWay: begun } = await requireFinalizable(context, caller, draftId);
      if (begun) return begun;
      throw error;
    });
    if ("state" in proposal) return join(context, caller, proposal);
    const answer = await tryOperation<"finalize">(context, caller, proposal);
    if (answer) return answer;
    if (await isEmpty(context, draftId)) throw draftEmpty();
  }
  throw keepsChanging();
};

/** Proposes the finalization of a draft, for a quote. @throws ServiceError those of `finalizeDraft`, draft_locked */
export const proposeFinalization = async (
  context: ServiceContext,
  caller: Caller,
  draftId: Uuid,
): Promise<Proposal<"finalize">> => {
  const { found, underWay } = await requireFinalizable(context, caller, draftId);
  if (underWay) throw isUnderWay(underWay);
  const refusal = async () => ((await isEmpty(context, draftId)) ? draftEmpty() : keepsChanging());
  return { ...(await proposalOf(context, caller, found)), refusal };
};

/**
 * Reads a draft that isn't finalized, and its running finalization if there is one. Waits for one that has locked the draft and
 * isn't accepted yet.
 */
const requireFinalizable = async (context: ServiceContext, caller: Caller, draftId: Uuid) => {
  const until = context.now().getTime() + context.settings.SYNC_WAIT_MS;
  for (;;) {
    const { isLocked, ...read } = await readFinalizable(context, caller, draftId);
    if (!isLocked) return read;
    if (context.now().getTime() >= until) throw isBeginning();
    await pause(LOOK_AGAIN_MS);
  }
};

const readFinalizable = async (context: ServiceContext, { integrationId }: Caller, draftId: Uuid) => {
  const found = await findToFinalize(context.db, integrationId, draftId, ASSETS_A_PAGE);
  if (!found) {
    throw new ServiceError(
      "not_found",
      "There is no such collection draft. Check its collection_draft_uuid.",
    );
  }
  if (found.draft.state === "finalized") throw alreadyFinalized(found);
  const { operationId, state } = found.draft;
  const ledger = ledgerOf(context, integrationId);
  const latest = operationId === null ? undefined : await findOperation(ledger, operationId);
  const isBegun = state === "finalizing" && latest && latest.state !== "failed";
  // Its lock was taken for an operation that its ledger doesn't have, or not yet.
  const lockedMs = context.now().getTime() - found.draft.updatedAt.getTime();
  const isLocked = state === "finalizing" && latest === undefined && lockedMs < ACCEPTED_WITHIN_MS;
  return { found: { ...found, latest }, underWay: isBegun ? latest : null, isLocked };
};

const isBeginning = (): ServiceError =>
  new ServiceError("conflict", "Finalize the draft again in a moment: another request is beginning to.", {
    outcome: "not_submitted",
    retryable: true,
    retryAfter: 2,
  });

const keepsChanging = (): ServiceError =>
  new ServiceError("conflict", "The draft keeps changing. Finalize it once its changes are done.", {
    retryable: true,
    retryAfter: 2,
  });

/** Responds with the result of the running finalization. */
const join = async (
  context: ServiceContext,
  caller: Caller,
  row: OperationRow,
): Promise<EndpointResponse<FinalizeAnswer>> => {
  if (caller.requestKey) {
    const ledger = ledgerOf(context, caller.integrationId);
    await runKeyedBatch(ledger, [insertOperationKey(ledger, caller.requestKey, row.id)]);
  }
  return joinOperation(context, caller, { ...row, kind: "finalize" });
};

/** Locks a draft as it was read, whose last finalization may have broken off; undone, it is as it was. */
const locking = (
  { db, now }: ServiceContext,
  draft: DraftToFinalize["draft"],
  collectionId: Uuid,
  whole: DraftAsRead["whole"],
): Reservation => ({
  take: async (operationId) => {
    const condition =
      draft.state === "finalizing" && draft.operationId !== null
        ? isLockedFor(draft.id, draft.operationId)
        : isFinalizable(draft, whole);
    return (await lockDraft(db, draft.id, { operationId, collectionId, condition }, now())).length > 0;
  },
  undo: async (operationId) => {
    const { id, state, operationId: before, updatedAt } = draft;
    await unlockDraft(db, { id, state, operationId: before, updatedAt }, operationId);
  },
});

/** The proposal to finalize a draft; its condition fails if the draft has changed since it was read. */
const proposalOf = async (
  context: ServiceContext,
  caller: Caller,
  {
    draft,
    contract,
    latest: brokenOff,
    assets,
  }: DraftToFinalize & { readonly latest: OperationRow | undefined },
): Promise<Proposal<"finalize">> => {
  const { db } = context;
  if (contract?.state !== "ready") {
    throw new ServiceError(
      "conflict",
      "The draft's contract is not ready. Give the draft another contract_uuid.",
    );
  }
  const quotedState = String(draft.updatedAt.getTime());
  const { quotedState: quoted = null } = caller.costLimit ?? {};
  if (quoted !== null && quoted !== quotedState) throw changedSinceQuote();
  const { reveal = false, ...drafted } = draft.settings;
  const [{ described, registrations }] = await Promise.all([
    readCurrencies(context, caller.integrationId, contract.accountId, phasesOf(drafted)),
    requirePayees(context, drafted),
  ]);
  const settings = withPhases(drafted, described);
  const id = newUuid();
  const hidden = await hiddenWith(
    context,
    draft,
    reveal,
    brokenOff?.request as FinalizeOperation | undefined,
  );
  const request = await continued(context, draft, brokenOff, {
    collectionUuid: draft.plannedCollectionId,
    contractUuid: contract.id,
    contract: contract.accountId,
    codeState: contract.codeState,
    settings,
    ...(registrations.length > 0 && { registrations }),
    ...hidden,
    base: caller.baseUrl,
    begun: null,
  });
  // The assets of a continued draft, or of one with several pages, are read once it is locked.
  const whole = brokenOff || draft.state !== "draft" ? null : wholeOf(assets);
  if (wholeOf(assets) === null && !brokenOff) await requireMintable(context, draft.id);
  const plan = whole && (await splitAssets(context, request, new DraftAssets(db, draft.id, whole)));
  const known: DraftAsRead = { createdAt: draft.createdAt, whole };
  const {
    condition,
    after = [],
    refusal,
  } = registering(context, { id, integrationId: caller.integrationId }, registrations);
  const refused = await refusal?.();
  if (refused) throw refused;
  return {
    id,
    kind: "finalize",
    subjectId: draft.id,
    request: plan ? { ...request, plan } : request,
    known,
    quotedState,
    condition,
    after,
    reserve: locking(context, draft, request.collectionUuid, whole),
    // Its batches are stored in its row before a step depends on them.
    acceptFirst: plan === null,
  };
};

/** A draft of a page always passes. @throws ServiceError conflict if a collection can't have so many assets */
const requireMintable = async ({ db }: ServiceContext, draftId: Uuid): Promise<void> => {
  const { assets, mostCopies } = await draftTotals(db, draftId);
  const most = mostAssets(mostCopies);
  if (assets <= most) return;
  throw new ServiceError(
    "conflict",
    `Divide the draft into several: it has ${assets} assets. If one has ${mostCopies} copies, a collection has at most ${most} assets.`,
    { outcome: "not_submitted", retryable: false },
  );
};

/**
 * What a finalization needs to hide assets: their order, made once for a draft, and the placeholder.
 * @throws ServiceError conflict if the draft has none
 */
const hiddenWith = async (
  context: ServiceContext,
  { plannedCollectionId: collectionUuid, placeholderSha256: placeholder }: DraftRow["draft"],
  reveal: boolean | string,
  brokenOff: FinalizeOperation | undefined,
): Promise<Pick<FinalizeOperation, "reveal">> => {
  if (brokenOff) {
    if (!brokenOff.reveal) return {};
    // R2's copy is sealed again when secrets are rotated.
    const order = (await readOrder(context, collectionUuid)) ?? brokenOff.reveal.order;
    return { reveal: { ...brokenOff.reveal, order: await resealOrder(context, collectionUuid, order) } };
  }
  if (reveal === false) return {};
  if (placeholder === null) {
    const message = "Attach an asset_placeholder with asset-bulk: it is what NFTs show until the reveal.";
    throw unsentConflict(message);
  }
  if (typeof reveal === "string" && Date.parse(reveal) <= context.now().getTime())
    throw invalidField(["reveal"], `${reveal} is over. Give the draft a later time, true, or false.`);
  // One of an earlier finalization may be committed to on the chain.
  const kept = await readOrder(context, collectionUuid);
  // Under the newest secret, so that an older one can be removed.
  const order = kept
    ? await resealOrder(context, collectionUuid, kept)
    : await newOrder(context, collectionUuid);
  return {
    reveal: { order, placeholder: toHex(placeholder), at: typeof reveal === "string" ? reveal : null },
  };
};

/**
 * The request of a finalization, continuing what an earlier one left on the chain: one that stopped, or one that the
 * database has lost (every finalization writes a manifest). Only a node that has reached the earlier one's last height
 * is trusted: on a lagging node the collection would seem missing and be created again. The earlier plan is dropped,
 * because it covered what was missing then.
 * @throws ServiceError conflict if the chain has other assets than the draft
 */
const continued = async (
  context: ServiceContext,
  draft: DraftRow["draft"],
  brokenOff: OperationRow | undefined,
  fresh: FinalizeOperation,
): Promise<FinalizeOperation> => {
  if (!brokenOff && !(await hasManifest(context, fresh.collectionUuid))) return fresh;
  const {
    plan: _,
    registrations: __,
    ...kept
  } = brokenOff ? (brokenOff.request as FinalizeOperation) : fresh;
  // What the earlier one has registered isn't registered again.
  const request = {
    ...kept,
    ...(fresh.registrations && { registrations: fresh.registrations }),
    ...(fresh.reveal && { reveal: fresh.reveal }),
  };
  const found = await collectionOnChain(context, { request }, brokenOff?.height ?? 0);
  if (!found) return request;
  const { collection_id: collectionId, assets, published } = found;
  if (published && !(await isAsOnChain(context, draft.id, found))) throw otherAssets(collectionId);
  if (!(await opens(context, draft, request, found))) throw otherOrder(collectionId);
  return { ...request, begun: { collectionId, assets, published } };
};

/** Whether the order of a finalization is the one that the collection on the chain is committed to. */
const opens = async (
  context: ServiceContext,
  draft: DraftRow["draft"],
  request: FinalizeOperation,
  { reveal }: ContractCollection,
): Promise<boolean> => {
  const hidden = await hiddenAssets(context, request, new DraftAssets(context.db, draft.id));
  return (hidden && commitmentOf(hidden)) === (reveal?.commitment ?? null);
};

const otherOrder = (collectionId: number): ServiceError =>
  new ServiceError(
    "conflict",
    `Create a new draft: this one is collection ${collectionId} on the chain, which is committed to another order of assets.`,
  );

const changedSinceQuote = (): ServiceError =>
  new ServiceError("quote_mismatch", "Request a new quote: the draft has changed since this one.", {
    outcome: "not_submitted",
  });

const otherAssets = (collectionId: number): ServiceError =>
  new ServiceError(
    "conflict",
    `Create a new draft: this one is collection ${collectionId} on the chain, and its assets have changed since.`,
  );

const isUnderWay = ({ id }: OperationRow): ServiceError =>
  new ServiceError(
    "draft_locked",
    `Read operation ${id}: it finalizes the draft already, and finalizing it again costs nothing.`,
  );

const isEmpty = async (context: ServiceContext, draftId: Uuid): Promise<boolean> => {
  const assets = await pageOfAssets(context.db, draftId, -1, 1);
  return assets.length === 0;
};

const alreadyFinalized = ({ collectionId }: DraftRow): ServiceError =>
  new ServiceError(
    "draft_finalized",
    `Use collection ${collectionId}: the draft is already finalized as this collection.`,
  );

import type { ClaimAnswer } from "../api/resources/drop.ts";
import type { ContractViews } from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import { requireAccounts } from "../collections/accounts.ts";
import type { CollectionTarget } from "../collections/collection-target.ts";
import type { EndpointResponse, ServiceContext } from "../context.ts";
import { type ClaimedLink, findClaim, isUnclaimed, keepClaim } from "../db/queries/claims.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import type { ClaimProof } from "../domain/claim-proofs.ts";
import { errorCodeOf } from "../domain/contract-failures.ts";
import { type ErrorCode, ServiceError } from "../domain/errors.ts";
import { newUuid, type Uuid } from "../domain/ids.ts";
import { findArchived } from "../files/archive/read.ts";
import type { RowWithResults } from "./engine/endings.ts";
import { joinOperation, runOperation } from "./engine/run.ts";
import type { ClaimOperation } from "./kinds/claim.ts";

/** The collection that a link is of, and who pays for its claims. */
export interface ClaimHome extends CollectionTarget {
  readonly integrationId: Uuid;
  readonly collectionUuid: Uuid;
  readonly views: ContractViews;
  /** Base address of the gateway. */
  readonly base: string;
}

/** Somebody without a key waits for it. */
const COLLECTOR = { requestKey: null, respondAsync: false } as const;

/**
 * Claims a link for whoever holds it, out of the wallet of the collection's integration. A link is claimed once: the
 * same claim, sent again, gets the answer of the first, and one that the contract would refuse is never sent.
 * @throws ServiceError not_found, invalid_request, unknown_account, sold_out, conflict; claims_paused where the
 * integration's wallet can't or mustn't send now; outcome_unknown, chain_unavailable
 */
export const redeemLink = async (
  context: ServiceContext,
  home: ClaimHome,
  proof: ClaimProof,
): Promise<EndpointResponse<ClaimAnswer>> => {
  const link = { collectionId: home.collectionUuid, dropId: proof.drop_id, link: proof.link };
  const before = await goingOn(context, home.integrationId, link);
  if (before) return join(context, before, proof);
  await forCollectors(requireActive(context, home.integrationId));
  await requireRedeemable(home, proof);
  await requireAccounts(
    context,
    [{ path: ["receiver_id"], accountId: proof.receiver_id }],
    "Name an account that exists on the chain, or the one of a new key.",
  );
  const id = newUuid();
  const { contract, collectionId, base, integrationId, collectionUuid: subjectId } = home;
  const request: ClaimOperation = { contract, collectionId, proof, receivers: [proof.receiver_id], base };
  const answer = await forCollectors(
    runOperation(
      context,
      { integrationId, ...COLLECTOR },
      {
        id,
        kind: "claim",
        subjectId,
        request,
        condition: isUnclaimed(link),
        after: [keepClaim(context.db, link, id)],
      },
    ),
  );
  if (answer) return answer;
  // Another request for the link came first.
  const rival = await goingOn(context, integrationId, link);
  if (rival) return join(context, rival, proof);
  throw new ServiceError("claims_paused", "Send the same claim again: another one has just failed.", {
    outcome: "not_submitted",
    retryable: true,
    retryAfter: 1,
  });
};

/** Nobody spends the money of a suspended or deleted integration. @throws ServiceError integration_suspended */
const requireActive = async ({ db }: ServiceContext, integrationId: Uuid): Promise<void> => {
  const row = await findIntegration(db, integrationId);
  if (row?.suspendedAt) throw new ServiceError("integration_suspended", "The integration is suspended.");
};

/** The operation that claims a link or has done so; null if the link may be claimed. */
const goingOn = async (
  context: ServiceContext,
  integrationId: Uuid,
  link: ClaimedLink,
): Promise<RowWithResults | null> => {
  const found = await findClaim(context.db, link);
  if (!found) return null;
  // One that ended long ago is in the archive; one that the database has lost is nowhere until it is put back.
  const { operationId: id } = found;
  const operation = found.operation ?? (await archivedClaim(context, integrationId, id));
  return operation?.state === "failed" ? null : operation;
};

const archivedClaim = async (
  context: ServiceContext,
  integrationId: Uuid,
  id: Uuid,
): Promise<RowWithResults | null> => {
  const archived = await findArchived(context, integrationId, id);
  return archived ? { ...archived.row, results: archived.transactions } : null;
};

/** Answers a repeated claim as the first. Another one may know no more than that the link is used. */
const join = (
  context: ServiceContext,
  row: RowWithResults,
  { signature }: ClaimProof,
): Promise<EndpointResponse<ClaimAnswer>> => {
  // A key signs the same words in one way only: whoever has the link's key sends the same signature for a receiver.
  if ((row.request as ClaimOperation).proof.signature !== signature) {
    throw new ServiceError("conflict", "This link has been claimed already, for another account.");
  }
  return forCollectors(joinOperation(context, COLLECTOR, { ...row, kind: "claim" }));
};

/** Whether the contract would carry the claim out now, without anything being sent. @throws ServiceError */
export const requireRedeemable = async (
  { views, collectionId }: Pick<ClaimHome, "views" | "collectionId">,
  proof: Partial<ClaimProof>,
): Promise<{ readonly quantity: number; readonly expiresAt: Date }> => {
  const found = await views.claimEligibility(proof).catch((error: unknown) => {
    if (!(error instanceof ViewError)) throw error;
    const { contractCode, message } = error;
    // A contract of a former release has no drops.
    throw contractCode === null ? noDrop() : refusal(contractCode, message);
  });
  if (found.collection_id !== null && found.collection_id !== collectionId) throw noDrop();
  if (!found.allowed) throw refusal(found.code, found.message ?? "The contract refuses this claim.");
  return { quantity: found.quantity ?? 1, expiresAt: new Date(found.expires_at_ms ?? 0) };
};

const noDrop = (): ServiceError =>
  new ServiceError("not_found", "The collection has no such drop. Check the link.");

const refusal = (contractCode: string | null, message: string): ServiceError =>
  new ServiceError(errorCodeOf(contractCode), message, { outcome: "not_submitted" });

/** What says something of the integration and its wallet, which is nobody else's business. */
const INTERNAL: readonly ErrorCode[] = [
  "insufficient_funds",
  "spending_limit_reached",
  "integration_suspended",
  "wallet_busy",
  "wallet_inactive",
  "too_many_operations",
  "quota_exceeded",
];

const RETRY_AFTER = 30;

const forCollectors = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (!INTERNAL.includes(error.code)) {
      const { operationUuid: _, ...details } = error.details;
      throw new ServiceError(error.code, error.message, { ...details, cause: error });
    }
    const message =
      "Claims can't be sent at the moment. Nothing was sent, and the link stays good: try again later.";
    const details = { outcome: "not_submitted", retryable: true, retryAfter: RETRY_AFTER } as const;
    throw new ServiceError("claims_paused", message, { ...details, cause: error });
  }
};

import type { ClaimAnswer } from "../api/resources/drop.ts";
import type { ContractClaimEligibility, ContractViews } from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import { requireAccounts, requireHolders } from "../collections/accounts.ts";
import type { CollectionTarget } from "../collections/collection-target.ts";
import type { EndpointResponse, ServiceContext } from "../context.ts";
import { ledgerOf } from "../db/ledger.ts";
import { type ClaimedLink, findClaim, isUnclaimed, keepClaim } from "../db/queries/claims.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import type { ClaimProof, SignedVoucher } from "../domain/claim-proofs.ts";
import { errorCodeOf } from "../domain/contract-failures.ts";
import { type ErrorCode, ServiceError } from "../domain/errors.ts";
import { newUuid, type Uuid } from "../domain/ids.ts";
import { findArchived } from "../files/archive/read.ts";
import type { RowWithResults } from "../wallet/interface.ts";
import { joinOperation, tryOperation } from "./engine/run.ts";
import type { ClaimOperation } from "./kinds/claim.ts";

/** The collection of a link, and the integration that pays for its claims. */
export interface ClaimHome extends CollectionTarget {
  readonly integrationId: Uuid;
  readonly collectionUuid: Uuid;
  readonly views: ContractViews;
  /** Base address of the gateway. */
  readonly base: string;
}

/** The claim comes from a collector without an API key, who waits for the response. */
const COLLECTOR = { requestKey: null, respondAsync: false } as const;

/**
 * Claims a link, paid by the wallet of the collection's integration. A link is claimed once: a repeated identical claim
 * gets the first one's response, and a claim that the contract would reject isn't sent.
 * @throws ServiceError not_found, invalid_request, unknown_account, sold_out, conflict; claims_paused if the
 *   integration's wallet can't or may not send now; outcome_unknown, chain_unavailable
 */
export const redeemLink = async (
  context: ServiceContext,
  home: ClaimHome,
  proof: ClaimProof,
): Promise<EndpointResponse<ClaimAnswer>> => {
  const link = { collectionId: home.collectionUuid, dropId: proof.drop_id, link: proof.link };
  const before = await currentClaim(context, home.integrationId, link);
  if (before) return join(context, before, proof);
  await forCollectors(requireActive(context, home.integrationId));
  const receiver = [{ path: ["receiver_id"], accountId: proof.receiver_id }];
  requireHolders(receiver, home.contract);
  await requireRedeemable(home, proof);
  await requireAccounts(
    context,
    receiver,
    "Name an account that exists on the chain, or the one of a new key.",
  );
  const id = newUuid();
  const { contract, collectionId, base, integrationId, collectionUuid: subjectId } = home;
  const request: ClaimOperation = { contract, collectionId, proof, receivers: [proof.receiver_id], base };
  const answer = await forCollectors(
    tryOperation(
      context,
      { integrationId, ...COLLECTOR },
      {
        id,
        kind: "claim",
        subjectId,
        request,
        condition: isUnclaimed(link),
        after: [keepClaim(ledgerOf(context, integrationId), link, id)],
      },
    ),
  );
  if (answer) return answer;
  // Another request for the link was first.
  const rival = await currentClaim(context, integrationId, link);
  if (rival) return join(context, rival, proof);
  throw new ServiceError("claims_paused", "Send the same claim again: another one has just failed.", {
    outcome: "not_submitted",
    retryable: true,
    retryAfter: 1,
  });
};

/** Prevents spending by a suspended or deleted integration. @throws ServiceError integration_suspended */
const requireActive = async ({ db }: ServiceContext, integrationId: Uuid): Promise<void> => {
  const row = await findIntegration(db, integrationId);
  if (row?.suspendedAt) throw new ServiceError("integration_suspended", "The integration is suspended.");
};

/** The operation that claims or has claimed a link; null if it can be claimed. */
const currentClaim = async (
  context: ServiceContext,
  integrationId: Uuid,
  link: ClaimedLink,
): Promise<RowWithResults | null> => {
  const found = await findClaim(ledgerOf(context, integrationId), link);
  if (!found) return null;
  // A claim that ended long ago is in the archive.
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

/**
 * The accepted claim of a link: for whom, and its response; null while it isn't over. It tells nothing to who doesn't know
 * the link's key. @throws ServiceError not_found, also for a link that was redeemed without this service
 */
export const claimOfLink = async (
  context: ServiceContext,
  integrationId: Uuid,
  { publicKey, ...link }: ClaimedLink & { readonly publicKey: string },
): Promise<{ readonly receiver: string; readonly answer: EndpointResponse<ClaimAnswer> | null }> => {
  const row = await currentClaim(context, integrationId, link);
  const proof = (row?.request as ClaimOperation | undefined)?.proof;
  if (!row || proof?.link_public_key !== publicKey)
    throw new ServiceError("not_found", "This service has redeemed no such link.");
  const answer =
    row.state === "succeeded" ? await joinOperation(context, COLLECTOR, { ...row, kind: "claim" }) : null;
  return { receiver: proof.receiver_id, answer };
};

/** Responds to a repeated claim like to the first. Another claimant only learns that the link is used. */
const join = (
  context: ServiceContext,
  row: RowWithResults,
  { signature }: ClaimProof,
): Promise<EndpointResponse<ClaimAnswer>> => {
  // ed25519 signatures are deterministic: the holder of the link's key always sends the same signature for a receiver.
  if ((row.request as ClaimOperation).proof.signature !== signature) {
    throw new ServiceError("conflict", "This link has been claimed already, for another account.");
  }
  return forCollectors(joinOperation(context, COLLECTOR, { ...row, kind: "claim" }));
};

/** Where a link or a voucher is redeemed. */
type Redeeming = Pick<ClaimHome, "views" | "collectionId">;

/** Checks with a view whether the contract would accept the claim now. @throws ServiceError */
export const requireRedeemable = async (
  home: Redeeming,
  proof: Partial<ClaimProof>,
): Promise<{ readonly quantity: number; readonly expiresAt: Date }> => {
  const found = await requireAllowed(home, home.views.claimEligibility(proof));
  return { quantity: found.quantity ?? 1, expiresAt: new Date(found.expires_at_ms ?? 0) };
};

/** Checks with a view whether the contract would accept a voucher now, with its price attached. @throws ServiceError */
export const requireVoucher = async (home: Redeeming, voucher: SignedVoucher): Promise<void> => {
  await requireAllowed(home, home.views.voucherEligibility(voucher));
};

const requireAllowed = async (
  { collectionId }: Redeeming,
  answer: Promise<ContractClaimEligibility>,
): Promise<ContractClaimEligibility> => {
  const found = await answer.catch((error: unknown) => {
    if (!(error instanceof ViewError)) throw error;
    const { contractCode, message } = error;
    throw contractCode === null ? noDrop() : refusal(contractCode, message);
  });
  if (found.collection_id !== null && found.collection_id !== collectionId) throw noDrop();
  if (!found.allowed) throw refusal(found.code, found.message ?? "The contract refuses it.");
  return found;
};

const noDrop = (): ServiceError =>
  new ServiceError("not_found", "The collection has no such drop. Check the link.");

const refusal = (contractCode: string | null, message: string): ServiceError =>
  new ServiceError(errorCodeOf(contractCode), message, { outcome: "not_submitted" });

/** Errors that reveal the state of the integration or its wallet, which collectors mustn't see. */
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

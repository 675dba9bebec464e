import { exactNear } from "../../domain/amounts.ts";
import { errorCodeOf, inFieldsOfApi } from "../../domain/contract-failures.ts";
import { duration } from "../../domain/counted.ts";
import { ERRORS, type ErrorCode } from "../../domain/errors.ts";
import type { Failure } from "../../domain/failures.ts";
import { TOO_DEAR, tooDear } from "../../domain/spending.ts";
import type { SubmitResult, TransactionRecord } from "../../wallet/interface.ts";

/** Refusals of the chain that funds would resolve (near-primitives, InvalidTxError). */
const UNPAID = /\b(?:NotEnoughBalance|LackBalanceForState)\b/;

/**
 * The failure of an operation whose step failed on or was refused by the chain. A refused step never landed and is
 * reported as not submitted, unless another step of the operation was executed.
 * @param records of the operation
 */
export const chainFailure = (
  record: TransactionRecord,
  records: readonly TransactionRecord[] = [record],
): Failure => {
  const said = record.result?.failure_message ?? "The chain rejects the transaction.";
  const reason = said.trim() === "" ? withoutReason(record) : inFieldsOfApi(said);
  const code = codeOf(record, reason);
  // The contract's message says what is wrong; the service adds what to do.
  const message = `${reason}${remedyOf(code, record)}`;
  const isUnpaid = code === "contract_storage_unpaid" || code === "insufficient_funds";
  const retryable = isUnpaid || record.contractCode === DRAWN_MEANWHILE;
  const landed = records.some(({ state }) => state === "failed" || state === "succeeded");
  return { code, message, outcome: landed ? "failed_on_chain" : "not_submitted", retryable };
};

/** The reason for a caller where a contract, such as a token, fails without a message. */
const withoutReason = ({ step, result }: TransactionRecord): string =>
  `Step ${step} failed on the chain: ${result?.receiver_id ?? "its contract"} gives no reason.`;

/** Draws in the same block may have taken the asset's last copies: a later block shows it (docs/contract.md). */
const DRAWN_MEANWHILE = "E_DRAW_HIDDEN";

const remedyOf = (code: ErrorCode, { contractCode }: TransactionRecord): string => {
  if (code === "sold_out") return ` ${ERRORS.sold_out.remedy}`;
  if (contractCode !== DRAWN_MEANWHILE) return "";
  return " Send it as a new request: this response stays stored for its Idempotency-Key.";
};

const codeOf = ({ state, contractCode }: TransactionRecord, reason: string): ErrorCode => {
  if (contractCode === TOO_DEAR) return "cost_exceeds_maximum";
  return state === "refused" && UNPAID.test(reason) ? "insufficient_funds" : errorCodeOf(contractCode);
};

/** The failure of an operation that can be proven neither way. */
export const unknownFailure = (record: TransactionRecord): Failure => ({
  code: "outcome_unknown",
  message:
    `The configured nodes can't prove whether transaction ${record.result?.transaction_hash ?? record.step} had an ` +
    "effect. Don't repeat the request: the operator has to settle it.",
  outcome: "unknown",
  retryable: false,
});

/** A wallet's refusal of a step. */
export type Refusal = Exclude<SubmitResult, { status: "accepted" }>;

/**
 * The failure of an operation whose step the wallet refused.
 * @param last the failure on the chain that the refused step would have remedied, if any
 * @param isPartial whether earlier transactions of the operation have had their effects
 */
export const refusalFailure = (
  refusal: Refusal,
  last: TransactionRecord | undefined,
  isPartial = false,
): Failure => {
  const outcome = last === undefined && !isPartial ? "not_submitted" : "failed_on_chain";
  const nothing = isPartial
    ? "What its earlier transactions did stays."
    : last === undefined
      ? "Nothing was sent."
      : "Its transaction failed on the chain without effect.";
  switch (refusal.status) {
    case "insufficient_funds":
      return {
        code: last?.contractCode === "E_STORAGE_BALANCE" ? "contract_storage_unpaid" : "insufficient_funds",
        message: `Send at least ${refusal.missing} yoctoNEAR to ${refusal.accountId}, the wallet that pays, and try again. ${nothing}`,
        outcome,
        retryable: true,
      };
    case "spending_limited":
      return {
        code: "spending_limit_reached",
        message: `Wait ${duration(refusal.nextDayAfter)} until the next day (UTC), or ${refusal.isOfKey ? "use a key with a higher spending_per_day, which a key with the scope `full` or the operator can make" : "ask the operator to raise the limit spending_per_day"}: this may cost up to ${exactNear(refusal.cost)} NEAR, and ${exactNear(refusal.spent)} of ${exactNear(refusal.limit)} NEAR are spent today${refusal.isOfKey ? " of the key's limit" : ""}. ${nothing}`,
        outcome,
        retryable: true,
        retryAfter: refusal.nextDayAfter,
      };
    case "busy":
      if (refusal.inactive) {
        return {
          code: "wallet_inactive",
          message: `Try again later: ${whyInactive(refusal)}. ${nothing}`,
          outcome,
          retryable: true,
          retryAfter: refusal.retryAfter,
        };
      }
      return {
        code: "wallet_busy",
        message: `Try again in ${duration(refusal.retryAfter)}: ${HELD_BY[refusal.held ?? "queue"]}. ${nothing}`,
        outcome,
        retryable: true,
        retryAfter: refusal.retryAfter,
      };
    case "chain_unavailable":
      return {
        code: "chain_unavailable",
        message: `Try again in ${duration(refusal.retryAfter)}: no node of the chain is reachable and up to date. ${nothing}`,
        outcome,
        retryable: true,
        retryAfter: refusal.retryAfter,
      };
    case "too_dear":
      // The limit has no room for a retry, but as a new request the same mint fits.
      if (last?.contractCode === DRAWN_MEANWHILE) return chainFailure(last);
      return {
        code: "cost_exceeds_maximum",
        message: `${tooDear(refusal)} ${nothing}`,
        outcome,
        retryable: false,
        cost: { needed: refusal.needed, at_most: refusal.most },
      };
    case "withdrawn":
      return {
        code: "chain_unavailable",
        message: `Send the request again: it was withdrawn before it was sent. ${nothing}`,
        outcome,
        retryable: true,
        retryAfter: 1,
      };
  }
};

/** What a write waits for that would be accepted later. */
const HELD_BY = {
  queue: "the wallet's queue has to finish first",
  integration: "pending writes may use what is left of the integration's spending_per_day today",
  key: "pending writes may use what is left of the key's spending_per_day today",
} as const;

/** Why a wallet may not sign, and what the operator must do. */
const whyInactive = ({ lockedOut }: Extract<Refusal, { status: "busy" }>): string => {
  if (lockedOut) {
    const { publicKey, accountId } = lockedOut;
    return `the wallet's key ${publicKey} is missing from its account ${accountId}, and the operator has to add it first`;
  }
  return "the wallet is being restored, and the operator has to activate it first";
};

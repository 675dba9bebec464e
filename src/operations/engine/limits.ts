import { sql } from "drizzle-orm";
import { costOf, maxSpent } from "../../chain/cost.ts";
import { ViewError } from "../../chain/errors.ts";
import { readGasPrices } from "../../chain/protocol.ts";
import { connectFor } from "../../chain/rpc.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { type OperationRow, requestOf } from "../../db/queries/operations.ts";
import { readOperationLimits } from "../../db/queries/usage.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { KINDS, PAYOUT } from "../../domain/operations.ts";
import { tooDear } from "../../domain/spending.ts";
import { attemptName, stepName, topUpOf } from "../../domain/steps.ts";
import type { AcceptedRow, Intent, TransactionRecord } from "../../wallet/interface.ts";
import type { Outlook, Proposal } from "../kind.ts";
import type { StepTransaction } from "../top-up.ts";
import type { Refusal } from "./failure.ts";
import { planOf } from "./plan.ts";

/**
 * Rejects a write that could exceed the caller's maximum cost, top-ups included, before any of it is accepted. Later
 * changes are handled by the wallet, which signs nothing beyond the limit.
 * @throws ServiceError cost_exceeds_maximum; ChainUnavailableError
 */
export const requireWithin = async (
  context: ServiceContext,
  { integrationId, costLimit }: Pick<Caller, "integrationId"> & Partial<Pick<Caller, "costLimit">>,
  proposal: Proposal,
): Promise<void> => {
  if (!costLimit) return;
  const planned = proposal.filled ? await plannedOf(context, integrationId, proposal) : proposal;
  // The acceptance reports the reason.
  if (planned === null) return;
  const prices = await readGasPrices(connectFor(context));
  const { cost } = await planOf(context, integrationId, planned, { likely: prices, most: prices });
  const excess = { needed: cost.most.toString(), most: costLimit.most };
  if (cost.most <= BigInt(costLimit.most)) return;
  throw new ServiceError("cost_exceeds_maximum", `${tooDear(excess)} Nothing was sent.`, {
    outcome: "not_submitted",
    retryable: false,
    cost: { needed: excess.needed, at_most: excess.most },
  });
};

/** A proposal with its complete request, which the database fills in; null if it wouldn't be accepted now. */
export const plannedOf = async (
  context: ServiceContext,
  integrationId: Uuid,
  proposal: Proposal,
): Promise<Proposal | null> => {
  const { condition = sql`true` } = proposal;
  const row = await ledgerOf(context, integrationId).get<{ holds: number; request: string }>(
    sql`SELECT ${condition} AS holds, ${requestOf(proposal)} AS request`,
  );
  return row.holds === 1 ? { ...proposal, request: JSON.parse(row.request) } : null;
};

/**
 * The refusal of a top-up with which the operation, including the retried step, could exceed its maximum cost; null if
 * it fits.
 */
export const topUpRefusal = async (
  context: ServiceContext,
  { mostCost }: Pick<OperationRow, "mostCost">,
  records: readonly TransactionRecord[],
  { step, transaction, outlook }: { step: string; transaction: StepTransaction; outlook: Outlook },
): Promise<Extract<Refusal, { status: "too_dear" }> | null> => {
  const paidFor = topUpOf(step);
  if (mostCost === null || paidFor === null) return null;
  const again = await outlook.transaction(attemptName(stepName(paidFor), 2));
  const prices = await readGasPrices(connectFor(context));
  const coming = [transaction, ...(again === null ? [] : [again])];
  const spent = records.reduce((sum, { cost }) => sum + BigInt(cost ?? "0"), 0n);
  const needed = coming.reduce((sum, one) => sum + maxSpent(costOf(one, prices)), spent);
  return needed <= BigInt(mostCost)
    ? null
    : { status: "too_dear", needed: needed.toString(), most: mostCost };
};

/**
 * The spending limits for an operation's transactions; none for the platform's wallet and for payouts.
 * @param first its first one, if more follow: the limits need room for all. Null: another one
 */
export const spendingOf = async (
  context: ServiceContext,
  row: AcceptedRow,
  first: { readonly known: unknown } | null,
): Promise<Pick<Intent, "spendingPerDay" | "budgets" | "whole">> => {
  const { kind, integrationId, keyId, subjectId, request } = row;
  if (KINDS[kind].wallet === "platform" || kind === PAYOUT) return {};
  const { spendingPerDay, budgets } =
    row.limits ?? (await readOperationLimits(context.db, { integrationId, keyId }));
  const limits = { budgets, ...(spendingPerDay !== null && { spendingPerDay }) };
  if (first === null || (budgets.length === 0 && spendingPerDay === null)) return limits;
  // Its steps depend on what the chain has published by then.
  if (kind === "contract_upgrade") return limits;
  const prices = await readGasPrices(connectFor(context));
  const proposal = { kind, subjectId, request, known: first.known };
  try {
    const plan = await planOf(context, integrationId, proposal, { likely: prices, most: prices });
    return {
      ...limits,
      whole: { cost: plan.cost.most.toString(), storage: plan.storageBeyond.toString() },
    };
  } catch (error) {
    // A contract that shows nothing fails the first step, and each step is checked.
    if (error instanceof ViewError) return limits;
    throw error;
  }
};

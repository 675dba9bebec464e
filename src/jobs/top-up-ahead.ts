import { sql } from "drizzle-orm";
import type { ContractViews } from "../chain/contract/views.ts";
import type { ServiceContext } from "../context.ts";
import type { ContractRow } from "../db/queries/contracts.ts";
import { hadOperationSince, hasOpenOperation } from "../db/queries/operations.ts";
import { runOperation } from "../operations/engine/run.ts";
import type { ContractTopUpOperation } from "../operations/kinds/contract-top-up.ts";

/**
 * A contract with less than this free is topped up to twice as much, yoctoNEAR: the storage of a few hundred tokens.
 */
const LOW = 3n * 10n ** 23n;

/** Minimum time between a contract's top-ups, so that a wallet that can't pay isn't asked every minute. */
const NOT_AGAIN_MS = 60 * 60_000;

const KIND = "contract_top_up";

/**
 * Tops a contract's balance up from its integration's wallet when it runs low, so that mints rarely find it empty. A
 * wallet that can't pay isn't a failure here: the mint that needs the money reports it.
 */
export const topUpAhead = async (
  context: ServiceContext,
  contract: ContractRow,
  views: ContractViews,
): Promise<void> => {
  const balance = await views.balance();
  const free = BigInt(balance.free) - BigInt(balance.missing ?? "0");
  if (free >= LOW) return;
  const since = new Date(context.now().getTime() - NOT_AGAIN_MS);
  const request: ContractTopUpOperation = {
    contract: contract.accountId,
    amount: (2n * LOW - free).toString(),
  };
  const subject = { integrationId: contract.integrationId, subjectId: contract.id };
  const proposal = {
    kind: KIND,
    subjectId: contract.id,
    request,
    condition: sql`NOT ${hasOpenOperation(subject, KIND)} AND NOT ${hadOperationSince(contract.id, KIND, since)}`,
  } as const;
  const { integrationId } = contract;
  try {
    await runOperation(context, { integrationId, claim: null, respondAsync: true }, proposal);
  } catch (error) {
    context.log("reconcile.top_up_failed", { contract: contract.accountId, error });
  }
};

import { nextStep } from "../../domain/steps.ts";
import { transferTo } from "../engine/top-up.ts";
import type { KindRules } from "../kind.ts";
import { succeeded } from "../kind.ts";

/** What a top-up ahead of need is. */
export interface ContractTopUpOperation {
  readonly contract: string;
  /** yoctoNEAR. */
  readonly amount: string;
}

/** A transfer from the integration wallet to its contract, whose balance runs low. */
export const contractTopUpRules: KindRules<ContractTopUpOperation> = {
  wallet: "integration",
  next: (_request, outcomes) => nextStep(["topup"], outcomes, () => null),
  transaction: async (_context, { request }) => transferTo(request.contract, BigInt(request.amount)),
  effects: async (_context, _operation, records) => ({
    status: 200,
    body: { message: "success", tx_results: [succeeded(records, "topup").result] },
    statements: [],
  }),
};

import { type KindResults, kindOf } from "../kind.ts";
import { succeeded } from "../records.ts";
import { transferTo } from "../top-up.ts";

/** A top-up in advance, as stored with its operation. */
export interface ContractTopUpOperation {
  readonly contract: string;
  /** yoctoNEAR. */
  readonly amount: string;
}

/** A transfer from the integration wallet to its contract with a low balance. */
export const contractTopUpKind = kindOf<ContractTopUpOperation, null, KindResults["contract_top_up"]>({
  facts: () => null,
  steps: () => ["topup"],
  storage: null,
  transaction: async (_context, { request }) => transferTo(request.contract, BigInt(request.amount)),
  effects: async (_context, _operation, { records }) => ({
    status: 200,
    body: { message: "success", tx_results: [succeeded(records, "topup").result] },
    statements: [],
  }),
});

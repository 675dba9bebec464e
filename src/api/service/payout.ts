import { z } from "@hono/zod-openapi";
import { yoctoProblem } from "../../domain/amounts.ts";
import { proposePayout } from "../../operations/kinds/wallet-payout.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { payoutView } from "../resources/operation.ts";
import { checkedText, referenceField } from "../schemas/fields.ts";

/** Why an amount can't be paid out; null if it can. */
const payoutProblem = (text: string): string | null => {
  if (text === "sales" || text === "all") return null;
  return text === "0" ? 'Give more than 0 yoctoNEAR, or "sales".' : yoctoProblem(text);
};

const payoutBody = z
  .strictObject({
    amount: checkedText(payoutProblem).openapi({
      pattern: "^(sales|all|[1-9][0-9]{0,37}|[12][0-9]{38}|3[0-3][0-9]{37})$",
      description:
        "`sales`: what the wallet earned of mint fees and hasn't paid out. yoctoNEAR. Or `all`, with `confirm`: what the wallet has beyond 1 NEAR for its writes.",
      example: "sales",
    }),
    confirm: z
      .boolean()
      .optional()
      .openapi({ description: "`all` needs true: it takes the money along that gas is paid from." }),
    reference: referenceField,
  })
  .openapi("PayoutInput");

export const walletPayout = chainWrite(
  {
    method: "post",
    path: "/wallet/payout",
    operationId: "payOut",
    scope: "money",
    tag: "Who am I",
    summary: "Pay sales, or other money of the wallet, out to the integration's account",
    description:
      "Only the operator sets the account, so that a leaked key moves money to its owner only. Amounts reserved for pending writes " +
      "are never paid out, and a payout is refused while a finalization or an upgrade is pending, `sales` and `all` also while another payout is. `sales` pays all that the collections " +
      "of the wallet's contracts have `earned`, minus earlier payouts, rounded down to whole nanoNEAR; it leaves 1.01 NEAR in the wallet, " +
      "and what it can't pay for that reason remains for the next payout. An amount or `all` is deducted from unpaid sales first. " +
      "With `Mintage-Quote` or `Mintage-Max-Cost` `sales` and `all` pay what the limit leaves beside the gas, so that a sale after the " +
      "quote remains for the next payout. Each payout reads the collections from the chain before it is accepted. `sales` does " +
      "without contracts that can't be read.",
    request: { body: jsonBody(payoutBody, { amount: "sales" }) },
    success: { 200: json("What was paid, and to whom.", payoutView) },
    errors: ["payout_account_missing"],
  },
  (context, caller, { body }) => proposePayout(context, caller, body),
);

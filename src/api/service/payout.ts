import { z } from "@hono/zod-openapi";
import { priceProblem, yoctoProblem } from "../../domain/amounts.ts";
import { proposeCurrencyPayout } from "../../operations/kinds/currency-payout.ts";
import { proposePayout } from "../../operations/kinds/wallet-payout.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { payoutView } from "../resources/operation.ts";
import { accountIdOrNull, referenceField } from "../schemas/fields.ts";

/** Why an amount can't be paid out; null if it can. */
const payoutProblem = (text: string): string | null => {
  if (text === "sales" || text === "all") return null;
  return text === "0" ? 'Give more than 0 yoctoNEAR, or "sales".' : yoctoProblem(text);
};

/** The same of an amount of a currency. */
const currencyProblem = (text: string): string | null =>
  text !== "all" && priceProblem(text) !== null
    ? 'Give "all" or an amount of the currency in its smallest units.'
    : null;

const payoutBody = z
  .strictObject({
    amount: z.string().openapi({
      pattern: "^(sales|all|[1-9][0-9]{0,37}|[12][0-9]{38}|3[0-3][0-9]{37})$",
      description:
        "`sales`: what the wallet earned of mint fees and hasn't paid out. yoctoNEAR. Or `all`, with `confirm`: what the wallet has beyond 1 NEAR for its writes.",
      example: "sales",
    }),
    confirm: z.boolean().optional().openapi({
      description: "`all` needs true, but of a currency: it takes the money along that gas is paid from.",
    }),
    currency: accountIdOrNull(
      "Account of the NEP-141 token to pay out; absent or null: NEAR. Then `amount` is in its smallest units, or `all`.",
    ).optional(),
    reference: referenceField,
  })
  .superRefine(({ amount, currency }, context) => {
    const message = currency ? currencyProblem(amount) : payoutProblem(amount);
    if (message !== null) context.addIssue({ code: "custom", path: ["amount"], message });
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
      "Only the operator sets the account, so that a leaked key pays out to its owner only. Amounts reserved for pending writes " +
      "are never paid out, and a payout is refused while a finalization or an upgrade is pending, `sales` and `all` also while another payout is, and any payout with `currency` while another one with `currency` is. `sales` pays all that the collections " +
      "of the wallet's contracts have `earned`, minus earlier payouts, rounded down to whole nanoNEAR; it leaves 1.01 NEAR in the wallet, " +
      "and what it can't pay for that reason remains for the next payout. An amount or `all` is deducted from unpaid sales first. " +
      "With `Mintage-Quote` or `Mintage-Max-Cost` `sales` and `all` pay what the limit leaves beside the gas, so that a sale after the " +
      "quote remains for the next payout. Each payout reads the collections from the chain before it is accepted. `sales` does " +
      "without contracts that can't be read. With `currency` it pays units of that token: what the wallet lacks of the amount is first fetched from " +
      "its contracts, where shares in tokens wait, and `all` is all of both. The wallet pays at most 0.0125 NEAR for each account that the token doesn't know yet, once, and for at most eight accounts in 24 hours.",
    request: { body: jsonBody(payoutBody, { amount: "sales" }) },
    success: { 200: json("What was paid, and to whom.", payoutView) },
    errors: ["payout_account_missing"],
  },
  async (context, caller, { body: { currency, ...body } }) =>
    currency
      ? proposeCurrencyPayout(context, caller, { currency, amount: body.amount })
      : proposePayout(context, caller, body),
);

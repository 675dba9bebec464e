import { z } from "@hono/zod-openapi";
import { proposePayout } from "../../operations/kinds/wallet-payout.ts";
import { payoutView } from "../../resources/operation.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { run } from "../run.ts";

const AMOUNT = /^(all|[1-9]\d{0,38})$/;

const payoutBody = z
  .strictObject({
    amount: z.string().regex(AMOUNT, 'Give yoctoNEAR as digits, or "all".').openapi({
      description: "yoctoNEAR, or `all`: what the wallet has beyond 1 NEAR for its writes.",
      example: "1000000000000000000000000",
    }),
  })
  .openapi("PayoutInput");

export const walletPayout = endpoint(
  {
    method: "post",
    path: "/wallet/payout",
    operationId: "payOut",
    tag: "Who am I",
    summary: "Pay the wallet's money out to the integration's account",
    description:
      "The account is set by the operator alone, so that a key moves money to its owner only. What waiting writes have " +
      "reserved is never paid out, and nothing is while a finalization or an upgrade is at work.",
    request: { body: jsonBody(payoutBody, { amount: "1000000000000000000000000" }) },
    success: { 200: json("What was paid, and to whom.", payoutView) },
    errors: ["payout_account_missing"],
    operation: true,
  },
  async (c, { body }) => run(c, await proposePayout(c.get("context"), c.get("caller"), body.amount)),
);

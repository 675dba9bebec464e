import { z } from "@hono/zod-openapi";
import { account, text, whole } from "./samples.ts";

/** The NEP-141 token that an amount is in. */
export const currencyView = z
  .object({
    contract_id: account("usdc.near"),
    symbol: text("As the token's contract names it; null: not read.", "USDC").nullable(),
    decimals: whole("Decimals of one token; null: not read.", 6).nullable(),
  })
  .openapi("Currency");

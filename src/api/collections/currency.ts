import { z } from "@hono/zod-openapi";
import { readCurrency } from "../../collections/currencies.ts";
import { ServiceError } from "../../domain/errors.ts";
import { endpoint, json } from "../endpoint.ts";
import { currencyView } from "../resources/currency.ts";
import { accountIdField } from "../schemas/fields.ts";

export const currencyRead = endpoint(
  {
    method: "get",
    path: "/currency/{contract_id}",
    operationId: "getCurrency",
    scope: "read",
    limitsCollections: true,
    tag: "Collections",
    summary: "A NEP-141 token that prices may be in",
    description:
      "Its symbol and decimals as its contract describes them (NEP-148): a price of 5 USDC is `5000000` of its smallest units.",
    request: { params: z.object({ contract_id: accountIdField }) },
    success: { 200: json("The token.", currencyView) },
    errors: ["chain_unavailable"],
  },
  async ({ context, params: { contract_id: name } }) => {
    const currency = await readCurrency(context, name);
    if (currency) return currency;
    const message = `${name} is no NEP-141 token with symbol and decimals (NEP-148). Check the account of its contract.`;
    throw new ServiceError("not_found", message);
  },
);

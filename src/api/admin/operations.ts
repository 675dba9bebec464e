import { z } from "@hono/zod-openapi";
import type { ServiceContext } from "../../context.ts";
import type { Uuid } from "../../domain/ids.ts";
import { readOperationAsOperator } from "../../operations/engine/read.ts";
import { requireIntegration } from "../../operator/integrations.ts";
import { settleOperation } from "../../operator/settlement.ts";
import { endpoint, json, jsonBody, reply } from "../endpoint.ts";
import { operationView } from "../resources/operation.ts";
import { transactionHashField, uuidField } from "../schemas/fields.ts";
import { operationParam } from "../schemas/parameters.ts";

const ownerQuery = z.strictObject({
  integration_uuid: uuidField.optional().openapi({
    description:
      "The operation's integration. Absent: the ledgers with open operations are asked, and up to 500 others, but no archive.",
  }),
});

/** The integration that a request names. @throws ServiceError not_found: a ledger that no integration has answers nothing */
const ownerOf = async (
  context: ServiceContext,
  { integration_uuid: id }: z.output<typeof ownerQuery>,
): Promise<Uuid | undefined> => id && (await requireIntegration(context, id)).id;

const settlementBody = z
  .strictObject({
    had_effect: z.boolean().openapi({
      description:
        "Whether the chain has the operation's effect. For a finalization the service checks it. For the creation of a wallet or contract, send false and repeat the creation.",
    }),
    transaction_hash: transactionHashField.optional().openapi({
      description:
        "With `had_effect` true: the transaction that had it, as the chain shows it. The operation then succeeds with its results. A finalization needs none.",
    }),
  })
  .refine(({ had_effect: hadEffect, transaction_hash: hash }) => hadEffect || hash === undefined, {
    message: "Leave it out: a transaction shows an effect.",
    path: ["transaction_hash"],
  })
  .openapi("SettlementInput");

const COMMON = { tag: "Operator: operations", scope: "operator" } as const;

export const adminOperationEndpoints = [
  endpoint(
    {
      ...COMMON,
      method: "get",
      path: "/operation/{operation_uuid}",
      operationId: "adminGetOperation",
      summary: "Read an operation of any integration",
      description:
        "An operation moves to its integration's archive a month after its end, or earlier if the ledger is above 4 GiB: give the integration's uuid to find it there.",
      request: { params: operationParam, query: ownerQuery },
      success: { 200: json("The operation.", operationView) },
    },
    async ({ context, params, query }, c) =>
      reply(c, await readOperationAsOperator(context, params.operation_uuid, await ownerOf(context, query))),
  ),
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/operation/{operation_uuid}/settle",
      operationId: "adminSettleOperation",
      summary: "Settle an operation whose outcome can't be proven",
      description:
        "Only for the state `unknown`; check the chain first. With `had_effect` false the operation ends as failed, nothing more of it is sent, and its caller can send the request again. While a signed transaction may still land, the response is 409 with Retry-After. With `had_effect` true its caller is told not to repeat the request, or gets the response that it would have had if you give the transaction's hash; 409 if that isn't a transaction of the operation's last step. A finalization then adopts the collection that the chain shows under its external id; 409 if it shows none. It is also 409 where it was only prepared, by a top-up or a registration that can't be proven.",
      request: {
        params: operationParam,
        query: ownerQuery,
        body: jsonBody(settlementBody, { had_effect: true }),
      },
      success: { 200: json("The operation as it is now.", operationView) },
      errors: ["conflict", "wallet_busy", "chain_unavailable"],
    },
    async ({ context, params, query, body }, c) => {
      const ruling = { hadEffect: body.had_effect, hash: body.transaction_hash };
      const owner = await ownerOf(context, query);
      return reply(c, await settleOperation(context, params.operation_uuid, owner, ruling));
    },
  ),
];

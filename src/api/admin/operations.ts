import { z } from "@hono/zod-openapi";
import { readOperationAsOperator } from "../../operations/engine/read.ts";
import { settleOperation } from "../../operations/engine/settle.ts";
import { operationView } from "../../resources/operation.ts";
import { endpoint, json, jsonBody, reply } from "../endpoint.ts";
import { uuidField } from "../schemas/fields.ts";
import { operationParam } from "../schemas/parameters.ts";
import { settlementBody } from "./schemas.ts";

const archiveQuery = z.strictObject({
  integration_uuid: uuidField
    .optional()
    .openapi({ description: "The operation's integration; needed if the operation is archived." }),
});

export const adminOperationsRead = endpoint(
  {
    method: "get",
    path: "/operation/{operation_uuid}",
    operationId: "adminGetOperation",
    tag: "Operator: operations",
    summary: "Read an operation of any integration",
    description:
      "An operation that ended more than a month ago is in its integration's archive: give the integration's uuid to find it.",
    request: { params: operationParam, query: archiveQuery },
    success: { 200: json("The operation.", operationView) },
    access: "admin",
  },
  async (c, { params, query }) =>
    reply(c, await readOperationAsOperator(c.get("context"), params.operation_uuid, query.integration_uuid)),
);

export const adminOperationsSettle = endpoint(
  {
    method: "post",
    path: "/operation/{operation_uuid}/settle",
    operationId: "adminSettleOperation",
    tag: "Operator: operations",
    summary: "Settle an operation whose outcome can't be proven",
    description:
      "Only for the state `unknown`; look at the chain first. With `had_effect` false the operation ends as failed, nothing more of it is sent, and its caller can send the request again. While a signed transaction may still land the answer is 409 with Retry-After. With `had_effect` true its caller is told not to repeat the request. A finalization then adopts the collection that the chain shows under its external id; 409 if it shows none.",
    request: { params: operationParam, body: jsonBody(settlementBody, { had_effect: true }) },
    success: { 200: json("The operation as it is now.", operationView) },
    errors: ["conflict", "wallet_busy"],
    access: "admin",
  },
  async (c, { params, body }) =>
    reply(c, await settleOperation(c.get("context"), params.operation_uuid, body.had_effect)),
);

import { readOperation } from "../../operations/engine/read.ts";
import { endpoint, json, reply } from "../endpoint.ts";
import { operationView } from "../resources/operation.ts";
import { operationParam } from "../schemas/parameters.ts";

export const operationsRead = endpoint(
  {
    method: "get",
    path: "/operation/{operation_uuid}",
    operationId: "getOperation",
    tag: "Operations",
    summary: "Read an operation: a write to the chain",
    request: { params: operationParam },
    success: { 200: json("The operation.", operationView) },
  },
  async (c, { params }) =>
    reply(c, await readOperation(c.get("context"), c.get("caller"), params.operation_uuid)),
);

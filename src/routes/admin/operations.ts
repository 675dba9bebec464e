import { readOperationAsOperator } from "../../services/operations/read.ts";
import { endpoint, json, reply } from "../endpoint.ts";
import { operationView } from "../schemas/chain.ts";
import { operationParam } from "../schemas/parameters.ts";

/** GET /admin/v1/operation/{operation_uuid} */
export const adminOperationsRead = endpoint(
  {
    method: "get",
    path: "/operation/{operation_uuid}",
    operationId: "adminGetOperation",
    tag: "Operator: operations",
    summary: "What became of an operation, whoever's it is",
    request: { params: operationParam },
    success: { 200: json("The operation.", operationView) },
    access: "admin",
  },
  async (c, { params }) => reply(c, await readOperationAsOperator(c.get("context"), params.operation_uuid)),
);

import { show } from "../../http/answered.ts";
import { changeLimits, readLimits } from "../../integrations/quota.ts";
import { limitsView } from "../../resources/limits.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { integrationParam } from "../schemas/parameters.ts";
import { limitsBody } from "./limits-schema.ts";

const TAG = "Operator: integrations";

export const limitsRead = endpoint(
  {
    method: "get",
    path: "/integration/{integration_uuid}/limits",
    operationId: "adminGetLimits",
    tag: TAG,
    summary: "Show an integration's limits and its use of them",
    request: { params: integrationParam },
    success: { 200: json("The limits.", limitsView) },
    errors: ["wallet_busy"],
    access: "admin",
  },
  async (c, { params }) => show(c, await readLimits(c.get("context"), params.integration_uuid)),
);

export const limitsChange = endpoint(
  {
    method: "put",
    path: "/integration/{integration_uuid}/limits",
    operationId: "adminSetLimits",
    tag: TAG,
    summary: "Set limits of an integration",
    description:
      "An absent limit stays; null restores the default. If a limit is lowered below its use, what exists stays, and nothing can be added until the use is below it. `requests` takes effect everywhere within five seconds.",
    request: { params: integrationParam, body: jsonBody(limitsBody, { drafts: 5_000, requests: null }) },
    success: { 200: json("The limits as they are now.", limitsView) },
    errors: ["wallet_busy"],
    access: "admin",
  },
  async (c, { params, body }) => show(c, await changeLimits(c.get("context"), params.integration_uuid, body)),
);

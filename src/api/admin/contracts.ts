import { z } from "@hono/zod-openapi";
import { baseUrl } from "../../http/base-url.ts";
import { listResponse } from "../../http/list-response.ts";
import { listContracts } from "../../integrations/contracts.ts";
import { adoptContract, deployContract } from "../../provisioning/provisioning.ts";
import { contractDeployedView, contractView } from "../../resources/contract.ts";
import { endpoint, json, jsonBody, reply } from "../endpoint.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { integrationParam } from "../schemas/parameters.ts";
import { adoptBody, contractBody } from "./schemas.ts";

const TAG = "Operator: contracts";

export const contractsDeploy = endpoint(
  {
    method: "post",
    path: "/integration/{integration_uuid}/contract",
    operationId: "adminDeployContract",
    tag: TAG,
    summary: "Deploy a contract for an integration",
    request: { params: integrationParam, body: jsonBody(contractBody, { name: "Herons", symbol: "HERON" }) },
    success: { 201: json("The contract.", contractDeployedView) },
    operation: true,
    access: "admin",
  },
  async (c, { params, body }) =>
    reply(
      c,
      await deployContract(c.get("context"), {
        integrationId: params.integration_uuid,
        name: body.name,
        symbol: body.symbol,
        baseUrl: baseUrl(c),
        adminId: body.admin_id ?? undefined,
      }),
    ),
);

export const contractsList = endpoint(
  {
    method: "get",
    path: "/integration/{integration_uuid}/contract",
    operationId: "adminListContracts",
    tag: TAG,
    summary: "List an integration's contracts, newest first",
    request: { params: integrationParam, query: pageQuery },
    success: { 200: json("The contracts.", z.array(contractView), LINK) },
    access: "admin",
  },
  (c, { params, query }) =>
    listResponse(c, query, (cursor, size) =>
      listContracts(c.get("context"), params.integration_uuid, cursor, size),
    ),
);

export const contractsAdopt = endpoint(
  {
    method: "post",
    path: "/integration/{integration_uuid}/contract/adopt",
    operationId: "adminAdoptContract",
    tag: TAG,
    summary: "Adopt a contract that exists on the chain",
    description:
      "It has to run the contract code of this release or an earlier one, with the integration's wallet as owner or admin. A contract of an earlier release can mint and change allowlists. Changes of settings and of tokens' metadata are answered 409 `conflict` until it is upgraded.",
    request: { params: integrationParam, body: jsonBody(adoptBody, { account_id: "herons.near" }) },
    success: { 201: json("The contract.", contractView) },
    errors: ["conflict", "chain_unavailable"],
    access: "admin",
  },
  async (c, { params, body }) =>
    reply(
      c,
      await adoptContract(c.get("context"), {
        integrationId: params.integration_uuid,
        accountId: body.account_id,
      }),
    ),
);

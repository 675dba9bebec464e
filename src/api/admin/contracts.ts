import { z } from "@hono/zod-openapi";
import { baseUrl } from "../../http/base-url.ts";
import { listResponse } from "../../http/list-response.ts";
import { show } from "../../http/typed-response.ts";
import {
  acceptContract,
  handOverContract,
  listContractsWithRoles,
  readContract,
} from "../../operator/contract-ownership.ts";
import { listContracts } from "../../operator/contracts.ts";
import { adoptContract, deployContract } from "../../operator/provisioning.ts";
import { endpoint, json, jsonBody, reply } from "../endpoint.ts";
import {
  contractDeployedView,
  contractRolesView,
  contractView,
  handOverView,
  listedContractView,
  ownershipView,
} from "../resources/contract.ts";
import { LINK } from "../schemas/pages.ts";
import { contractParam, integrationParam } from "../schemas/parameters.ts";
import { adoptBody, contractBody, contractsQuery, handOverBody } from "./schemas.ts";

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
    request: { params: integrationParam, query: contractsQuery },
    success: { 200: json("The contracts.", z.array(listedContractView), LINK) },
    access: "admin",
  },
  (c, { params: { integration_uuid: integration }, query: { roles, ...page } }) => {
    const context = c.get("context");
    return roles === undefined
      ? listResponse(c, page, (cursor, size) => listContracts(context, integration, cursor, size))
      : listResponse(c, page, (cursor, size) => listContractsWithRoles(context, integration, cursor, size));
  },
);

export const contractsRead = endpoint(
  {
    method: "get",
    path: "/contract/{contract_uuid}",
    operationId: "adminGetContract",
    tag: TAG,
    summary: "Read one contract, with its owner",
    description: "The roles are read from the chain, where owners change them without this service.",
    request: { params: contractParam },
    success: { 200: json("The contract.", contractRolesView) },
    access: "admin",
  },
  async (c, { params }) => show(c, await readContract(c.get("context"), params.contract_uuid)),
);

export const contractsAdopt = endpoint(
  {
    method: "post",
    path: "/integration/{integration_uuid}/contract/adopt",
    operationId: "adminAdoptContract",
    tag: TAG,
    summary: "Adopt a contract that exists on the chain",
    description:
      "It must run the contract code of this release or an earlier one, with the integration's wallet as owner or admin. A contract of an earlier release can mint and change allowlists. Changes of settings and of tokens' metadata get 409 `conflict` until it is upgraded.",
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

export const contractsHandOver = endpoint(
  {
    method: "post",
    path: "/contract/{contract_uuid}/hand-over",
    operationId: "adminHandOverContract",
    tag: TAG,
    summary: "Propose another owner for a contract",
    description:
      "The account becomes the owner once it calls `owner_accept` on the contract with one yoctoNEAR; until then all stays as it is. The integration's wallet stays an admin unless `keep_admin` is false: then the service can't mint from the contract any more. 409 if the wallet isn't the owner.",
    request: {
      params: contractParam,
      body: jsonBody(handOverBody, { account_id: "artist.near", keep_admin: true }),
    },
    success: { 200: json("What is proposed.", handOverView) },
    operation: true,
    errors: ["unknown_account"],
    access: "admin",
  },
  async (c, { params, body }) =>
    reply(
      c,
      await handOverContract(c.get("context"), {
        contractId: params.contract_uuid,
        accountId: body.account_id,
        staysAdmin: body.keep_admin ?? true,
      }),
    ),
);

export const contractsAccept = endpoint(
  {
    method: "post",
    path: "/integration/{integration_uuid}/contract/accept",
    operationId: "adminAcceptContract",
    tag: TAG,
    summary: "Have an integration's wallet accept a contract that is proposed to it",
    description: "Adopt the contract afterwards. If the wallet is the owner already, nothing is sent.",
    request: { params: integrationParam, body: jsonBody(adoptBody, { account_id: "herons.near" }) },
    success: { 200: json("The wallet is the owner.", ownershipView) },
    operation: true,
    access: "admin",
  },
  async (c, { params, body }) =>
    reply(
      c,
      await acceptContract(c.get("context"), {
        integrationId: params.integration_uuid,
        accountId: body.account_id,
      }),
    ),
);

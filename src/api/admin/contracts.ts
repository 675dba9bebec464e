import { z } from "@hono/zod-openapi";
import { baseUrl } from "../../http/app-env.ts";
import {
  acceptContract,
  handOverContract,
  listContractsWithRoles,
  readContract,
} from "../../operator/contract-ownership.ts";
import { planUpgrade, upgradeContract } from "../../operator/contract-upgrade.ts";
import { listContracts, listEveryContract } from "../../operator/contracts.ts";
import { adoptContract, deployContract } from "../../operator/provisioning.ts";
import { endpoint, json, jsonBody, list, reply } from "../endpoint.ts";
import {
  adoptedContractView,
  contractDeployedView,
  contractRolesView,
  contractUpgradedView,
  handOverView,
  listedContractView,
  ownedContractView,
  ownershipView,
  upgradePlanView,
} from "../resources/contract.ts";
import { accountIdField, accountIdOrNull, nameField, textField, yesField } from "../schemas/fields.ts";
import { contractParam, integrationParam } from "../schemas/parameters.ts";

const contractBody = z
  .strictObject({
    name: nameField.openapi({ description: "NEP-177 name of the contract." }),
    symbol: textField(20).min(1).openapi({ description: "NEP-177 symbol." }),
    admin_id: accountIdField.nullish().openapi({ description: "Another account that may administer it." }),
  })
  .openapi("ContractInput");

const adoptBody = z.strictObject({ account_id: accountIdField }).openapi("AdoptInput");

const handOverBody = z
  .strictObject({
    account_id: accountIdOrNull("The next owner; null withdraws a proposal."),
    keep_admin: z.boolean().optional().openapi({
      description:
        "Whether the integration's wallet stays an admin, so that the service can still mint. Absent: true. False removes the role at once.",
    }),
  })
  .openapi("HandOverInput");

const COMMON = { tag: "Operator: contracts", scope: "operator" } as const;

export const contractEndpoints = [
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/integration/{integration_uuid}/contract",
      operationId: "adminDeployContract",
      summary: "Deploy a contract for an integration",
      request: {
        params: integrationParam,
        body: jsonBody(contractBody, { name: "Herons", symbol: "HERON" }),
      },
      success: { 201: json("The contract.", contractDeployedView) },
      operation: true,
    },
    ({ context, params, body: { name, symbol, admin_id: adminId } }, c) =>
      deployContract(context, {
        integrationId: params.integration_uuid,
        name,
        symbol,
        baseUrl: baseUrl(c),
        adminId: adminId ?? undefined,
      }),
  ),
  list(
    {
      ...COMMON,
      path: "/integration/{integration_uuid}/contract",
      operationId: "adminListContracts",
      summary: "List an integration's contracts, newest first",
      params: integrationParam,
      filters: {
        roles: yesField.optional().openapi({
          description:
            "With each contract's roles, which are read from the chain. A page has at most 50 then.",
        }),
      },
      entries: ["The contracts.", listedContractView],
    },
    ({ context, params, query }, cursor, size) =>
      (query.roles === undefined ? listContracts : listContractsWithRoles)(
        context,
        params.integration_uuid,
        cursor,
        size,
      ),
  ),
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/integration/{integration_uuid}/contract/adopt",
      operationId: "adminAdoptContract",
      summary: "Adopt a contract that exists on the chain",
      description:
        "It must run the contract code of this release or an earlier one, with the integration's wallet as owner or admin. A contract of an earlier release can mint and change allowlists. Changes of settings and of tokens' metadata get 409 `conflict` until it is upgraded.",
      request: { params: integrationParam, body: jsonBody(adoptBody, { account_id: "herons.near" }) },
      success: { 201: json("The contract.", adoptedContractView) },
      errors: ["conflict", "chain_unavailable"],
    },
    async ({ context, params: { integration_uuid: integrationId }, body: { account_id: accountId } }, c) =>
      reply(c, await adoptContract(context, { integrationId, accountId })),
  ),
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/integration/{integration_uuid}/contract/accept",
      operationId: "adminAcceptContract",
      summary: "Have an integration's wallet accept a contract that is proposed to it",
      description: "Adopt the contract afterwards. If the wallet is the owner already, nothing is sent.",
      request: { params: integrationParam, body: jsonBody(adoptBody, { account_id: "herons.near" }) },
      success: { 200: json("The wallet is the owner.", ownershipView) },
      operation: true,
    },
    ({ context, params: { integration_uuid: integrationId }, body: { account_id: accountId } }) =>
      acceptContract(context, { integrationId, accountId }),
  ),
  list(
    {
      ...COMMON,
      path: "/contract",
      operationId: "adminListEveryContract",
      summary: "List the contracts of all integrations, newest first",
      filters: {
        account_id: accountIdField
          .optional()
          .openapi({ param: { description: "Only the one at this account." } }),
      },
      entries: ["The contracts.", ownedContractView],
    },
    ({ context, query }, cursor, size) => listEveryContract(context, query.account_id, cursor, size),
  ),
  endpoint(
    {
      ...COMMON,
      method: "get",
      path: "/contract/{contract_uuid}",
      operationId: "adminGetContract",
      summary: "Read one contract, with its owner",
      description: "The roles are read from the chain, where owners change them without this service.",
      request: { params: contractParam },
      success: { 200: json("The contract.", contractRolesView) },
    },
    ({ context, params }) => readContract(context, params.contract_uuid),
  ),
  endpoint(
    {
      ...COMMON,
      method: "get",
      path: "/contract/{contract_uuid}/upgrade",
      operationId: "adminPlanContractUpgrade",
      summary: "What an upgrade of a contract would do and cost",
      description: "Nothing is sent.",
      request: { params: contractParam },
      success: { 200: json("The plan.", upgradePlanView) },
      errors: ["wallet_busy", "chain_unavailable"],
    },
    ({ context, params }) => planUpgrade(context, params.contract_uuid),
  ),
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/contract/{contract_uuid}/upgrade",
      operationId: "adminUpgradeContract",
      summary: "Upgrade a contract to this release's code",
      description:
        "Publishes the code if the chain doesn't have it (the platform pays), tops the contract up (the integration's wallet pays), switches its code and converts its collections. Minting continues meanwhile. A second call joins an upgrade in progress or continues an interrupted one; after the upgrade it changes nothing. 409 if the contract can't be upgraded: it runs unknown code, or the integration's wallet is not its owner.",
      request: { params: contractParam },
      success: { 200: json("The contract runs this release's code.", contractUpgradedView) },
      operation: true,
    },
    ({ context, params }) => upgradeContract(context, params.contract_uuid),
  ),
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/contract/{contract_uuid}/hand-over",
      operationId: "adminHandOverContract",
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
    },
    ({ context, params, body: { account_id: accountId, keep_admin: staysAdmin = true } }) =>
      handOverContract(context, { contractId: params.contract_uuid, accountId, staysAdmin }),
  ),
];

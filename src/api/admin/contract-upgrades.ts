import { z } from "@hono/zod-openapi";
import { listResponse } from "../../http/list-response.ts";
import { show } from "../../http/typed-response.ts";
import { planUpgrade, upgradeContract } from "../../operator/contract-upgrade.ts";
import { listEveryContract } from "../../operator/contracts.ts";
import { endpoint, json, reply } from "../endpoint.ts";
import { contractUpgradedView, ownedContractView, upgradePlanView } from "../resources/contract.ts";
import { LINK } from "../schemas/pages.ts";
import { contractParam } from "../schemas/parameters.ts";
import { everyContractQuery } from "./schemas.ts";

const TAG = "Operator: contracts";

export const everyContractList = endpoint(
  {
    method: "get",
    path: "/contract",
    operationId: "adminListEveryContract",
    tag: TAG,
    summary: "List the contracts of all integrations, newest first",
    request: { query: everyContractQuery },
    success: { 200: json("The contracts.", z.array(ownedContractView), LINK) },
    access: "admin",
  },
  (c, { query: { account_id, ...page } }) =>
    listResponse(c, page, (cursor, size) => listEveryContract(c.get("context"), account_id, cursor, size)),
);

export const contractUpgradesPlan = endpoint(
  {
    method: "get",
    path: "/contract/{contract_uuid}/upgrade",
    operationId: "adminPlanContractUpgrade",
    tag: TAG,
    summary: "What an upgrade of a contract would do and cost",
    description: "Nothing is sent.",
    request: { params: contractParam },
    success: { 200: json("The plan.", upgradePlanView) },
    errors: ["wallet_busy", "chain_unavailable"],
    access: "admin",
  },
  async (c, { params }) => show(c, await planUpgrade(c.get("context"), params.contract_uuid)),
);

export const contractUpgradesRun = endpoint(
  {
    method: "post",
    path: "/contract/{contract_uuid}/upgrade",
    operationId: "adminUpgradeContract",
    tag: TAG,
    summary: "Upgrade a contract to this release's code",
    description:
      "Publishes the code if the chain doesn't have it (the platform pays), tops the contract up (the integration's wallet pays), switches its code and converts its collections. Minting continues meanwhile. A second call joins an upgrade in progress or continues an interrupted one; after the upgrade it changes nothing. 409 if the contract can't be upgraded: it runs unknown code, or the integration's wallet is not its owner.",
    request: { params: contractParam },
    success: { 200: json("The contract runs this release's code.", contractUpgradedView) },
    operation: true,
    access: "admin",
  },
  async (c, { params }) => reply(c, await upgradeContract(c.get("context"), params.contract_uuid)),
);

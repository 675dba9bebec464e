import { z } from "@hono/zod-openapi";
import { show } from "../../http/answered.ts";
import { listResponse } from "../../http/list-response.ts";
import { listIntegrations, readIntegration } from "../../integrations/integrations.ts";
import { changePayoutAccount } from "../../provisioning/payout-account.ts";
import { createIntegration } from "../../provisioning/provisioning.ts";
import { integrationView, walletCreatedView } from "../../resources/integration.ts";
import { endpoint, json, jsonBody, reply } from "../endpoint.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { integrationParam } from "../schemas/parameters.ts";
import { integrationBody, payoutAccountBody } from "./schemas.ts";

export const integrationsCreate = endpoint(
  {
    method: "post",
    path: "/integration",
    operationId: "adminCreateIntegration",
    tag: "Operator: integrations",
    summary: "Create an integration with a funded wallet",
    description:
      "If the wallet can't be created now, the integration keeps the wallet_state `new`; create its wallet again later.",
    request: { body: jsonBody(integrationBody, { name: "Heron shop" }) },
    success: { 201: json("The integration and its wallet.", walletCreatedView) },
    operation: true,
    access: "admin",
  },
  async (c, { body }) => reply(c, await createIntegration(c.get("context"), body.name)),
);

export const integrationsList = endpoint(
  {
    method: "get",
    path: "/integration",
    operationId: "adminListIntegrations",
    tag: "Operator: integrations",
    summary: "List integrations, newest first",
    request: { query: pageQuery },
    success: { 200: json("The integrations.", z.array(integrationView), LINK) },
    access: "admin",
  },
  (c, { query }) =>
    listResponse(c, query, (cursor, size) => listIntegrations(c.get("context"), cursor, size)),
);

export const integrationsRead = endpoint(
  {
    method: "get",
    path: "/integration/{integration_uuid}",
    operationId: "adminGetIntegration",
    tag: "Operator: integrations",
    summary: "Read one integration",
    request: { params: integrationParam },
    success: { 200: json("The integration.", integrationView) },
    access: "admin",
  },
  async (c, { params }) => show(c, await readIntegration(c.get("context"), params.integration_uuid)),
);

export const payoutAccountSet = endpoint(
  {
    method: "put",
    path: "/integration/{integration_uuid}/payout-account",
    operationId: "adminSetPayoutAccount",
    tag: "Operator: integrations",
    summary: "Set the account that an integration's money is paid out to",
    request: { params: integrationParam, body: jsonBody(payoutAccountBody, { account_id: "treasury.near" }) },
    success: { 200: json("The integration.", integrationView) },
    errors: ["unknown_account", "chain_unavailable"],
    access: "admin",
  },
  async (c, { params, body }) =>
    show(c, await changePayoutAccount(c.get("context"), params.integration_uuid, body.account_id)),
);

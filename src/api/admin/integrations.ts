import { z } from "@hono/zod-openapi";
import { show } from "../../http/answered.ts";
import { forgetKeysOf } from "../../http/known-keys.ts";
import { listResponse } from "../../http/list-response.ts";
import { changeIntegration, listIntegrations, readIntegration } from "../../integrations/integrations.ts";
import { deleteIntegration } from "../../provisioning/deletion.ts";
import { changePayoutAccount } from "../../provisioning/payout-account.ts";
import { createIntegration } from "../../provisioning/provisioning.ts";
import { integrationView, walletCreatedView } from "../../resources/integration.ts";
import { endpoint, json, jsonBody, reply } from "../endpoint.ts";
import { LINK } from "../schemas/pages.ts";
import { integrationParam } from "../schemas/parameters.ts";
import {
  deletionQuery,
  integrationBody,
  integrationChanges,
  integrationsQuery,
  payoutAccountBody,
} from "./schemas.ts";

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
    request: { query: integrationsQuery },
    success: { 200: json("The integrations.", z.array(integrationView), LINK) },
    access: "admin",
  },
  (c, { query: { name, deleted, ...page } }) =>
    listResponse(c, page, (cursor, size) =>
      listIntegrations(c.get("context"), { name, deleted: deleted !== undefined }, cursor, size),
    ),
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

export const integrationsChange = endpoint(
  {
    method: "put",
    path: "/integration/{integration_uuid}",
    operationId: "adminChangeIntegration",
    tag: "Operator: integrations",
    summary: "Rename an integration, suspend or resume it",
    description:
      "Requests with the keys of a suspended integration are answered 403 `integration_suspended`. What it had accepted before goes on, its webhooks are sent, and its collections, pages and files stay. Claim links are answered 503 `claims_paused`, because its wallet would pay for them.",
    request: { params: integrationParam, body: jsonBody(integrationChanges, { suspended: true }) },
    success: { 200: json("The integration as it is now.", integrationView) },
    errors: ["conflict"],
    access: "admin",
  },
  async (c, { params, body }) => {
    const integration = await changeIntegration(c.get("context"), params.integration_uuid, body);
    forgetKeysOf(params.integration_uuid);
    return show(c, integration);
  },
);

export const integrationsDelete = endpoint(
  {
    method: "delete",
    path: "/integration/{integration_uuid}",
    operationId: "adminDeleteIntegration",
    tag: "Operator: integrations",
    summary: "Delete a suspended integration",
    description:
      "Revokes its keys, deletes its webhooks and, within minutes, its drafts. What is on the chain stays: contracts, tokens, and the wallet's account, whose sealed key is kept. Files of its collections are still served. 409 while it isn't suspended, while operations are not over, and while its wallet has more than 0.1 NEAR to spend, unless `leave_funds` is true.",
    request: { params: integrationParam, query: deletionQuery },
    success: { 200: json("The integration as it is now.", integrationView) },
    errors: ["conflict", "wallet_busy"],
    access: "admin",
  },
  async (c, { params, query }) => {
    const leaveFunds = query.leave_funds !== undefined;
    const integration = await deleteIntegration(c.get("context"), params.integration_uuid, leaveFunds);
    forgetKeysOf(params.integration_uuid);
    return show(c, integration);
  },
);

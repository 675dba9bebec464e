import { z } from "@hono/zod-openapi";
import { listResponse } from "../../http/list-response.ts";
import { show } from "../../http/typed-response.ts";
import { provisionWallet } from "../../operator/provisioning.ts";
import { listStuck } from "../../operator/stuck.ts";
import {
  activateWallet,
  readPlatform,
  readWallet,
  restoreWallet,
  rotateSecrets,
} from "../../operator/wallets.ts";
import { endpoint, json, reply } from "../endpoint.ts";
import { walletCreatedView } from "../resources/integration.ts";
import { rotationView, stuckView, walletView } from "../resources/wallet.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";
import { integrationParam } from "../schemas/parameters.ts";

const TAG = "Operator: wallets";

export const walletsCreate = endpoint(
  {
    method: "post",
    path: "/integration/{integration_uuid}/wallet",
    operationId: "adminCreateWallet",
    tag: TAG,
    summary: "Create an integration's wallet if that failed before",
    request: { params: integrationParam },
    success: {
      200: json("The wallet that exists.", walletCreatedView.omit({ tx_results: true })),
      201: json("The wallet.", walletCreatedView),
    },
    operation: true,
    access: "admin",
  },
  async (c, { params }) => {
    return reply(c, await provisionWallet(c.get("context"), params.integration_uuid));
  },
);

export const walletsRead = endpoint(
  {
    method: "get",
    path: "/integration/{integration_uuid}/wallet",
    operationId: "adminGetWallet",
    tag: TAG,
    summary: "Show a wallet's address, balance, lanes and queue",
    request: { params: integrationParam },
    success: { 200: json("The wallet.", walletView) },
    errors: ["conflict", "wallet_busy"],
    access: "admin",
  },
  async (c, { params }) => show(c, await readWallet(c.get("context"), params.integration_uuid)),
);

export const walletsRestore = endpoint(
  {
    method: "post",
    path: "/integration/{integration_uuid}/wallet/restore",
    operationId: "adminRestoreWallet",
    tag: TAG,
    summary: "Restore the key of a lost wallet object",
    description:
      "The key comes from the encrypted copy in the database. A wallet that still has its key doesn't change. A restored wallet signs nothing until it is activated.",
    request: { params: integrationParam },
    success: { 200: json("The wallet.", walletView) },
    errors: ["conflict", "wallet_busy"],
    access: "admin",
  },
  async (c, { params }) => {
    return show(c, await restoreWallet(c.get("context"), params.integration_uuid));
  },
);

export const walletsActivate = endpoint(
  {
    method: "post",
    path: "/integration/{integration_uuid}/wallet/activate",
    operationId: "adminActivateWallet",
    tag: TAG,
    summary: "Let a restored wallet sign again",
    description:
      "Operations that began before the restoration are not signed: they end as `unknown`, because the lost object may have sent them. An active wallet doesn't change.",
    request: { params: integrationParam },
    success: { 200: json("The wallet.", walletView) },
    errors: ["conflict", "wallet_busy"],
    access: "admin",
  },
  async (c, { params }) => {
    return show(c, await activateWallet(c.get("context"), params.integration_uuid));
  },
);

export const platformRead = endpoint(
  {
    method: "get",
    path: "/platform",
    operationId: "adminGetPlatform",
    tag: TAG,
    summary: "Show the platform account's wallet",
    success: { 200: json("The wallet.", walletView) },
    errors: ["wallet_busy"],
    access: "admin",
  },
  async (c) => show(c, await readPlatform(c.get("context"))),
);

export const stuckList = endpoint(
  {
    method: "get",
    path: "/transaction/stuck",
    operationId: "adminListStuckTransactions",
    tag: TAG,
    summary: "List transactions that need the operator",
    description:
      "The platform's wallet comes first, then the integrations'. Each page covers some of the wallets: with `limit` it may have fewer entries, or none, although there is a next page.",
    request: { query: pageQuery },
    success: { 200: json("The transactions.", z.array(stuckView), LINK) },
    errors: ["wallet_busy"],
    access: "admin",
  },
  (c, { query }) => listResponse(c, query, (cursor, size) => listStuck(c.get("context"), cursor, size)),
);

export const secretsRotate = endpoint(
  {
    method: "post",
    path: "/secret-rotation",
    operationId: "adminRotateSecrets",
    tag: TAG,
    summary: "Seal wallets' keys and webhooks' secrets under the newest version of WALLET_SECRETS",
    success: { 200: json("What was done.", rotationView) },
    errors: ["wallet_busy"],
    access: "admin",
  },
  async (c) => {
    return show(c, await rotateSecrets(c.get("context")));
  },
);

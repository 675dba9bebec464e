import { provisionWallet } from "../../operator/provisioning.ts";
import { listStuck } from "../../operator/stuck.ts";
import {
  activateWallet,
  readPlatform,
  readWallet,
  restoreWallet,
  rotateSecrets,
} from "../../operator/wallets.ts";
import { endpoint, json, list } from "../endpoint.ts";
import { rotationView, stuckView, walletCreatedView, walletView } from "../resources/wallet.ts";
import { integrationParam } from "../schemas/parameters.ts";

const COMMON = { tag: "Operator: wallets", scope: "operator" } as const;
const ONE = { request: { params: integrationParam }, success: { 200: json("The wallet.", walletView) } };

export const walletEndpoints = [
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/integration/{integration_uuid}/wallet",
      operationId: "adminCreateWallet",
      summary: "Create an integration's wallet if that failed before",
      request: { params: integrationParam },
      success: {
        200: json("The wallet that exists.", walletCreatedView.omit({ tx_results: true })),
        201: json("The wallet.", walletCreatedView),
      },
      operation: true,
    },
    ({ context, params }) => provisionWallet(context, params.integration_uuid),
  ),
  endpoint(
    {
      ...COMMON,
      ...ONE,
      method: "get",
      path: "/integration/{integration_uuid}/wallet",
      operationId: "adminGetWallet",
      summary: "Show a wallet's address, balance, lanes and queue",
      errors: ["conflict", "wallet_busy"],
    },
    ({ context, params }) => readWallet(context, params.integration_uuid),
  ),
  endpoint(
    {
      ...COMMON,
      ...ONE,
      method: "post",
      path: "/integration/{integration_uuid}/wallet/restore",
      operationId: "adminRestoreWallet",
      summary: "Restore the key of a lost wallet object",
      description:
        "The key comes from the encrypted copy in the database; operations, keys, events and collections from the database and the bucket. A wallet that has lost nothing doesn't change. A restored wallet signs nothing until it is activated. Call again to resume an interrupted restoration.",
      errors: ["conflict", "wallet_busy"],
    },
    ({ context, params }) => restoreWallet(context, params.integration_uuid),
  ),
  endpoint(
    {
      ...COMMON,
      ...ONE,
      method: "post",
      path: "/integration/{integration_uuid}/wallet/activate",
      operationId: "adminActivateWallet",
      summary: "Let a restored wallet sign again",
      description:
        "Operations that began before the restoration are not signed: they end as `unknown`, because the lost object may have sent them. An active wallet doesn't change.",
      errors: ["conflict", "wallet_busy"],
    },
    ({ context, params }) => activateWallet(context, params.integration_uuid),
  ),
];

export const platformEndpoints = [
  endpoint(
    {
      ...COMMON,
      method: "get",
      path: "/platform",
      operationId: "adminGetPlatform",
      summary: "Show the platform account's wallet",
      success: { 200: json("The wallet.", walletView) },
      errors: ["wallet_busy"],
    },
    ({ context }) => readPlatform(context),
  ),
  list(
    {
      ...COMMON,
      path: "/transaction/stuck",
      operationId: "adminListStuckTransactions",
      summary: "List transactions that need the operator",
      description:
        "The platform's wallet comes first, then the integrations'. Each page covers some of the wallets: with `limit` it may have fewer entries, or none, although there is a next page.",
      entries: ["The transactions.", stuckView],
      errors: ["wallet_busy"],
    },
    ({ context }, cursor, size) => listStuck(context, cursor, size),
  ),
  endpoint(
    {
      ...COMMON,
      method: "post",
      path: "/secret-rotation",
      operationId: "adminRotateSecrets",
      summary: "Seal wallets' keys and webhooks' secrets under the newest version of WALLET_SECRETS",
      success: { 200: json("What was done.", rotationView) },
      errors: ["wallet_busy"],
    },
    ({ context }) => rotateSecrets(context),
  ),
];

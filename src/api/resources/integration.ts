import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { PUBLIC_KEY, type Shown, WALLET } from "./samples.ts";

/** Whether an integration's keys are taken. */
export const INTEGRATION_STATES = ["active", "suspended", "deleted"] as const;

/** An integration as the operator sees it. */
export const integrationView = z
  .object({
    integration_uuid: z.uuid(),
    name: z.string().openapi({ example: "Heron shop" }),
    state: z.enum(INTEGRATION_STATES).openapi({
      description: "suspended: its keys are refused until it is resumed. deleted: it has no key any more.",
      example: "active",
    }),
    wallet_account_id: z.string().nullable().openapi({ example: WALLET }),
    wallet_public_key: z.string().nullable().openapi({ example: PUBLIC_KEY }),
    wallet_state: z.enum(["new", "creating", "ready"]).openapi({ example: "ready" }),
    payout_account: z.string().nullable().openapi({
      description: "Account that its wallet's money is paid out to; null: none is set.",
      example: "treasury.near",
    }),
    created_at: z.iso.datetime(),
  })
  .openapi("Integration");

/** The response to the creation of a wallet. */
export const walletCreatedView = z
  .object({
    integration_uuid: z.uuid(),
    wallet_account_id: z.string().openapi({ example: WALLET }),
    wallet_state: z.literal("ready"),
    tx_results: z.array(transactionView),
  })
  .openapi("WalletCreated");

export type Integration = Shown<typeof integrationView>;

export type WalletCreated = Shown<typeof walletCreatedView>;

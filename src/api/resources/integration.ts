import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { PUBLIC_KEY, type Shown, text, WALLET } from "./samples.ts";

export const INTEGRATION_STATES = ["active", "suspended", "deleted"] as const;

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
    payout_account: text(
      "Account that its wallet's money is paid out to; null: none is set.",
      "treasury.near",
    ).nullable(),
    created_at: z.iso.datetime(),
  })
  .openapi("Integration");

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

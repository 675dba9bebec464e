import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { PUBLIC_KEY, type Shown, text, WALLET, whole } from "./samples.ts";

const stuckFields = {
  operation_uuid: z.uuid(),
  step: z.string().openapi({ example: "mint" }),
  state: text(
    "`unknown`: its outcome can't be proven. `queued`, `open`: for two minutes or longer. `wallet_inactive`: it waits until its wallet is restored or activated.",
    "unknown",
  ),
  transaction: z.union([transactionView, z.null()]),
};

export const stuckView = z
  .object({
    integration_uuid: z.uuid().nullable().openapi({ description: "null: the platform's own wallet." }),
    ...stuckFields,
    operation_uuid: stuckFields.operation_uuid.nullable().openapi({
      description:
        "null, like `step`: a lost ledger, which knows its operations once its wallet is restored and activated.",
    }),
    step: stuckFields.step.nullable(),
  })
  .openapi("StuckTransaction");

/** What a wallet's object may be; it signs while it is active. */
export const WALLET_STATES = ["empty", "prepared", "restored", "locked_out", "active"] as const;

export const walletView = z
  .object({
    state: z.enum(WALLET_STATES).openapi({
      description:
        "empty: its object has lost its key; restore it. restored: activate it. locked_out: its account lacks its key; add it.",
      example: "active",
    }),
    account_id: z.string().openapi({ example: WALLET }),
    public_key: z.string().openapi({ example: PUBLIC_KEY }),
    balance: text("yoctoNEAR; null if no node responds.", "4871520000000000000000000").nullable(),
    lanes: z.array(
      z.object({
        public_key: z.string().openapi({ example: PUBLIC_KEY }),
        kind: z.enum(["full_access", "function_call"]),
        open: z.int().openapi({ example: 0 }),
      }),
    ),
    queued: z.int().openapi({ example: 0 }),
    open: z.int().openapi({ example: 0 }),
    stuck: z.array(z.object(stuckFields)).openapi({ description: "The first 100.", example: [] }),
    lost_operations: z
      .array(z.object({ operation_uuid: z.uuid(), idempotency_key: z.string().nullable() }))
      .openapi({
        description:
          "The newest 1,000 writes that a loss of the ledger took along, the newest first, for seven days after its restoration. Their outcome is unknown: repeating one by its Idempotency-Key says so. Writes of the very last second before the loss may be missing here.",
        example: [],
      }),
  })
  .openapi("Wallet");

export const rotationView = z
  .object({
    version: z.int().openapi({ example: 2 }),
    resealed: z.array(z.uuid()),
    failed: z.array(z.object({ integration_uuid: z.uuid(), message: z.string() })).openapi({ example: [] }),
    remaining: whole(
      "Wallets left. Call again until it is 0 here, for the webhooks and for the reveals, then remove the old secret.",
      0,
    ),
    webhooks: z
      .object({
        resealed: z.int(),
        failed: z.array(z.uuid()).openapi({ description: "The log says why." }),
        remaining: z.int(),
      })
      .openapi({
        description: "The same of webhooks' secrets.",
        example: { resealed: 12, failed: [], remaining: 0 },
      }),
    reveals: z
      .object({
        resealed: z.int(),
        failed: z.array(z.uuid()).openapi({ description: "Collections; the log says why." }),
        remaining: z.int(),
      })
      .openapi({
        description: "The same of the orders of hidden assets.",
        example: { resealed: 1, failed: [], remaining: 0 },
      }),
  })
  .openapi("Rotation");
export type StuckTransaction = Shown<typeof stuckView>;
export type WalletShown = Shown<typeof walletView>;
export type Rotation = Shown<typeof rotationView>;

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

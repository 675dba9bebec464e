import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { PUBLIC_KEY, WALLET } from "./samples.ts";
import type { Shown } from "./shown.ts";

const stuckFields = {
  operation_uuid: z.uuid(),
  step: z.string().openapi({ example: "mint" }),
  state: z.string().openapi({
    description:
      "`unknown`: its outcome can't be proven; `queued`, `open`: for two minutes or longer; `wallet_inactive`: it waits for its wallet to be restored or activated; `behind`: the database lacks it and has to be recovered.",
    example: "unknown",
  }),
  transaction: z.union([transactionView, z.null()]),
};

/** A transaction that needs the operator's eyes, with the wallet that it is of. */
export const stuckView = z
  .object({
    integration_uuid: z.uuid().nullable().openapi({ description: "null: the platform's own wallet." }),
    ...stuckFields,
  })
  .openapi("StuckTransaction");

/** What a wallet's object may be; it signs while it is active. */
export const WALLET_STATES = ["empty", "prepared", "restored", "behind", "locked_out", "active"] as const;

/** A wallet as the operator sees it. */
export const walletView = z
  .object({
    state: z.enum(WALLET_STATES).openapi({
      description:
        "empty: its object has no key and has to be restored; restored: it has to be activated; behind: the database is older than its journal and has to be recovered; locked_out: its key is not on its account and has to be added.",
      example: "active",
    }),
    account_id: z.string().openapi({ example: WALLET }),
    public_key: z.string().openapi({ example: PUBLIC_KEY }),
    balance: z.string().nullable().openapi({
      description: "yoctoNEAR; null if no node answers.",
      example: "4871520000000000000000000",
    }),
    lanes: z.array(
      z.object({
        public_key: z.string().openapi({ example: PUBLIC_KEY }),
        kind: z.enum(["full_access", "function_call"]),
        open: z.int().openapi({ example: 0 }),
      }),
    ),
    queued: z.int().openapi({ example: 0 }),
    open: z.int().openapi({ example: 0 }),
    stuck: z.array(z.object(stuckFields)).openapi({ description: "The first hundred.", example: [] }),
  })
  .openapi("Wallet");

/** What a round of secret rotation did. */
export const rotationView = z
  .object({
    version: z.int().openapi({ example: 2 }),
    resealed: z.array(z.uuid()),
    failed: z.array(z.object({ integration_uuid: z.uuid(), message: z.string() })).openapi({ example: [] }),
    remaining: z.int().openapi({
      description: "Call again until it is 0, and that of the webhooks as well, then drop the old secret.",
      example: 0,
    }),
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
  })
  .openapi("Rotation");

export type StuckTransaction = Shown<typeof stuckView>;

export type WalletShown = Shown<typeof walletView>;

export type Rotation = Shown<typeof rotationView>;

import { z } from "@hono/zod-openapi";
import { limitsView } from "./limits.ts";
import { CONTRACT, WALLET } from "./samples.ts";
import type { Shown } from "./shown.ts";
import { WALLET_STATES } from "./wallet.ts";

const amount = (description: string) =>
  z.string().nullable().openapi({ description, example: "4871520000000000000000000" });

export const meView = z
  .object({
    integration_uuid: z.uuid(),
    name: z.string().openapi({ example: "Heron shop" }),
    key: z.object({
      key_uuid: z.uuid(),
      name: z.string().openapi({ example: "Shop server" }),
      role: z.enum(["full", "read"]),
      expires_at: z.iso.datetime().nullable(),
    }),
    wallet: z.object({
      account_id: z.string().nullable().openapi({ example: WALLET }),
      state: z.enum(WALLET_STATES).openapi({
        description: "The wallet signs only while it is active. In any other state the operator has to act.",
        example: "active",
      }),
      balance: amount("yoctoNEAR; null if no node answers."),
      available: amount("What a new write may still spend, yoctoNEAR; null if no node answers."),
      queued: z.int().openapi({ description: "Transactions that wait to be signed.", example: 0 }),
    }),
    contracts: z.array(
      z.object({
        contract_uuid: z.uuid(),
        account_id: z.string().openapi({ example: CONTRACT }),
        name: z.string().nullable().openapi({ example: "Herons" }),
        symbol: z.string().nullable().openapi({ example: "HERON" }),
        balance_free: amount("What pays for further storage, yoctoNEAR; null if no node answers."),
      }),
    ),
    network: z.string().openapi({ example: "testnet" }),
    platform_fee_percent: z.number().openapi({ example: 5 }),
    limits: limitsView,
  })
  .openapi("Me");

/** What a key stands for. */
export type Me = Shown<typeof meView>;

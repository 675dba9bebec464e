import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { CODE_HASH, CONTRACT, NEW_CODE_HASH, WALLET } from "./samples.ts";
import type { Shown } from "./shown.ts";

const amount = (description: string, example: string) => z.string().openapi({ description, example });

/** What an upgrade of a contract would do. */
export const upgradePlanView = z
  .object({
    contract_uuid: z.uuid(),
    integration_uuid: z.uuid(),
    account_id: z.string().openapi({ example: CONTRACT }),
    state: z.enum(["current", "ready", "blocked"]).openapi({
      description: "current: there is nothing to do; blocked: `obstacle` says what has to be done first.",
      example: "ready",
    }),
    obstacle: z.string().nullable().openapi({ example: null }),
    code_hash: z
      .string()
      .nullable()
      .openapi({ description: "Code that the account runs.", example: CODE_HASH }),
    layout: z.int().nullable().openapi({ description: "Layout of its storage.", example: 2 }),
    version: z.string().nullable().openapi({ example: "0.1.0" }),
    new_code_hash: z.string().openapi({ description: "Code that it will run.", example: NEW_CODE_HASH }),
    collections: z.int().openapi({ example: 3 }),
    transactions: z.int().openapi({
      description: "Most transactions that the integration's wallet sends if none fails.",
      example: 4,
    }),
    publish: z.boolean().openapi({
      description: "Whether the platform first publishes the code, because the chain doesn't have it.",
      example: false,
    }),
    publish_cost: amount("yoctoNEAR of the platform that publishing burns.", "0"),
    top_up: amount(
      "About how many yoctoNEAR the wallet pays to the contract, which then holds the most that its tokens can ever take.",
      "1250000000000000000000000",
    ),
    fees: amount("yoctoNEAR that the wallet burns for gas, at most.", "120000000000000000000000"),
    wallet: z.object({
      account_id: z.string().nullable().openapi({ example: WALLET }),
      available: z.string().nullable().openapi({
        description: "yoctoNEAR; null if no node answers.",
        example: "4871520000000000000000000",
      }),
      missing: amount("yoctoNEAR that it lacks of `top_up` and `fees`.", "0"),
    }),
  })
  .openapi("UpgradePlan");

/** A contract that has been upgraded. */
export const contractUpgradedView = z
  .object({
    contract_uuid: z.uuid(),
    account_id: z.string().openapi({ example: CONTRACT }),
    code_hash: z.string().openapi({ example: NEW_CODE_HASH }),
    tx_results: z.array(transactionView).openapi({ description: "Empty if it was current already." }),
  })
  .openapi("ContractUpgraded");

/** What an upgrade of a contract would do. */
export type UpgradePlan = Shown<typeof upgradePlanView>;

/** The answer of an upgrade. */
export type ContractUpgraded = Shown<typeof contractUpgradedView>;

/** The answer of a publication of the contract's code. */
export interface CodePublished {
  readonly code_hash: string;
  readonly tx_results: ContractUpgraded["tx_results"];
}

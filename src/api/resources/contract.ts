import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { CODE_HASH, CONTRACT, NEW_CODE_HASH, type Shown, WALLET } from "./samples.ts";

const ARTIST = "artist.near";

/** A contract's roles after a proposal of another owner. */
export const handOverView = z
  .object({
    contract_uuid: z.uuid(),
    account_id: z.string().openapi({ example: CONTRACT }),
    owner_id: z.string().openapi({ description: "The owner until the other accepts.", example: WALLET }),
    proposed_owner_id: z.string().nullable().openapi({
      description: "The account that becomes the owner once it calls `owner_accept`; null: none is proposed.",
      example: ARTIST,
    }),
    wallet_is_admin: z.boolean().openapi({
      description: "Whether the integration's wallet mints and changes settings for the next owner too.",
    }),
    tx_results: transactionView,
  })
  .openapi("ContractHandOver");

/** A contract whose ownership the integration's wallet has accepted. */
export const ownershipView = z
  .object({
    account_id: z.string().openapi({ example: CONTRACT }),
    owner_id: z.string().openapi({ example: WALLET }),
    tx_results: z.array(transactionView).openapi({ description: "Empty where it was the owner already." }),
  })
  .openapi("ContractOwnership");

export type ContractHandOver = Shown<typeof handOverView>;

export type ContractOwnership = Shown<typeof ownershipView>;

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
    layout: z.int().nullable().openapi({ description: "Layout of its storage.", example: 4 }),
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
        description: "yoctoNEAR; null if no node responds.",
        example: "4871520000000000000000000",
      }),
      missing: amount("yoctoNEAR that it lacks of `top_up` and `fees`.", "0"),
    }),
  })
  .openapi("UpgradePlan");

/** A contract that has been upgraded, or whose upgrade is announced. */
export const contractUpgradedView = z
  .object({
    contract_uuid: z.uuid(),
    account_id: z.string().openapi({ example: CONTRACT }),
    code_hash: z.string().openapi({ example: NEW_CODE_HASH }),
    earliest_height: z.int().nullable().openapi({
      description:
        "The upgrade is announced, and can be carried out by the same call from this block height on; null: it is done.",
      example: null,
    }),
    tx_results: z.array(transactionView).openapi({ description: "Empty if it was current already." }),
  })
  .openapi("ContractUpgraded");

/** What an upgrade of a contract would do. */
export type UpgradePlan = Shown<typeof upgradePlanView>;

/** The response to an upgrade. */
export type ContractUpgraded = Shown<typeof contractUpgradedView>;

/** The response to a publication of the contract's code. */
export interface CodePublished {
  readonly code_hash: string;
  readonly tx_results: ContractUpgraded["tx_results"];
}

const contractFields = {
  contract_uuid: z.uuid(),
  account_id: z.string().openapi({ example: CONTRACT }),
  code_hash: z.string().openapi({ example: CODE_HASH }),
  state: z.enum(["deploying", "ready", "failed"]).openapi({ example: "ready" }),
  created_at: z.iso.datetime(),
};

/** A contract as the operator sees it. */
export const contractView = z.object(contractFields).openapi("Contract");

/** A contract among those of all integrations. */
export const ownedContractView = z
  .object({
    ...contractFields,
    integration_uuid: z.uuid(),
    is_current: z.boolean().openapi({
      description: "Whether it runs this release's code. If not, it can be upgraded.",
    }),
  })
  .openapi("OwnedContract");

/** One contract, with its roles as the chain shows them. */
export const contractRolesView = z
  .object({
    ...contractFields,
    integration_uuid: z.uuid(),
    owner_id: z.string().nullable().openapi({
      description: "null if the chain shows no Mintage contract at the account, or no node responds.",
      example: WALLET,
    }),
    proposed_owner_id: z.string().nullable().openapi({
      description: "The account that becomes the owner once it calls `owner_accept`; null: none is known.",
      example: null,
    }),
    wallet_is_admin: z.boolean().nullable().openapi({
      description: "Whether the integration's wallet is an admin; null where `owner_id` is.",
      example: false,
    }),
  })
  .openapi("ContractWithRoles");

/** A contract among an integration's, with its roles if they are asked for. */
export const listedContractView = contractRolesView
  .partial({ integration_uuid: true, owner_id: true, proposed_owner_id: true, wallet_is_admin: true })
  .openapi("ListedContract", {
    description: "The roles, and the integration with them, if `roles` asks for them.",
  });

/** The response to a deployment of a contract. */
export const contractDeployedView = z
  .object({
    contract_uuid: z.uuid(),
    account_id: z.string().openapi({ example: CONTRACT }),
    code_hash: z.string().openapi({ example: CODE_HASH }),
    state: z.literal("ready"),
    tx_results: z.array(transactionView),
  })
  .openapi("ContractDeployed");

export type Contract = Shown<typeof contractView>;

export type ContractDeployed = Shown<typeof contractDeployedView>;

export type ContractWithRoles = Shown<typeof contractRolesView>;

export type OwnedContract = Shown<typeof ownedContractView>;

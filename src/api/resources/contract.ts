import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { CODE_HASH, CONTRACT, NEW_CODE_HASH, type Shown, text, WALLET, whole } from "./samples.ts";

const ARTIST = "artist.near";

export const handOverView = z
  .object({
    contract_uuid: z.uuid(),
    account_id: z.string().openapi({ example: CONTRACT }),
    owner_id: text("The owner until the other accepts.", WALLET),
    proposed_owner_id: text(
      "The account that becomes the owner once it calls `owner_accept`; null: none is proposed.",
      ARTIST,
    ).nullable(),
    wallet_is_admin: z.boolean().openapi({
      description: "Whether the integration's wallet mints and changes settings for the next owner too.",
    }),
    tx_results: transactionView,
  })
  .openapi("ContractHandOver");

export const ownershipView = z
  .object({
    account_id: z.string().openapi({ example: CONTRACT }),
    owner_id: z.string().openapi({ example: WALLET }),
    tx_results: z.array(transactionView).openapi({ description: "Empty where it was the owner already." }),
  })
  .openapi("ContractOwnership");
export type ContractHandOver = Shown<typeof handOverView>;
export type ContractOwnership = Shown<typeof ownershipView>;

const announcedCodeView = z.object({
  code_hash: text("Its SHA-256.", NEW_CODE_HASH),
  earliest_height: whole("Block height from which the contract's owner may put it in place.", 210_432_000),
});

export const contractCodeView = z
  .object({
    locked: z.boolean().openapi({ description: "Whether the contract keeps its code for good." }),
    announced: announcedCodeView.nullable().openapi({
      description: "Null: no other code is announced, so none comes within the contract's delay.",
    }),
    delay_blocks: whole(
      "Blocks between an announcement and the earliest block at which that code may be put in place; 432,000 are about three days.",
      432_000,
    ),
    has_full_access_key: z.boolean().openapi({
      description:
        "Whether the contract's account has a key with which other code can be deployed at any time, whatever is locked.",
    }),
  })
  .openapi("ContractCode", {
    description:
      "What may become of a contract's code, as last compared with the chain, about once a minute.",
  });

export type CodeState = Shown<typeof contractCodeView>;

export const ROYALTIES_CAN_CHANGE =
  "Whether the ongoing royalties can still change, at any time and up to 100 %, also for NFTs that are listed.";

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
    code_hash: text("Code that the account runs.", CODE_HASH).nullable(),
    layout: whole("Layout of its storage.", 4).nullable(),
    version: z.string().nullable().openapi({ example: "0.1.0" }),
    new_code_hash: text("Code that it will run.", NEW_CODE_HASH),
    collections: z.int().openapi({ example: 3 }),
    transactions: whole("Most transactions that the integration's wallet sends if none fails.", 4),
    publish: z.boolean().openapi({
      description: "Whether the platform first publishes the code, because the chain doesn't have it.",
      example: false,
    }),
    publish_cost: text("yoctoNEAR of the platform that publishing burns.", "0"),
    top_up: text(
      "About how many yoctoNEAR the wallet pays to the contract, which then holds the most that its tokens can ever take.",
      "1250000000000000000000000",
    ),
    fees: text("yoctoNEAR that the wallet burns for gas, at most.", "120000000000000000000000"),
    wallet: z.object({
      account_id: z.string().nullable().openapi({ example: WALLET }),
      available: text("yoctoNEAR; null if no node responds.", "4871520000000000000000000").nullable(),
      missing: text("yoctoNEAR that it lacks of `top_up` and `fees`.", "0"),
    }),
  })
  .openapi("UpgradePlan");

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
export type UpgradePlan = Shown<typeof upgradePlanView>;
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

const contractView = z.object(contractFields);

export const adoptedContractView = z
  .object({
    ...contractFields,
    full_access_keys: z.array(z.string()).openapi({
      description:
        "Full-access keys of the contract's account. Whoever has one can deploy other code there at any time, so locks are refused until they are deleted, and no delay of upgrades holds.",
      example: [],
    }),
    upgrade_delay_blocks: whole(
      "Blocks of 0.6 seconds that pass between the announcement of an upgrade and the upgrade. A contract that this service deploys has 432,000, three days: with less, holders have less time to see what is announced, and the delay can't be changed.",
      432_000,
    ),
  })
  .openapi("AdoptedContract");
export type ContractAdopted = Shown<typeof adoptedContractView>;

export const ownedContractView = z
  .object({
    ...contractFields,
    integration_uuid: z.uuid(),
    is_current: z.boolean().openapi({
      description: "Whether it runs this release's code. If not, it can be upgraded.",
    }),
  })
  .openapi("OwnedContract");

export const contractRolesView = z
  .object({
    ...contractFields,
    integration_uuid: z.uuid(),
    owner_id: text(
      "null if the chain shows no Mintage contract at the account, or no node responds.",
      WALLET,
    ).nullable(),
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

export const listedContractView = contractRolesView
  .partial({ integration_uuid: true, owner_id: true, proposed_owner_id: true, wallet_is_admin: true })
  .openapi("ListedContract", {
    description: "The roles, and the integration with them, if `roles` asks for them.",
  });

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

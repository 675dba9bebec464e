import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { CODE_HASH, CONTRACT, WALLET } from "./samples.ts";
import type { Shown } from "./shown.ts";

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
      description: "null if the chain shows no Mintage contract at the account, or no node answers.",
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

/** What the operator gets when a contract was deployed. */
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

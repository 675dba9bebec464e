import { z } from "@hono/zod-openapi";
import { transactionView } from "./operation.ts";
import { CODE_HASH, CONTRACT } from "./samples.ts";
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

export type OwnedContract = Shown<typeof ownedContractView>;

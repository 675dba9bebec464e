import type { ServiceContext } from "../context.ts";
import type { OperationRow } from "../db/queries/operations.ts";
import type { Uuid } from "../domain/ids.ts";
import type { OperationKind } from "../domain/operations.ts";
import { walletOf } from "../wallet/client.ts";
import type { Wallet } from "../wallet/interface.ts";
import type { KindRules } from "./kind.ts";
import { allowlistRules } from "./kinds/allowlist.ts";
import { collectionUpdateRules } from "./kinds/collection-update.ts";
import { contractDeployRules } from "./kinds/contract-deploy.ts";
import { contractPublishRules } from "./kinds/contract-publish.ts";
import { contractTopUpRules } from "./kinds/contract-top-up.ts";
import { contractUpgradeRules } from "./kinds/contract-upgrade.ts";
import { finalizeRules } from "./kinds/finalize.ts";
import { mintRules } from "./kinds/mint.ts";
import { nftUpdateRules } from "./kinds/nft-update.ts";
import { walletCreateRules } from "./kinds/wallet-create.ts";

/** The rules of every kind. A row's request has the type that its kind gave it, so that the types meet here only. */
const RULES = {
  wallet_create: walletCreateRules,
  contract_deploy: contractDeployRules,
  contract_top_up: contractTopUpRules,
  contract_publish: contractPublishRules,
  contract_upgrade: contractUpgradeRules,
  finalize: finalizeRules,
  collection_update: collectionUpdateRules,
  mint: mintRules,
  nft_update: nftUpdateRules,
  allowlist_add: allowlistRules,
  allowlist_remove: allowlistRules,
  allowlist_clear: allowlistRules,
} as const;

/** The rules of a kind. */
export const rulesOf = (kind: OperationKind): KindRules<unknown> => RULES[kind] as KindRules<unknown>;

type Signed = Pick<OperationRow, "kind" | "integrationId">;

/** Name of the wallet that signs an operation's transactions. */
export const walletName = ({ kind, integrationId }: Signed): Uuid | "platform" =>
  rulesOf(kind).wallet === "platform" ? "platform" : integrationId;

/** The wallet that signs an operation's transactions. */
export const walletFor = (context: ServiceContext, operation: Signed): Wallet =>
  walletOf(context.env, walletName(operation));

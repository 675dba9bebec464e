import type { ServiceContext } from "../context.ts";
import type { OperationRow } from "../db/queries/operations.ts";
import type { Uuid } from "../domain/ids.ts";
import { KINDS, type OperationKind } from "../domain/operations.ts";
import { walletOf } from "../wallet/client.ts";
import type { Wallet } from "../wallet/interface.ts";
import type { Kind, KindResults } from "./kind.ts";
import { allowlistKind } from "./kinds/allowlist.ts";
import { claimKind } from "./kinds/claim.ts";
import { collectionRevealKind } from "./kinds/collection-reveal.ts";
import { collectionUpdateKind } from "./kinds/collection-update.ts";
import { contractDeployKind } from "./kinds/contract-deploy.ts";
import { contractAcceptKind, contractHandOverKind } from "./kinds/contract-ownership.ts";
import { contractPublishKind } from "./kinds/contract-publish.ts";
import { contractTopUpKind } from "./kinds/contract-top-up.ts";
import { contractUpgradeKind } from "./kinds/contract-upgrade.ts";
import { currencyPayoutKind } from "./kinds/currency-payout.ts";
import { dropCloseKind, dropCreateKind, dropUpdateKind } from "./kinds/drops.ts";
import { finalizeKind } from "./kinds/finalize.ts";
import { collectionLockKind, nftLockKind } from "./kinds/locks.ts";
import { mintKind } from "./kinds/mint.ts";
import { nftBurnKind, nftTransferKind } from "./kinds/nft-moves.ts";
import { nftUpdateKind } from "./kinds/nft-update.ts";
import { nftUpdateBulkKind } from "./kinds/nft-update-bulk.ts";
import { walletCreateKind } from "./kinds/wallet-create.ts";
import { walletPayoutKind } from "./kinds/wallet-payout.ts";

const RULES: { readonly [K in OperationKind]: Kind<KindResults[K]> } = {
  wallet_create: walletCreateKind,
  contract_deploy: contractDeployKind,
  contract_publish: contractPublishKind,
  contract_upgrade: contractUpgradeKind,
  contract_hand_over: contractHandOverKind,
  contract_accept: contractAcceptKind,
  contract_top_up: contractTopUpKind,
  finalize: finalizeKind,
  collection_update: collectionUpdateKind,
  mint: mintKind,
  nft_update: nftUpdateKind,
  nft_update_bulk: nftUpdateBulkKind,
  nft_transfer: nftTransferKind,
  nft_burn: nftBurnKind,
  nft_lock: nftLockKind,
  collection_reveal: collectionRevealKind,
  collection_lock: collectionLockKind,
  allowlist_add: allowlistKind,
  allowlist_remove: allowlistKind,
  allowlist_clear: allowlistKind,
  wallet_payout: walletPayoutKind,
  currency_payout: currencyPayoutKind,
  drop_create: dropCreateKind,
  drop_update: dropUpdateKind,
  drop_close: dropCloseKind,
  claim: claimKind,
};

/** The kind with a name. */
export const kindNamed = (kind: OperationKind): Kind => RULES[kind];

type Signed = Pick<OperationRow, "kind" | "integrationId">;

/** Name of the wallet that signs an operation's transactions. */
const walletName = ({ kind, integrationId }: Signed): Uuid | "platform" =>
  KINDS[kind].wallet === "platform" ? "platform" : integrationId;

/** The wallet that signs an operation's transactions. */
export const walletFor = (context: ServiceContext, operation: Signed): Wallet =>
  walletOf(context.env, walletName(operation));

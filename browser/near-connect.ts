/**
 * near-connect, loaded once a collector has chosen one of its wallets. The wallet's code runs in a frame without an
 * origin; near-connect fetches it when the wallet is used, and no list of wallets from anywhere.
 */
import { NearConnector, type NearWalletBase } from "@hot-labs/near-connect";
import { isWalletNetwork, OFFERED_WALLETS, type OfferedWallet, WALLET_NODES } from "../src/domain/wallets.ts";

const FEATURES = {
  signMessage: false,
  signTransaction: false,
  signAndSendTransaction: true,
  signAndSendTransactions: false,
  signInWithoutAddKey: true,
  signInAndSignMessage: false,
  signInWithFunctionCallKey: false,
  signDelegateActions: false,
};

const manifestOf = ({ id, name, website, executor, opens, networks }: OfferedWallet) => ({
  id,
  name,
  website,
  executor,
  description: name,
  // A picture of the wallet's would be asked of its maker.
  icon: "data:,",
  version: "1.0.0",
  type: "sandbox" as const,
  platform: [website],
  features: { ...FEATURES, mainnet: networks.includes("mainnet"), testnet: networks.includes("testnet") },
  permissions: { storage: true, allowsOpen: [...opens] },
});

/** @param nonce of the page's answer, which scripts in the wallet's frame have to carry */
export async function openWallet(id: string, network: string, nonce: string): Promise<NearWalletBase> {
  const offered = OFFERED_WALLETS.find((wallet) => wallet.id === id);
  if (!offered || !isWalletNetwork(network)) throw new Error(`There is no wallet ${id} for ${network}.`);
  // near-connect doesn't compare digests itself. It fetches the same address of a commit again.
  if (offered.digest !== undefined) await fetch(offered.executor, { integrity: `sha256-${offered.digest}` });
  const connector = new NearConnector({
    network,
    manifest: { wallets: [manifestOf(offered)], version: "1.0.0" },
    providers: { mainnet: [...WALLET_NODES.mainnet], testnet: [...WALLET_NODES.testnet] },
    cspNonce: nonce,
    footerBranding: null,
    autoConnect: false,
  });
  return connector.wallet(id);
}

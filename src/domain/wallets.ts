/** Wallets that pages offer by near-connect (https://github.com/hot-dao/near-selector), as docs/pages.md lists them. */
export interface OfferedWallet {
  readonly id: string;
  readonly name: string;
  readonly website: string;
  readonly executor: string;
  /** SHA-256 of the code in base64; absent: its maker serves it, and changes it. */
  readonly digest?: string;
  /** Origins that its code fetches from, other than that of the code. */
  readonly asks: readonly string[];
  readonly opens: readonly string[];
  /** Networks that it supports, as NEAR_NETWORK names them. */
  readonly networks: readonly ("mainnet" | "testnet")[];
}

/** A commit, not a branch: what it serves never changes. */
const REPOSITORY =
  "https://raw.githubusercontent.com/hot-dao/near-selector/a5b64fc8e389b93dde9d207e31c08fd598914752/repository";

/** RPC nodes that wallets are configured with, by network. */
export const WALLET_NODES = {
  mainnet: ["https://free.rpc.fastnear.com"],
  testnet: ["https://test.rpc.fastnear.com"],
} as const;

/** RPC nodes that MyNearWallet and Meteor use. */
const NEAR_NODES = [
  "https://rpc.mainnet.near.org",
  "https://rpc.testnet.near.org",
  "https://c1.rpc.fastnear.com",
  "https://c2.rpc.fastnear.com",
];

/** In the order in which they are offered. */
export const OFFERED_WALLETS: readonly OfferedWallet[] = [
  {
    id: "meteor-wallet",
    name: "Meteor Wallet",
    website: "https://meteorwallet.app",
    executor: `${REPOSITORY}/meteor.js`,
    digest: "OlML+R/XBmFpjX8Kqjo8wW5/u4CF+TMkK7mgP7ahrOg=",
    asks: NEAR_NODES,
    opens: ["https://wallet.meteorwallet.app"],
    networks: ["mainnet", "testnet"],
  },
  {
    id: "intear-wallet",
    name: "Intear Wallet",
    website: "https://intea.rs",
    executor: "https://wallet.intear.tech/near-selector.js",
    asks: ["https://logout-bridge-service.intear.tech", "wss://logout-bridge-service.intear.tech"],
    opens: ["https://wallet.intear.tech"],
    networks: ["mainnet", "testnet"],
  },
  {
    id: "hot-wallet",
    name: "HOT Wallet",
    website: "https://hot-labs.org/wallet",
    executor: `${REPOSITORY}/hotwallet.js`,
    digest: "UhuO8/ED9DJl29ASatEA6PGmBIo9M1OiQMyD4HJVoGY=",
    asks: ["https://h4n.app", "https://api0.herewallet.app"],
    opens: [
      "https://download.hot-labs.org",
      "https://hot-labs.org/wallet",
      "https://t.me/hot_wallet/app",
      "hotwallet://",
    ],
    networks: ["mainnet"],
  },
  {
    id: "mynearwallet",
    name: "MyNearWallet",
    website: "https://mynearwallet.com",
    executor: `${REPOSITORY}/mnw.js`,
    digest: "vC/KRMz3fIHFqyvhQ0jplCSCqRgzxLZ3hh2jd4Z3l/4=",
    asks: NEAR_NODES,
    opens: ["https://app.mynearwallet.com"],
    networks: ["mainnet"],
  },
];

export const walletsFor = (network: string): readonly OfferedWallet[] =>
  OFFERED_WALLETS.filter(({ networks }) => (networks as readonly string[]).includes(network));

export const isWalletNetwork = (network: string): network is keyof typeof WALLET_NODES =>
  Object.hasOwn(WALLET_NODES, network);

/** Origins for `connect-src` of a page that uses a wallet. */
export const connectSources = (
  { executor, asks }: OfferedWallet,
  network: keyof typeof WALLET_NODES,
): string[] => [...new Set([executor, ...asks, ...WALLET_NODES[network]])];

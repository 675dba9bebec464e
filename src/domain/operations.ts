/** Properties of a kind of operation that the whole service needs. What it sends and returns is in operations/kinds/. */
interface KindTraits {
  readonly wallet: "integration" | "platform";
  readonly isOnCollection: boolean;
  /** Whether ended operations are archived. The others are few for each wallet, contract and collection. */
  readonly isArchived: boolean;
  /** Whether its operations on one subject run one at a time, in the order of acceptance: the last accepted value must win. */
  readonly isInTurn: boolean;
  /** Whether it spends in several transactions, each with its own reservation of the wallet's funds. */
  readonly isInParts: boolean;
  /** Whether the integration's wallet needs a role in the contract of its request (`CollectionTarget.contract`). */
  readonly needsRole: boolean;
  /** The event of its effect, besides `operation.succeeded`; null if there is none. */
  readonly event:
    | "nft.minted"
    | "nft.updated"
    | "nft.transferred"
    | "nft.burned"
    | "collection.updated"
    | "collection.locked"
    | "collection.revealed"
    | "collection.finalized"
    | null;
}

const BY_PLATFORM = {
  wallet: "platform",
  isOnCollection: false,
  isArchived: false,
  isInTurn: false,
  isInParts: false,
  needsRole: false,
} as const;
const ON_ACCOUNT = { ...BY_PLATFORM, wallet: "integration" } as const;
const ON_COLLECTION = { ...ON_ACCOUNT, isOnCollection: true, isArchived: true, needsRole: true } as const;

export const KINDS = {
  wallet_create: { ...BY_PLATFORM, event: null },
  contract_deploy: { ...BY_PLATFORM, event: null },
  contract_top_up: { ...ON_ACCOUNT, isArchived: true, event: null },
  contract_publish: { ...BY_PLATFORM, event: null },
  contract_upgrade: { ...ON_ACCOUNT, isInParts: true, event: null },
  contract_hand_over: { ...ON_ACCOUNT, event: null },
  contract_accept: { ...ON_ACCOUNT, event: null },
  finalize: { ...ON_ACCOUNT, isInParts: true, needsRole: true, event: "collection.finalized" },
  collection_update: { ...ON_COLLECTION, isInTurn: true, event: "collection.updated" },
  mint: { ...ON_COLLECTION, event: "nft.minted" },
  nft_update: { ...ON_COLLECTION, event: "nft.updated" },
  nft_update_bulk: { ...ON_COLLECTION, isInParts: true, event: "nft.updated" },
  nft_transfer: { ...ON_COLLECTION, needsRole: false, event: "nft.transferred" },
  nft_burn: { ...ON_COLLECTION, needsRole: false, event: "nft.burned" },
  nft_lock: { ...ON_COLLECTION, event: "nft.updated" },
  collection_reveal: { ...ON_COLLECTION, isInParts: true, event: "collection.revealed" },
  collection_lock: { ...ON_COLLECTION, event: "collection.locked" },
  allowlist_add: { ...ON_COLLECTION, event: null },
  allowlist_remove: { ...ON_COLLECTION, event: null },
  allowlist_clear: { ...ON_COLLECTION, event: null },
  wallet_payout: { ...ON_ACCOUNT, isArchived: true, event: null },
  currency_payout: { ...ON_ACCOUNT, isArchived: true, isInParts: true, event: null },
  drop_create: { ...ON_COLLECTION, event: null },
  drop_update: { ...ON_COLLECTION, event: null },
  drop_close: { ...ON_COLLECTION, event: null },
  claim: { ...ON_COLLECTION, needsRole: false, event: "nft.minted" },
} as const satisfies Readonly<Record<string, KindTraits>>;

export type OperationKind = keyof typeof KINDS;

export const OPERATION_KINDS = Object.keys(KINDS) as [OperationKind, ...OperationKind[]];

const kindsWhere = (holds: (traits: KindTraits) => boolean): OperationKind[] =>
  OPERATION_KINDS.filter((kind) => holds(KINDS[kind]));

export const KINDS_IN_PARTS = kindsWhere(({ isInParts }) => isInParts);

/** Pays out to the account that the operator has set. It doesn't count as spending. */
export const PAYOUT: OperationKind = "wallet_payout";

/** `unknown`: the nodes can't prove the outcome of a transaction, and the operator settles the operation. */
export const OPERATION_STATES = ["pending", "succeeded", "failed", "unknown"] as const;

export type OperationState = (typeof OPERATION_STATES)[number];

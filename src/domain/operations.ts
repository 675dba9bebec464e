/** What the whole service has to know of a kind of operation; what it sends and returns is in operations/kinds/. */
interface KindTraits {
  /** Which wallet signs its transactions. */
  readonly wallet: "integration" | "platform";
  /** Whether it acts on a collection, which is its subject. */
  readonly isOnCollection: boolean;
  /**
   * Whether its operations leave the database some time after their end. The others are a few for each wallet, contract and
   * collection, and stay as their record.
   */
  readonly isArchived: boolean;
  /**
   * Whether its operations on one subject run one after the other, in the order of their acceptance: they set something, and
   * what was accepted last has to hold in the end.
   */
  readonly isInTurn: boolean;
  /** Whether it spends in several transactions, for which the wallet reserves money one after the other. */
  readonly isInParts: boolean;
  /** Whether the integration's wallet needs a role in the contract of its request (`CollectionTarget.contract`). */
  readonly needsRole: boolean;
  /** The event of its effect, besides `operation.succeeded`; null if there is none. */
  readonly event: "nft.minted" | "nft.updated" | "collection.updated" | "collection.finalized" | null;
}

/** The kinds of operations. A kind is a list of steps, one transaction each, and effects that are written once at the end. */
export const KINDS = {
  wallet_create: {
    wallet: "platform",
    isOnCollection: false,
    isArchived: false,
    isInTurn: false,
    isInParts: false,
    needsRole: false,
    event: null,
  },
  contract_deploy: {
    wallet: "platform",
    isOnCollection: false,
    isArchived: false,
    isInTurn: false,
    isInParts: false,
    needsRole: false,
    event: null,
  },
  contract_top_up: {
    wallet: "integration",
    isOnCollection: false,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: false,
    event: null,
  },
  contract_publish: {
    wallet: "platform",
    isOnCollection: false,
    isArchived: false,
    isInTurn: false,
    isInParts: false,
    needsRole: false,
    event: null,
  },
  contract_upgrade: {
    wallet: "integration",
    isOnCollection: false,
    isArchived: false,
    isInTurn: false,
    isInParts: true,
    needsRole: false,
    event: null,
  },
  contract_hand_over: {
    wallet: "integration",
    isOnCollection: false,
    isArchived: false,
    isInTurn: false,
    isInParts: false,
    needsRole: false,
    event: null,
  },
  contract_accept: {
    wallet: "integration",
    isOnCollection: false,
    isArchived: false,
    isInTurn: false,
    isInParts: false,
    needsRole: false,
    event: null,
  },
  finalize: {
    wallet: "integration",
    isOnCollection: false,
    isArchived: false,
    isInTurn: false,
    isInParts: true,
    needsRole: true,
    event: "collection.finalized",
  },
  collection_update: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: true,
    isInParts: false,
    needsRole: true,
    event: "collection.updated",
  },
  mint: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: true,
    event: "nft.minted",
  },
  nft_update: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: true,
    event: "nft.updated",
  },
  allowlist_add: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: true,
    event: null,
  },
  allowlist_remove: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: true,
    event: null,
  },
  allowlist_clear: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: true,
    event: null,
  },
  wallet_payout: {
    wallet: "integration",
    isOnCollection: false,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: false,
    event: null,
  },
  drop_create: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: true,
    event: null,
  },
  drop_extend: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: true,
    event: null,
  },
  drop_close: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: true,
    event: null,
  },
  claim: {
    wallet: "integration",
    isOnCollection: true,
    isArchived: true,
    isInTurn: false,
    isInParts: false,
    needsRole: false,
    event: "nft.minted",
  },
} as const satisfies Readonly<Record<string, KindTraits>>;

/** One of the kinds above. */
export type OperationKind = keyof typeof KINDS;

/** Their names. */
export const OPERATION_KINDS = Object.keys(KINDS) as [OperationKind, ...OperationKind[]];

const kindsWhere = (holds: (traits: KindTraits) => boolean): OperationKind[] =>
  OPERATION_KINDS.filter((kind) => holds(KINDS[kind]));

/** Kinds that the platform's wallet signs. */
export const PLATFORM_KINDS = kindsWhere(({ wallet }) => wallet === "platform");

/** Kinds whose operations run in turn. */
export const KINDS_IN_TURN = kindsWhere(({ isInTurn }) => isInTurn);

/** Kinds that spend in parts. */
export const KINDS_IN_PARTS = kindsWhere(({ isInParts }) => isInParts);

/** What goes to the account that the operator has set: it is no spending. */
export const PAYOUT: OperationKind = "wallet_payout";

/**
 * `pending`: work goes on; `succeeded`, `failed`: over; `unknown`: the nodes can't prove what became of a transaction,
 * and the operator settles it.
 */
export const OPERATION_STATES = ["pending", "succeeded", "failed", "unknown"] as const;

/** One of the states above. */
export type OperationState = (typeof OPERATION_STATES)[number];

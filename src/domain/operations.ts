/** What an operation does. Each kind is a list of steps, a transaction a step, and effects written once at the end. */
export const OPERATION_KINDS = [
  "wallet_create",
  "contract_deploy",
  "contract_top_up",
  "contract_publish",
  "contract_upgrade",
  "contract_hand_over",
  "contract_accept",
  "finalize",
  "collection_update",
  "mint",
  "nft_update",
  "allowlist_add",
  "allowlist_remove",
  "allowlist_clear",
  "wallet_payout",
  "drop_create",
  "drop_extend",
  "drop_close",
  "claim",
] as const;

/** One of the kinds above. */
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** What goes to the account that the operator has set: it is no spending. */
export const PAYOUT: OperationKind = "wallet_payout";

/** Kinds that the platform's wallet signs; all others are signed by their integration's. */
export const PLATFORM_KINDS: OperationKind[] = ["wallet_create", "contract_deploy", "contract_publish"];

/** Kinds that act on a collection, which is their subject. */
export const COLLECTION_KINDS: OperationKind[] = [
  "collection_update",
  "mint",
  "nft_update",
  "allowlist_add",
  "allowlist_remove",
  "allowlist_clear",
  "drop_create",
  "drop_extend",
  "drop_close",
  "claim",
];

/**
 * Kinds whose operations leave the database some time after their end: those that come again and again. The others are a
 * few for each wallet, contract and collection, and are what stands for those: they stay.
 */
export const ARCHIVED_KINDS: OperationKind[] = ["contract_top_up", "wallet_payout", ...COLLECTION_KINDS];

/**
 * Kinds whose operations on one subject go one after the other, in the order of their acceptance: they set something,
 * and what was accepted last has to hold in the end.
 */
export const KINDS_IN_TURN: OperationKind[] = ["collection_update"];

/** Kinds that spend in several transactions, of which the wallet reserves one after the other. */
export const KINDS_IN_PARTS: OperationKind[] = ["finalize", "contract_upgrade"];

/**
 * `pending`: work goes on; `succeeded`, `failed`: over; `unknown`: the nodes can't prove what became of a transaction,
 * and the operator settles it.
 */
export const OPERATION_STATES = ["pending", "succeeded", "failed", "unknown"] as const;

/** One of the states above. */
export type OperationState = (typeof OPERATION_STATES)[number];

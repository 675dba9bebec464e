/** What an operation does. Each kind is a list of steps, a transaction a step, and effects written once at the end. */
export const OPERATION_KINDS = [
  "wallet_create",
  "contract_deploy",
  "finalize",
  "collection_update",
  "mint",
  "nft_update",
  "allowlist_add",
  "allowlist_remove",
  "allowlist_clear",
] as const;

/** One of the kinds above. */
export type OperationKind = (typeof OPERATION_KINDS)[number];

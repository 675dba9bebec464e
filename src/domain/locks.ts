/** One-way promises to holders, by the names that the contract gives them (docs/contract.md, "Locks"). */
export const LOCKS = ["metadata", "supply", "royalties", "transfers"] as const;

export type Lock = (typeof LOCKS)[number];

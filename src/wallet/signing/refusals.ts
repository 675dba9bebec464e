/** Refusals for want of NEAR. A node that is behind doesn't show the latest payment to the wallet. */
const BALANCE: readonly string[] = ["NotEnoughBalance", "LackBalanceForState"];

/**
 * Refusals that are permanent for these bytes, or that only an outside change (funds) would lift. The row is raced at
 * once, so the caller learns soon, and ends as `refused` when its death is proven. All others are temporary: a
 * lagging node, a congested shard, a nonce or an age that the proofs decide.
 */
const LASTING = new Set([
  "ActionsValidation",
  "TransactionSizeExceeded",
  "InvalidReceiverId",
  "InvalidSignerId",
  "CostOverflow",
  ...BALANCE,
  "InvalidTransactionVersion",
]);

/** Whether a node's refusal lasts. */
export const isLasting = (reason: string): boolean => LASTING.has(reason);

/** Whether a node refused for want of NEAR, as the state that it has shows it. */
export const isOfBalance = (reason: string): boolean => BALANCE.includes(reason);

import { ServiceError } from "./errors.ts";

/** Tokens of one mint, receivers times quantity. */
export const MAX_MINTS = 25;

/** Why so many can't be minted in one call; null if they can. */
export const mintProblem = (receivers: number, quantity: number): ServiceError | null => {
  const tokens = receivers * quantity;
  if (tokens <= MAX_MINTS) return null;
  return new ServiceError(
    "mint_limit_exceeded",
    `Mint at most ${MAX_MINTS} NFTs a call; receiver_addresses times quantity_per_receiver is ${tokens}.`,
    {
      issues: ["receiver_addresses", "quantity_per_receiver"].map((field) => ({
        path: [field],
        message: `Keep receivers times quantity at ${MAX_MINTS} or less.`,
      })),
    },
  );
};

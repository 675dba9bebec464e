import { ServiceError } from "./errors.ts";
import { numberRuns } from "./events.ts";
import { tokenNumber } from "./token-ids.ts";

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

/** Tokens of a collection, and the transaction that minted them. */
export interface Mint {
  /** base58. */
  readonly hash: string;
  readonly tokenIds: readonly string[];
}

/** Which transactions minted tokens: by the number of the first of a run, its last and the hash, base58. */
export type MintNotes = Readonly<Record<string, readonly [last: number, hash: string]>>;

/** The hundred of a token's number; a run of notes never reaches into another. */
export const hundredOf = (number: number): number => Math.floor(number / 100);

export const notesOf = ({ hash, tokenIds }: Mint): MintNotes => {
  const numbers = tokenIds.map(tokenNumber).sort((a, b) => a - b);
  const runs = [...Map.groupBy(numbers, hundredOf).values()].flatMap(numberRuns);
  return Object.fromEntries(runs.map(([first, last]) => [first, [last, hash]]));
};

/** The hash recorded for a token; null: none. */
export const notedHash = (notes: MintNotes, number: number): string | null =>
  Object.entries(notes).find(([first, [last]]) => Number(first) <= number && number <= last)?.[1][1] ?? null;

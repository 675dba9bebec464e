import { numberRuns } from "./events.ts";
import { tokenNumber } from "./token-ids.ts";

/** Tokens of a collection, and the transaction that minted them. */
export interface Mint {
  /** base58. */
  readonly hash: string;
  readonly tokenIds: readonly string[];
}

/**
 * Which transactions minted tokens of a collection: by the number of the first of a run, that of its last and the hash,
 * base58. A token is minted once, so that notes that have the same number say the same.
 */
export type MintNotes = Readonly<Record<string, readonly [last: number, hash: string]>>;

/** The hundred of a token's number; a run of notes never reaches into another. */
export const hundredOf = (number: number): number => Math.floor(number / 100);

/** Notes of one mint. */
export const notesOf = ({ hash, tokenIds }: Mint): MintNotes => {
  const numbers = tokenIds.map(tokenNumber).sort((a, b) => a - b);
  const runs = [...Map.groupBy(numbers, hundredOf).values()].flatMap(numberRuns);
  return Object.fromEntries(runs.map(([first, last]) => [first, [last, hash]]));
};

/** The hash that notes have for a token; null: they don't say. */
export const notedHash = (notes: MintNotes, number: number): string | null =>
  Object.entries(notes).find(([first, [last]]) => Number(first) <= number && number <= last)?.[1][1] ?? null;

import { readAccounts } from "../csv.ts";

/** A row of the receivers' file. */
export interface Receiver {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly account: string;
  /** NFTs that it gets. */
  readonly quantity: number;
  /** The file name or uuid of the asset that its NFTs are copies of; absent: copies are drawn. */
  readonly asset?: string;
}

/** More would be a slip of the pen. */
const MAX_QUANTITY = 1_000_000;

/**
 * Reads a CSV of receivers with the columns `account`, `quantity` and `asset` in any order, or without a header in this
 * order. The quantity may be left out, which is 1, and so may the asset. An account may have several rows; each row counts.
 */
export function readReceivers(
  name: string,
  text: string,
): { readonly receivers: readonly Receiver[] } | { readonly problems: readonly string[] } {
  const receivers: Receiver[] = [];
  const problems = readAccounts(name, text, ["account", "quantity", "asset"], (row) => {
    const { line, account, asset } = row;
    const written = row.quantity || "1";
    const quantity = /^[1-9]\d{0,6}$/.test(written) ? Number(written) : 0;
    receivers.push({ line, account, quantity, ...(asset !== "" && { asset }) });
    return quantity >= 1 && quantity <= MAX_QUANTITY
      ? []
      : [`${name}:${line} "${written}": give a whole number from 1 to ${MAX_QUANTITY} as quantity.`];
  });
  return problems.length > 0 ? { problems } : { receivers };
}

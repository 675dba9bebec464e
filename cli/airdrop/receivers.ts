import { cellProblem, type RowProblem, readAccounts } from "../csv.ts";

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
 * @returns all rows, those with problems too
 */
export function readReceivers(
  name: string,
  text: string,
): { readonly receivers: readonly Receiver[]; readonly problems: readonly RowProblem[] } {
  const receivers: Receiver[] = [];
  const problems = readAccounts(name, text, ["account", "quantity", "asset"], (row) => {
    const { line, account, asset } = row;
    const written = row.quantity || "1";
    const quantity = /^[1-9]\d{0,6}$/.test(written) ? Number(written) : 0;
    receivers.push({ line, account, quantity, ...(asset !== "" && { asset }) });
    return quantity >= 1 && quantity <= MAX_QUANTITY
      ? []
      : [cellProblem(name, line, written, `give a whole number from 1 to ${MAX_QUANTITY} as quantity`)];
  });
  return { receivers, problems };
}

/**
 * Rows of accounts that can never sign, to which the service mints nothing (src/collections/accounts.ts).
 * @param contract the account of the collection's contract
 */
export function lostAccounts(
  name: string,
  receivers: readonly Receiver[],
  contract: string,
): readonly RowProblem[] {
  return receivers.flatMap(({ line, account }) => {
    const isContract = account === contract;
    if (!isContract && !/(?:^|\.)system$/.test(account)) return [];
    const why = isContract ? "this is the NFT contract's own account" : "nobody can have this account";
    return [cellProblem(name, line, account, `give another account: ${why}, and the NFT would be lost`)];
  });
}

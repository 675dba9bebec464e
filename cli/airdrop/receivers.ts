import { ACCOUNT_ID_RULE, isAccountId } from "../account-ids.ts";
import { firstProblems, readCsv } from "../csv.ts";

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
  const { rows, problems: unread } = readCsv(name, text);
  const header = rows[0]?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const hasHeader = header.some((cell) => /^(account|account_id|wallet|receiver|quantity|asset)$/.test(cell));
  const accountAt = hasHeader ? header.findIndex((cell) => ACCOUNT.test(cell)) : 0;
  const quantityAt = hasHeader ? header.indexOf("quantity") : 1;
  const assetAt = hasHeader ? header.indexOf("asset") : 2;
  const width = hasHeader ? header.length : 3;
  const problems: string[] = [];
  const unknown = hasHeader ? header.filter((cell) => !KNOWN.test(cell)) : [];
  if (unknown.length > 0) {
    problems.push(
      `${name}:1 the columns are account, quantity and asset; remove ${unknown.map((each) => `"${each}"`).join(", ")}.`,
    );
  }
  if (accountAt < 0) problems.push(`${name}:1 there is no column account.`);
  const receivers: Receiver[] = [];
  for (const { line, cells } of hasHeader ? rows.slice(1) : rows) {
    const account = cells[accountAt] ?? "";
    const written = (quantityAt < 0 ? undefined : cells[quantityAt]) || "1";
    const quantity = /^[1-9]\d{0,6}$/.test(written) ? Number(written) : 0;
    const asset = assetAt < 0 ? "" : (cells[assetAt] ?? "");
    if (cells.slice(width).some((cell) => cell !== ""))
      problems.push(`${name}:${line} has more columns than ${width}.`);
    if (accountAt >= 0 && !isAccountId(account))
      problems.push(`${name}:${line} "${account}": ${ACCOUNT_ID_RULE}.`);
    if (quantity < 1 || quantity > MAX_QUANTITY) {
      problems.push(
        `${name}:${line} "${written}": give a whole number from 1 to ${MAX_QUANTITY} as quantity.`,
      );
    }
    receivers.push({ line, account, quantity, ...(asset !== "" && { asset }) });
  }
  problems.push(...unread);
  if (problems.length === 0 && receivers.length === 0) problems.push(`${name} names no receiver.`);
  return problems.length > 0 ? { problems: firstProblems(name, problems, "mistakes") } : { receivers };
}

const ACCOUNT = /^(account|account_id|wallet|receiver)$/;
/** The block's columns are those of `npm run snapshot`, which mean nothing here. */
const KNOWN = /^(account|account_id|wallet|receiver|quantity|asset|block_height|block_hash)$/;

import { ACCOUNT_ID_RULE, isAccountId } from "../account-ids.ts";
import { firstProblems, readCsv } from "../csv.ts";

/** Accounts of a request (the service's limit). */
const ALLOWLIST_BATCH = 500;

/**
 * Reads a file of accounts: one a line, or a CSV with a column `account`, `account_id` or `wallet`. An account that is
 * named twice counts once.
 */
export function readAllowlist(
  name: string,
  text: string,
): { readonly accounts: readonly string[] } | { readonly problems: readonly string[] } {
  const { rows, problems: unread } = readCsv(name, text);
  const first = rows[0]?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const column = first.findIndex((cell) => /^(account|account_id|wallet)$/.test(cell));
  const entries = column >= 0 ? rows.slice(1) : rows;
  const problems = [...unread];
  const accounts = new Set<string>();
  for (const { line, cells } of entries) {
    const account = cells[Math.max(column, 0)] ?? "";
    if (isAccountId(account)) accounts.add(account);
    else problems.push(`${name}:${line} "${account}": ${ACCOUNT_ID_RULE}.`);
  }
  if (entries.length === 0 && problems.length === 0) problems.push(`${name} names no account.`);
  return problems.length > 0
    ? { problems: firstProblems(name, problems, "lines") }
    : { accounts: [...accounts] };
}

/** Cuts accounts into requests; the same accounts are always cut alike. */
export const allowlistBatches = (accounts: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(accounts.length / ALLOWLIST_BATCH) }, (_, index) =>
    accounts.slice(index * ALLOWLIST_BATCH, (index + 1) * ALLOWLIST_BATCH),
  );

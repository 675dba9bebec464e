import { byLine, readAccounts } from "../csv.ts";

/** Accounts of a request (the service's limit). */
const ALLOWLIST_BATCH = 500;

/**
 * Reads a file of accounts: one a line, or a CSV with a column `account`, such as one of a snapshot or for an airdrop. An
 * account that is named twice counts once.
 */
export function readAllowlist(
  name: string,
  text: string,
): { readonly accounts: readonly string[] } | { readonly problems: readonly string[] } {
  const accounts = new Set<string>();
  const problems = readAccounts(name, text, ["account"], ({ account }) => {
    accounts.add(account);
    return [];
  });
  return problems.length > 0 ? { problems: byLine(name, problems) } : { accounts: [...accounts] };
}

/** Cuts accounts into requests; the same accounts are always cut alike. */
export const allowlistBatches = (accounts: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(accounts.length / ALLOWLIST_BATCH) }, (_, index) =>
    accounts.slice(index * ALLOWLIST_BATCH, (index + 1) * ALLOWLIST_BATCH),
  );

import { isAccountId } from "./account-ids.ts";
import type { Issue } from "./issues.ts";
import type { Royalties } from "./settings.ts";

/** How many accounts a table of royalties may name, and what it may add up to in basis points. */
export interface RoyaltyLimits {
  readonly accounts: number;
  readonly total: number;
}

/** The platform's share of a mint fee, taken before all others. */
export const PLATFORM_FEE_PERCENT = 5;

/** Shares of mint fees: 95%, because the platform takes 5% before. */
export const INITIAL_ROYALTY_LIMITS: RoyaltyLimits = {
  accounts: 10,
  total: 10_000 - 100 * PLATFORM_FEE_PERCENT,
};

/** Shares of resales: a NEP-199 payout has at most 10 entries, and the token's owner is one. */
export const ONGOING_ROYALTY_LIMITS: RoyaltyLimits = { accounts: 9, total: 10_000 };

/** Basis points of a percentage with at most two decimals, by its digits (12.57 × 100 is not 1257); null otherwise. */
export const basisPoints = (percent: number): number | null => {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(String(percent));
  if (!match) return null;
  return Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
};

/** Everything that is wrong with a table of royalties; paths are relative to the table. */
export const royaltyIssues = (royalties: Royalties, limits: RoyaltyLimits): Issue[] => {
  const issues: Issue[] = [];
  const entries = Object.entries(royalties);
  let total = 0;
  for (const [accountId, percent] of entries) {
    if (!isAccountId(accountId)) {
      issues.push({ path: [accountId], message: "Use a NEAR account id as the name of this share." });
    }
    const points = basisPoints(percent);
    if (points === null || points < 1 || points > limits.total) {
      const most = limits.total / 100;
      issues.push({
        path: [accountId],
        message: `Give a percentage from 0.01 to ${most} with at most two decimals.`,
      });
    } else total += points;
  }
  if (entries.length > limits.accounts) {
    issues.push({
      path: [],
      message: `Name at most ${limits.accounts} accounts; there are ${entries.length}.`,
    });
  }
  if (total > limits.total) {
    issues.push({
      path: [],
      message: `Keep the sum of the shares at or below ${limits.total / 100}%; it is ${total / 100}%.`,
    });
  }
  return issues;
};

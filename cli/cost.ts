import type { Me, Quote } from "../client/src/index.ts";
import { UsageError } from "./command.ts";
import { near } from "./table.ts";

/** What a quoted write costs, in words. */
export function costText({ cost, top_up: topUp }: Quote): string {
  const held = topUp === "0" ? "" : `; ${near(topUp)} NEAR of it the contract holds for storage`;
  return `about ${near(cost.expected, "up")} NEAR, at most ${near(cost.at_most, "up")} NEAR${held}`;
}

/**
 * @param what the write does, as the subject of a sentence
 * @param state of what has been sent so far
 * @throws UsageError where the wallet lacks money for a quoted write
 */
export function requireMoney(
  { cost, wallet }: Quote,
  me: Me,
  { what, state }: { readonly what: string; readonly state: string },
): void {
  if (wallet.missing === "0") return;
  throw new UsageError(
    `Send at least ${near(wallet.missing, "up")} NEAR to ${me.wallet.account_id} and run it again: ${what} takes up to ${near(cost.at_most, "up")} NEAR. ${state}`,
  );
}

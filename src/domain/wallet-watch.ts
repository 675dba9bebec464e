import type { EventType } from "./events.ts";

/** What a wallet had at a look. */
export interface WalletSeen {
  /** Total balance, yoctoNEAR as a decimal string. */
  readonly balance: string;
  /** Whether less was left for new writes than `LOW`. */
  readonly low: boolean;
  /** What was left for new writes, yoctoNEAR. */
  readonly available: string;
  /** What it spent a day, the mean of the last seven, yoctoNEAR. */
  readonly perDay: string;
}

const NEAR = 10n ** 24n;

/** A wallet with less than this left for new writes is low, yoctoNEAR. */
export const LOW = NEAR;

/** A smaller rise of the balance is no top-up: gas refunds raise it a little. yoctoNEAR. */
export const TOP_UP_FROM = NEAR / 10n;

/** Days, to a tenth, that what was left lasts at the pace of the last seven; null: it spends nothing. */
export const runwayDays = ({ available, perDay }: WalletSeen): number | null =>
  BigInt(perDay) > 0n ? Number((BigInt(available) * 10n) / BigInt(perDay)) / 10 : null;

/** The events of a reading of a wallet, given the previous one; the first reading can only report that it is low. */
export const walletEvents = (before: WalletSeen | null, now: WalletSeen): EventType[] => {
  const rose = before !== null && BigInt(now.balance) - BigInt(before.balance) >= TOP_UP_FROM;
  return [
    ...(rose ? (["wallet.topped_up"] as const) : []),
    ...(now.low && before?.low !== true ? (["wallet.low"] as const) : []),
  ];
};

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

/** A balance that rose by less isn't told: gas that comes back raises it a little. yoctoNEAR. */
export const TOP_UP_FROM = NEAR / 10n;

/** Days, to a tenth, that what was left lasts at the pace of the last seven; null: it spends nothing. */
export const runwayDays = ({ available, perDay }: WalletSeen): number | null =>
  BigInt(perDay) > 0n ? Number((BigInt(available) * 10n) / BigInt(perDay)) / 10 : null;

/** What a look at a wallet tells, given the look before: nothing new at the first one but that it is low. */
export const toldByLook = (before: WalletSeen | null, now: WalletSeen): EventType[] => {
  const rose = before !== null && BigInt(now.balance) - BigInt(before.balance) >= TOP_UP_FROM;
  return [
    ...(rose ? (["wallet.topped_up"] as const) : []),
    ...(now.low && before?.low !== true ? (["wallet.low"] as const) : []),
  ];
};

import { TOKEN_STORAGE_PRICE } from "./amounts.ts";

/** What an overview has at most: each contract is asked on the chain, each enabled webhook's object is asked. */
export const MOST_SHOWN = { integrations: 100, contracts: 50, stuck: 50, webhooks: 20 } as const;

/** Operations of a slot of time. */
export interface SlotCount {
  /** Number of the slot, from 0. */
  readonly slot: number;
  readonly accepted: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Sum of the times that those took which succeeded, milliseconds. */
  readonly took: number;
}

/** A series of slots of time that ends with the present one. */
export interface Series {
  /** Milliseconds. */
  readonly since: number;
  readonly width: number;
  readonly count: number;
}

/** Slots of a width up to now: the last is the one that now is in, and begins at a multiple of the width. */
export const seriesUpTo = (now: number, width: number, count: number): Series => ({
  since: (Math.floor(now / width) - count + 1) * width,
  width,
  count,
});

/** Every slot of a series, those without operations as well. */
export const slotsOf = ({ since, width, count }: Series, counts: readonly SlotCount[]) => {
  const bySlot = new Map(counts.map((one) => [one.slot, one]));
  return Array.from({ length: count }, (_, slot) => {
    const { accepted = 0, succeeded = 0, failed = 0, took = 0 } = bySlot.get(slot) ?? {};
    return {
      from: new Date(since + slot * width).toISOString(),
      accepted,
      succeeded,
      failed,
      seconds: succeeded > 0 ? Math.round(took / succeeded / 100) / 10 : null,
    };
  });
};

/** Days that an amount lasts, to a tenth; null: for ever, as far as is known. yoctoNEAR. */
export const daysOf = (amount: string, perDay: bigint): number | null =>
  perDay > 0n ? Number((BigInt(amount) * 10n) / perDay) / 10 : null;

/** Days that a contract's free balance pays for as many tokens as were minted in a day, each at its most. */
export const contractRunway = (free: string, mintedInDay: number): number | null =>
  daysOf(free, BigInt(mintedInDay) * TOKEN_STORAGE_PRICE);

/** What an operator does about a transaction that is stuck, by its state (docs/running.md). */
export const whatToDo = (state: string, operation: string): string => {
  switch (state) {
    case "unknown":
      return `Set NEAR_ARCHIVAL_RPC_URL to a node that keeps all history, or look at the chain and run: npm run admin -- operation settle ${operation} --effect yes|no`;
    case "wallet_inactive":
      return "Restore or activate the integration's wallet: npm run admin -- wallet restore, then wallet activate.";
    case "behind":
      return "The database was rolled back. Run: npm run admin -- database recover";
    default:
      return "Nothing: the wallet sends it again until the chain has decided. If it stays for an hour, look at the nodes.";
  }
};

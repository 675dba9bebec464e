import { TOKEN_STORAGE_PRICE } from "./amounts.ts";

/** What an overview has at most: each contract is asked on the chain, each enabled webhook's object is asked. */
export const MOST_SHOWN = { integrations: 100, contracts: 50, stuck: 50, webhooks: 20 } as const;

/** Operations are counted by slots of so long, of which the first began with the Unix epoch. Milliseconds. */
export const SLOT_MS = 5 * 60_000;

/** Operations of a slot, or of a part of it. */
export interface SlotCount {
  /** Its number. */
  readonly slot: number;
  readonly accepted: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Sum of the times that those took which succeeded, milliseconds. */
  readonly took: number;
}

/** A series of spans of some slots each that ends with the present one. */
export interface Series {
  /** Number of its first slot. */
  readonly since: number;
  /** Slots of a span. */
  readonly width: number;
  readonly count: number;
}

/** The slot that a moment is in. Milliseconds since the epoch. */
export const slotAt = (moment: number): number => Math.floor(moment / SLOT_MS);

/** Spans of a width up to now: the last is the one that now is in, and begins at a multiple of the width. */
export const seriesUpTo = (now: number, width: number, count: number): Series => ({
  since: (Math.floor(slotAt(now) / width) - count + 1) * width,
  width,
  count,
});

/** Every span of a series, those without operations as well. */
export const spansOf = ({ since, width, count }: Series, counts: readonly SlotCount[]) => {
  const bySpan = Map.groupBy(counts, ({ slot }) => Math.floor((slot - since) / width));
  return Array.from({ length: count }, (_, span) => {
    const parts = bySpan.get(span) ?? [];
    const sum = (field: keyof SlotCount) => parts.reduce((total, part) => total + part[field], 0);
    const [accepted, succeeded, failed, took] = [
      sum("accepted"),
      sum("succeeded"),
      sum("failed"),
      sum("took"),
    ];
    return {
      from: new Date((since + span * width) * SLOT_MS).toISOString(),
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

/** A number with what it counts, as `1 entry` or `2 entries`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

/** A number with separators, as `12,345`. */
export const grouped = (count: number): string => count.toLocaleString("en");

interface Supply {
  /** Copies that can still be minted. */
  readonly left: number;
  readonly minted: number;
  readonly total_copies: number;
}

/**
 * What a collection has left: nothing where all is minted, or where its supply is locked before that. @param isOffered
 * whether a phase is open or comes; otherwise what was minted counts
 */
export const supplyLeft = ({ left, minted, total_copies: total }: Supply, isOffered = true): string => {
  if (left > 0 && !isOffered) return `${grouped(minted)} of ${grouped(total)} minted`;
  if (left > 0) return `${grouped(left)} of ${grouped(total)} left`;
  return minted < total ? "No more can be minted" : "Sold out";
};

/** What a collection has sold, and has left. @param isOffered as above */
export const supplyMinted = (supply: Supply, isOffered: boolean): string => {
  const { left, minted, total_copies: total } = supply;
  if (left === 0 || !isOffered) return supplyLeft(supply, isOffered);
  // A preview shows works of which none is minted.
  return `${grouped(Math.min(minted, total - left))} of ${grouped(total)} minted, ${grouped(left)} left`;
};

/** A duration in words, rounded up to minutes or hours if it is long. */
export const duration = (seconds: number): string => {
  if (seconds < 120) return counted(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? counted(minutes, "minute") : counted(Math.ceil(minutes / 60), "hour");
};

/** A share in percent, with a decimal where it is small. */
export const percent = (part: number, whole: number): string => {
  const share = (100 * part) / whole;
  return `${share < 9.95 ? share.toFixed(1) : Math.round(share)} %`;
};

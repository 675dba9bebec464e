/** What an item takes of a transaction. */
export interface Packed {
  /** Attached, in gas units. */
  readonly gas: bigint;
  /** Of its arguments. */
  readonly bytes: number;
}

/** What items may take together. */
interface Limits {
  readonly actions: number;
  /** Gas units. */
  readonly gas: bigint;
  readonly bytes: number;
}

/** What every protocol version allows for one transaction (near.org, "Limits"), with some room for its envelope. */
export const TRANSACTION_LIMITS = { actions: 100, gas: 300n * 10n ** 12n, bytes: 1_400_000 } as const;

/**
 * Splits items into consecutive groups, each as large as one transaction allows. An item that exceeds a limit alone is a
 * group of its own. @returns the number of items of each group
 */
export const packed = (items: readonly Packed[], limits: Limits = TRANSACTION_LIMITS): number[] => {
  const groups: number[] = [];
  let [count, gas, bytes] = [0, 0n, 0];
  for (const item of items) {
    const fits = count < limits.actions && gas + item.gas <= limits.gas && bytes + item.bytes <= limits.bytes;
    if (count > 0 && !fits) {
      groups.push(count);
      [count, gas, bytes] = [0, 0n, 0];
    }
    count++;
    gas += item.gas;
    bytes += item.bytes;
  }
  if (count > 0) groups.push(count);
  return groups;
};

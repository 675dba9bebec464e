/** Shares of its limit at which the operator is told that the database fills, percent, ascending. */
export const FILL_MARKS: readonly number[] = [50, 70, 80, 90, 95, 99];

/** The highest mark that so many bytes have reached; 0: none. */
export const fillMark = (bytes: number, limit: number): number =>
  FILL_MARKS.findLast((mark) => bytes * 100 >= mark * limit) ?? 0;

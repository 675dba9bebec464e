import type { Receiver } from "./receivers.ts";

/** NFTs of one request, receivers times quantity (the service's limit). */
export const MAX_MINTS = 25;

/** One request to mint. */
export interface MintPart {
  /** Index of each receiver's row. */
  readonly rows: readonly number[];
  /** NFTs that each of them gets by this request. */
  readonly quantity: number;
}

/**
 * Cuts rows into requests: each request has one quantity for all its receivers, so that rows of the same quantity go
 * together, and rows of more than a request's NFTs go alone, in parts. No account is twice in a request, so that its
 * answer tells whose each token is. The same rows are always cut alike.
 */
export function planMints(receivers: readonly Receiver[]): MintPart[] {
  const parts: MintPart[] = [];
  const open = new Map<number, { rows: number[]; accounts: Set<string> }>();
  const close = (quantity: number) => {
    const rows = open.get(quantity)?.rows ?? [];
    open.delete(quantity);
    if (rows.length > 0) parts.push({ rows, quantity });
  };
  const add = (row: number, account: string, quantity: number) => {
    if (open.get(quantity)?.accounts.has(account)) close(quantity);
    const part = open.get(quantity) ?? { rows: [], accounts: new Set<string>() };
    part.rows.push(row);
    part.accounts.add(account);
    open.set(quantity, part);
    if ((part.rows.length + 1) * quantity > MAX_MINTS) close(quantity);
  };
  for (const [row, { account, quantity }] of receivers.entries()) {
    for (let left = quantity; left > 0; left -= MAX_MINTS) add(row, account, Math.min(left, MAX_MINTS));
  }
  for (const quantity of [...open.keys()]) close(quantity);
  return parts;
}

import type { Receiver } from "./receivers.ts";

/** NFTs of one request, receivers times quantity (the service's limit). */
export const MAX_MINTS = 25;

/** One request to mint. */
export interface MintPart {
  /** Index of each receiver's row. */
  readonly rows: readonly number[];
  /** NFTs that each of them gets by this request. */
  readonly quantity: number;
  /** The asset that they are copies of, as the rows name it; absent: copies are drawn. */
  readonly asset?: string;
}

/** A request that takes more rows. */
interface OpenPart {
  readonly rows: number[];
  readonly accounts: Set<string>;
  readonly quantity: number;
  readonly asset: string | undefined;
}

/**
 * Cuts rows into requests: each request has one quantity and one asset for all its receivers, so that rows of the same go
 * together, and rows of more than a request's NFTs go alone, in parts. No account is twice in a request, so that its
 * answer tells whose each token is. The same rows are always cut alike.
 */
export function planMints(receivers: readonly Receiver[]): MintPart[] {
  const parts: MintPart[] = [];
  const open = new Map<string, OpenPart>();
  const close = (name: string) => {
    const part = open.get(name);
    open.delete(name);
    if (part)
      parts.push({ rows: part.rows, quantity: part.quantity, ...(part.asset && { asset: part.asset }) });
  };
  const add = (row: number, { account, asset }: Receiver, quantity: number) => {
    const name = `${quantity} ${asset ?? ""}`;
    if (open.get(name)?.accounts.has(account)) close(name);
    const part = open.get(name) ?? { rows: [], accounts: new Set(), quantity, asset };
    part.rows.push(row);
    part.accounts.add(account);
    open.set(name, part);
    if ((part.rows.length + 1) * quantity > MAX_MINTS) close(name);
  };
  for (const [row, receiver] of receivers.entries()) {
    for (let left = receiver.quantity; left > 0; left -= MAX_MINTS)
      add(row, receiver, Math.min(left, MAX_MINTS));
  }
  for (const name of [...open.keys()]) close(name);
  return parts;
}

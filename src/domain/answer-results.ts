/**
 * What a row keeps of an operation's answer. The chain's results in it are the operation's transactions, each of which has
 * a separate row: the response keeps their hashes instead.
 */

/** A transaction's result, as answers show it. */
interface Result {
  /** base58. */
  readonly transaction_hash: string;
}

const FIELD = "tx_results";

const mapped = (body: unknown, change: (shown: unknown) => unknown): unknown => {
  if (typeof body !== "object" || body === null || !(FIELD in body)) return body;
  const shown = body[FIELD];
  return { ...body, [FIELD]: Array.isArray(shown) ? shown.map(change) : change(shown) };
};

/**
 * The answer with hashes in the places of results that rows of transactions have. A result that none has stays.
 * @param kept results that have rows, the very objects that the answer shows
 */
export const withoutResults = (body: unknown, kept: readonly Result[]): unknown =>
  mapped(body, (shown) => kept.find((result) => result === shown)?.transaction_hash ?? shown);

/**
 * The answer as its caller was given it.
 * @param results of the operation's transactions
 * @throws Error where it shows a transaction that isn't among them
 */
export const withResults = (body: unknown, results: readonly unknown[]): unknown =>
  mapped(body, (shown) => {
    if (typeof shown !== "string") return shown;
    const found = results.find((result) => (result as Result | null)?.transaction_hash === shown);
    if (found === undefined) throw new Error(`an answer shows transaction ${shown}, which has no row`);
    return found;
  });

/** A row keeps an operation's answer with the hashes of transactions in place of their results, which have their own rows. */

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

/** The answer with hashes in place of results that have rows: `kept`, the very objects that the answer shows. */
export const withoutResults = (body: unknown, kept: readonly Result[]): unknown =>
  mapped(body, (shown) => kept.find((result) => result === shown)?.transaction_hash ?? shown);

/** The answer as its caller was given it. @throws Error if it shows a transaction that isn't among the results */
export const withResults = (body: unknown, results: readonly unknown[]): unknown =>
  mapped(body, (shown) => {
    if (typeof shown !== "string") return shown;
    const found = results.find((result) => (result as Result | null)?.transaction_hash === shown);
    if (found === undefined) throw new Error(`an answer shows transaction ${shown}, which has no row`);
    return found;
  });

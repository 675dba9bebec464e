import type {
  PublicCollection,
  PublicEligibility,
  PublicMint,
  PublicToken,
} from "../src/resources/public-collection.ts";

/** The keyless reads of a page's collection. Each throws an Error with the service's own sentence. */
export const readsOf = (slug: string) => {
  const read = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`/public/v1/page/${slug}${path}`);
    const body = (await answer.json()) as T & { message?: string };
    if (!answer.ok) throw new Error(body.message ?? `The service answered ${answer.status}.`);
    return body;
  };
  return {
    collection: () => read<PublicCollection>(""),
    eligibility: (account: string, quantity: number) =>
      read<PublicEligibility>(`/eligibility/${encodeURIComponent(account)}?quantity=${quantity}`),
    mint: (hash: string, account: string) =>
      read<PublicMint>(`/mint/${encodeURIComponent(hash)}?account_id=${encodeURIComponent(account)}`),
    token: (number: number) => read<PublicToken>(`/token/${number}`),
    tokensOf: (owner: string) => read<PublicToken[]>(`/token?limit=100&owner=${encodeURIComponent(owner)}`),
  };
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

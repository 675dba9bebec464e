import type { ClaimProof } from "../src/domain/claim-proofs.ts";
import type {
  PublicClaim,
  PublicClaimable,
  PublicCollection,
  PublicEligibility,
  PublicMint,
  PublicToken,
} from "../src/resources/public-collection.ts";

/** What the service has answered instead of what was asked for. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws Refusal with the service's own sentence */
async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const answer = await fetch(`/public/v1${path}`, init);
  const body = (await answer.json()) as T & { message?: string };
  if (!answer.ok) throw new Refusal(answer.status, body.message ?? `The service answered ${answer.status}.`);
  return body;
}

/** Sends the claim of a link. Sent again, it is carried out once all the same. @throws Refusal */
export const sendClaim = (slug: string, proof: ClaimProof): Promise<PublicClaim> =>
  ask<PublicClaim>("/claim", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ slug, ...proof }),
  });

/** The keyless reads of a page's collection. Each throws a Refusal. */
export const readsOf = (slug: string) => {
  const read = <T>(path: string): Promise<T> => ask<T>(`/page/${slug}${path}`);
  return {
    /** Whether a link can be redeemed; it throws why not. */
    claimable: ({
      drop_id,
      link,
      link_public_key,
      certificate,
    }: Omit<ClaimProof, "receiver_id" | "signature">) => {
      const asked = { drop_id: String(drop_id), link: String(link), link_public_key, certificate };
      return read<PublicClaimable>(`/claim?${new URLSearchParams(asked)}`);
    },
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

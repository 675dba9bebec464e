import type {
  PublicClaim,
  PublicClaimable,
  PublicCollection,
  PublicEligibility,
  PublicMint,
  PublicToken,
  PublicVoucher,
} from "../src/api/resources/public-collection.ts";
import type { ClaimProof, SignedVoucher } from "../src/domain/claim-proofs.ts";

/** What the service has answered instead of what was asked for, for good: asked again, it answers the same. */
export class Refusal extends Error {}

/** No answer, or one that says nothing for good: the same request may be answered later. */
export class Unanswered extends Error {
  /** How long to wait before it is asked again. Milliseconds. */
  readonly after: number;

  constructor(message: string, after = 0) {
    super(message);
    this.after = after;
  }
}

const unreached = (): never => {
  throw new Unanswered("The service can't be reached.");
};

/** What the service says of an error (docs/errors.md). */
interface Said {
  readonly message: string;
  readonly outcome?: string;
  readonly retryable?: boolean;
}

const failure = (answer: Response, { message, outcome, retryable }: Said): Error => {
  // Behind what the service can't explain itself, the request may have been carried out.
  const isOpen = outcome === "unknown" || (answer.status >= 500 && outcome === undefined);
  if (!retryable && !isOpen && answer.status !== 429) return new Refusal(message);
  return new Unanswered(message, Number(answer.headers.get("Retry-After") ?? 0) * 1_000);
};

/** An answer's body, and the cursor of the page that follows. @throws Refusal, Unanswered with the service's own sentence */
async function askPage<T>(path: string, init?: RequestInit): Promise<{ body: T; next: string | null }> {
  const answer = await fetch(`/public/v1${path}`, init).catch(unreached);
  // What isn't JSON is of somebody between.
  const body = (await answer.json().catch(unreached)) as T;
  if (!answer.ok) throw failure(answer, body as Said);
  return { body, next: /[?&]cursor=([^&>]+)/.exec(answer.headers.get("Link") ?? "")?.[1] ?? null };
}

/** @throws Refusal, Unanswered */
const ask = async <T>(path: string, init?: RequestInit): Promise<T> => (await askPage<T>(path, init)).body;

/** Pages of an owner's NFTs that one look reads at most. */
const MOST_PAGES = 20;

/** Sends the claim of a link. Sent again, it is carried out once all the same. @throws Refusal, Unanswered */
export const sendClaim = (slug: string, proof: ClaimProof): Promise<PublicClaim> =>
  ask<PublicClaim>("/claim", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ slug, ...proof }),
  });

/** The keyless reads of a page's collection. Each throws Refusal or Unanswered. */
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
    /** What a used link has given. */
    claimed: ({
      drop_id,
      link,
      link_public_key,
    }: Pick<ClaimProof, "drop_id" | "link" | "link_public_key">) => {
      const asked = { drop_id: String(drop_id), link: String(link), link_public_key };
      return read<PublicClaim>(`/claimed?${new URLSearchParams(asked)}`);
    },
    collection: () => read<PublicCollection>(""),
    /** Whether a voucher can be redeemed; it throws why not. */
    voucher: (voucher: SignedVoucher) => {
      const asked = Object.entries(voucher).map(([name, value]): [string, string] => [name, String(value)]);
      return read<PublicVoucher>(`/voucher?${new URLSearchParams(asked)}`);
    },
    /** @param currency account of the token to pay in; null: NEAR */
    eligibility: (account: string, quantity: number, currency: string | null = null) => {
      const asked = { quantity: String(quantity), ...(currency !== null && { currency }) };
      return read<PublicEligibility>(
        `/eligibility/${encodeURIComponent(account)}?${new URLSearchParams(asked)}`,
      );
    },
    mint: (hash: string, account: string) =>
      read<PublicMint>(`/mint/${encodeURIComponent(hash)}?account_id=${encodeURIComponent(account)}`),
    token: (number: number) => read<PublicToken>(`/token/${number}`),
    /** An owner's NFTs, as many as some pages have. */
    tokensOf: async (owner: string): Promise<PublicToken[]> => {
      const found: PublicToken[] = [];
      let cursor = "";
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const path = `/page/${slug}/token?limit=100&owner=${encodeURIComponent(owner)}${cursor}`;
        const { body, next } = await askPage<PublicToken[]>(path);
        found.push(...body);
        if (next === null) break;
        cursor = `&cursor=${next}`;
      }
      return found;
    },
  };
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

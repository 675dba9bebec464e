import type { PublicToken } from "../src/resources/public-collection.ts";
import { pause, type readsOf } from "./service.ts";

/** A mint that was asked of a wallet. It outlives the page, since some wallets leave it to sign. */
export interface Intent {
  readonly account: string;
  /** Whose the NFTs will be. */
  readonly owner: string;
  readonly quantity: number;
  /** yoctoNEAR that were to be attached. */
  readonly fee: string;
  /** yoctoNEAR that the account could spend before. */
  readonly available: string;
  /** Number of the collection's last NFT before. */
  readonly minted: number;
  /** Of the transaction, once a wallet has told it. */
  readonly hash: string | null;
}

/** Keeps the intent of this page's collection; null forgets it. */
export const intentOf = (slug: string) => {
  const name = `mintage:${slug}:intent`;
  return {
    keep: (intent: Intent | null) =>
      intent ? localStorage.setItem(name, JSON.stringify(intent)) : localStorage.removeItem(name),
    kept: (): Intent | null => JSON.parse(localStorage.getItem(name) ?? "null") as Intent | null,
  };
};

/** What became of an intent, by the chain alone. */
export type Outcome =
  | {
      readonly kind: "minted";
      readonly tokens: readonly PublicToken[];
      /** Of the transaction, where a wallet has told it. */
      readonly hash: string | null;
      readonly explorer: string | null;
    }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "unseen" };

/** How often the chain is asked, and how often before it is said that there is nothing to be seen. Milliseconds. */
const PAUSE = 1_000;
const TRIES = 120;
/** Without a hash there may never have been a transaction. */
const TRIES_WITHOUT_HASH = 20;

/** Looks until the chain has the outcome for good. @param say is told how it stands */
export async function outcomeOf(
  reads: ReturnType<typeof readsOf>,
  intent: Intent,
  say: (sentence: string) => void,
): Promise<Outcome> {
  const { hash } = intent;
  for (let tries = 0; tries < (hash === null ? TRIES_WITHOUT_HASH : TRIES); tries++) {
    try {
      const seen = hash === null ? await byTokens(reads, intent) : await byHash(reads, { ...intent, hash });
      if (seen) return seen;
      say(
        hash === null ? "Looking for it on the chain …" : "Sent. Waiting until the chain has it for good …",
      );
    } catch (error) {
      say(`${(error as Error).message} Looking again …`);
    }
    await pause(PAUSE);
  }
  return { kind: "unseen" };
}

const byHash = async (
  reads: ReturnType<typeof readsOf>,
  { hash, account, minted }: Intent & { readonly hash: string },
): Promise<Outcome | null> => {
  const found = await reads.mint(hash, account);
  if (found.state === "failed") return { kind: "refused", message: found.message ?? "The chain refused it." };
  if (found.state !== "succeeded" || found.tokens.length < found.token_ids.length) return null;
  // A hash that came with an address could be of an earlier mint, which is no outcome of this one.
  if (found.tokens.some(({ number }) => number <= minted)) return { kind: "unseen" };
  return { kind: "minted", tokens: found.tokens, hash, explorer: found.explorer_url };
};

/**
 * Without a hash two things tell a mint of the account's own: it has paid more than the price, and the owner has as many
 * NFTs whose numbers follow each other, as one call gives them, and which weren't minted before. NFTs that somebody else
 * sent cost the account nothing.
 */
const byTokens = async (
  reads: ReturnType<typeof readsOf>,
  { account, owner, quantity, fee, available, minted }: Intent,
): Promise<Outcome | null> => {
  const { available: left } = await reads.eligibility(account, 1);
  if (left === null || BigInt(left) >= BigInt(available) - BigInt(fee)) return null;
  const tokens = (await reads.tokensOf(owner))
    .filter(({ number }) => number > minted)
    .sort((a, b) => a.number - b.number);
  const end = tokens.findIndex(
    (token, index) => token.number - quantity + 1 === tokens[index - quantity + 1]?.number,
  );
  if (end < 0) return null;
  return { kind: "minted", tokens: tokens.slice(end - quantity + 1, end + 1), hash: null, explorer: null };
};

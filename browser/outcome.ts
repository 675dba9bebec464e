import type { PublicToken } from "../src/resources/public-collection.ts";
import { pause, type readsOf } from "./service.ts";

/** A mint that was asked of a wallet. It outlives the page, since some wallets leave it to sign. */
export interface Intent {
  readonly account: string;
  /** Whose the NFTs will be. */
  readonly owner: string;
  /** Those that the owner had before. */
  readonly before: readonly string[];
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
  | { readonly kind: "minted"; readonly tokens: readonly PublicToken[] }
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
  { hash, account, before }: Intent & { readonly hash: string },
): Promise<Outcome | null> => {
  const found = await reads.mint(hash, account);
  if (found.state === "failed") return { kind: "refused", message: found.message ?? "The chain refused it." };
  if (found.state !== "succeeded" || found.tokens.length < found.token_ids.length) return null;
  // A hash that came with an address could be of an earlier mint, which is no outcome of this one.
  if (found.token_ids.some((id) => before.includes(id))) return { kind: "unseen" };
  return { kind: "minted", tokens: found.tokens };
};

const byTokens = async (
  reads: ReturnType<typeof readsOf>,
  { owner, before }: Intent,
): Promise<Outcome | null> => {
  const tokens = (await reads.tokensOf(owner)).filter(({ token_id: id }) => !before.includes(id));
  return tokens.length > 0 ? { kind: "minted", tokens } : null;
};

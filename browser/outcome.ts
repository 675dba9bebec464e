import type { PublicToken } from "../src/api/resources/public-collection.ts";
import { plainRefusal } from "../src/domain/refusals.ts";
import { keptForGood } from "./kept.ts";
import { pause, Refusal, type readsOf } from "./service.ts";

/** A mint that was asked of a wallet. It outlives the page, since some wallets leave it to sign. */
export interface Intent {
  readonly account: string;
  /** Whose the NFTs will be. */
  readonly owner: string;
  readonly quantity: number;
  /** yoctoNEAR that were to be attached, or units of the token that were to be sent. */
  readonly fee: string;
  /** Account of the token that it was to be paid in; null: NEAR. */
  readonly currency: string | null;
  /** What the account could spend of it before. */
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
    keep: (intent: Intent | null) => keptForGood.set(name, intent && JSON.stringify(intent)),
    kept: (): Intent | null => JSON.parse(keptForGood.get(name) ?? "null") as Intent | null,
  };
};

/**
 * What became of an intent, by the chain alone. `unseen`: the chain shows no mint. `unclear`: it isn't final, or the chain
 * can't be read.
 */
export type Outcome =
  | {
      readonly kind: "minted";
      readonly tokens: readonly PublicToken[];
      /** Of the transaction, where a wallet has told it. */
      readonly hash: string | null;
      readonly explorer: string | null;
    }
  | {
      readonly kind: "refused";
      readonly message: string;
      /** Whether a token kept nothing of what was sent; null: it was to be paid in NEAR. */
      readonly returned: boolean | null;
    }
  | { readonly kind: "unseen" }
  | { readonly kind: "unclear" };

/** How often the chain is asked, and how often before it is said that there is nothing to be seen. Milliseconds. */
const PAUSE = 1_000;
const TRIES = 120;
/** Without a hash there may never have been a transaction. */
const TRIES_WITHOUT_HASH = 20;
/** How often the chain is asked for a mint before an address is believed that names a transaction which failed. */
const TRIES_OF_REFUSED = 5;

type Reads = ReturnType<typeof readsOf>;

/**
 * Looks until the chain has the outcome for good.
 * @param told hash that the page's address names: it says where to look, and nothing of what there is
 * @param say is told how it stands
 */
export async function outcomeOf(
  reads: Reads,
  intent: Intent,
  told: string | null,
  say: (sentence: string) => void,
): Promise<Outcome> {
  const { hash } = intent;
  let isOpen = false;
  for (let tries = 0; tries < (hash === null ? TRIES_WITHOUT_HASH : TRIES); tries++) {
    try {
      const seen = hash === null ? await unnamed(reads, intent, told) : await byHash(reads, intent, hash);
      const isSure = hash !== null || seen.kind === "minted" || tries >= TRIES_OF_REFUSED;
      if (isSure && (seen.kind === "minted" || seen.kind === "refused")) return seen;
      isOpen = seen.kind === "unclear";
      say(hash === null ? "Looking for it on the chain …" : "Sent. This takes a few seconds …");
    } catch (error) {
      isOpen = true;
      say(`${(error as Error).message} Looking again …`);
    }
    await pause(PAUSE);
  }
  return { kind: isOpen ? "unclear" : "unseen" };
}

const byHash = async (reads: Reads, { account, minted }: Intent, hash: string): Promise<Outcome> => {
  const found = await reads.mint(hash, account);
  if (found.state === "failed")
    return { kind: "refused", message: plainRefusal(found.code, found.message), returned: found.returned };
  if (found.state === "unknown") return { kind: "unseen" };
  if (found.state === "pending" || found.tokens.length < found.token_ids.length) return { kind: "unclear" };
  // An earlier mint is no outcome of this one.
  if (found.tokens.some(({ number }) => number <= minted)) return { kind: "unseen" };
  return { kind: "minted", tokens: found.tokens, hash, explorer: found.explorer_url };
};

/** By a hash that an address names, whoever wrote that: of what was asked for, or no more than a hint. Then by the tokens. */
const unnamed = async (reads: Reads, intent: Intent, told: string | null): Promise<Outcome> => {
  const named = told === null ? NOTHING : await byHash(reads, intent, told).catch(nothingIfRefused);
  const isMint = named.kind === "minted";
  if (isMint && named.tokens.length === intent.quantity && named.tokens.every(isOwnedBy(intent.owner)))
    return named;
  // Not final yet: it may show its tokens already, and will say itself what became of it.
  if (named.kind === "unclear") return named;
  return (await byTokens(reads, intent)) ?? (isMint ? NOTHING : named);
};

const NOTHING: Outcome = { kind: "unseen" };

/** What is no hash at all says nothing. */
const nothingIfRefused = (error: unknown): Outcome => {
  if (error instanceof Refusal) return NOTHING;
  throw error;
};

const isOwnedBy =
  (owner: string) =>
  (token: PublicToken): boolean =>
    token.owner_id === owner;

/**
 * Without a hash two things tell a mint of the account's own: it has paid more than the price, and the owner has as many
 * NFTs whose numbers follow each other, as one call gives them, and which weren't minted before. NFTs that somebody else
 * sent cost the account nothing.
 */
const byTokens = async (
  reads: Reads,
  { account, owner, quantity, fee, currency, available, minted }: Intent,
): Promise<Outcome | null> => {
  const seen = await reads.eligibility(account, 1, currency);
  const left = currency === null ? seen.available : seen.currency_available;
  // In NEAR the gas goes too, in a token the price alone.
  const rest = BigInt(available) - BigInt(fee);
  const hasPaid = (now: bigint) => (currency === null ? now < rest : now <= rest);
  if (left === null || !hasPaid(BigInt(left))) return null;
  const tokens = (await reads.tokensOf(owner))
    .filter(({ number }) => number > minted)
    .sort((a, b) => a.number - b.number);
  const end = tokens.findIndex(
    (token, index) => token.number - quantity + 1 === tokens[index - quantity + 1]?.number,
  );
  if (end < 0) return null;
  return { kind: "minted", tokens: tokens.slice(end - quantity + 1, end + 1), hash: null, explorer: null };
};

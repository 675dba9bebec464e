import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Intent, outcomeOf } from "../../browser/outcome.ts";
import { Refusal, Unanswered } from "../../browser/service.ts";
import type { PublicToken } from "../../src/api/resources/public-collection.ts";

/** What the mint page says became of a mint that a wallet was asked for. */

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const token = (number: number, owner_id = "alice.near") => ({ number, owner_id }) as PublicToken;
const succeeded = (...tokens: PublicToken[]) => ({
  state: "succeeded",
  tokens,
  token_ids: tokens.map(({ number }) => `1:${number}`),
  message: null,
  explorer_url: null,
});
const PENDING = { ...succeeded(), state: "pending" };

/** Two NFTs for 20 yoctoNEAR, asked for by an account that had 100, after the collection's fifth. */
const INTENT: Intent = {
  account: "alice.near",
  owner: "alice.near",
  quantity: 2,
  fee: "20",
  currency: null,
  available: "100",
  minted: 5,
  hash: null,
};

type Reads = Parameters<typeof outcomeOf>[0];

/** What the chain shows: what the account has left, and whose NFTs there are. */
const chain = (left: string, tokens: readonly PublicToken[] = [], parts: object = {}): Reads =>
  ({
    eligibility: async () => ({ available: left }),
    tokensOf: async (owner: string) => tokens.filter(({ owner_id }) => owner_id === owner),
    ...parts,
  }) as unknown as Reads;

const outcome = async (reads: Reads, intent: Partial<Intent> = {}, told: string | null = null) => {
  const found = outcomeOf(reads, { ...INTENT, ...intent }, told, () => undefined);
  await vi.advanceTimersByTimeAsync(300_000);
  return found;
};

describe("a mint with the hash that the wallet returned", () => {
  const seen = (answers: readonly (object | Error)[]) => {
    const left = [...answers];
    const mint = async () => {
      const answer = left.length > 1 ? left.shift()! : left[0]!;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return outcome(chain("0", [], { mint }), { hash: "h" });
  };

  test("is a success once its transaction is final and shows its NFTs, however late", async () => {
    const later = [new Unanswered("Nobody answers."), { ...PENDING, state: "unknown" }, PENDING];
    expect(await seen([...later, succeeded(token(6), token(7))])).toMatchObject({
      kind: "minted",
      tokens: [{ number: 6 }, { number: 7 }],
    });
  });

  test("is a failure with the contract's reason", async () => {
    expect(await seen([PENDING, { ...PENDING, state: "failed", message: "Sold out." }])).toEqual({
      kind: "refused",
      message: "Sold out.",
    });
  });

  test("isn't recognised by NFTs that existed before", async () => {
    expect(await seen([succeeded(token(5), token(6))])).toEqual({ kind: "unseen" });
  });

  test("is unclear while it isn't final or nobody answers, and never reported as not made", async () => {
    for (const answer of [PENDING, new Unanswered("Nobody answers.")]) {
      expect(await seen([answer])).toEqual({ kind: "unclear" });
    }
  });
});

describe("a mint without a hash from the wallet", () => {
  test("is recognised if more than the price was paid and as many consecutive NFTs were added", async () => {
    expect(await outcome(chain("79", [token(9), token(6), token(7)]))).toMatchObject({
      kind: "minted",
      tokens: [{ number: 6 }, { number: 7 }],
      hash: null,
    });
  });

  test.each([
    ["NFTs that somebody else has sent: nothing was paid", chain("100", [token(6), token(7)])],
    ["the price alone: a mint pays for gas too", chain("80", [token(6), token(7)])],
    ["NFTs that were there before", chain("79", [token(4), token(5)])],
    ["fewer than were asked for", chain("79", [token(6)])],
    ["NFTs that don't follow each other", chain("79", [token(6), token(8)])],
    ["NFTs of another owner", chain("79", [token(6, "bob.near"), token(7, "bob.near")])],
  ])("isn't recognised by %s", async (_name, reads) => {
    expect(await outcome(reads)).toEqual({ kind: "unseen" });
  });

  test("is recognised by the hash in the URL only if it minted what was requested", async () => {
    const named = (...tokens: PublicToken[]) => chain("100", [], { mint: async () => succeeded(...tokens) });
    expect(await outcome(named(token(6), token(7)), {}, "h")).toMatchObject({ kind: "minted", hash: "h" });
    for (const tokens of [[token(6)], [token(6), token(7, "bob.near")], [token(5), token(6)]]) {
      expect(await outcome(named(...tokens), {}, "h")).toEqual({ kind: "unseen" });
    }
    const mint = async () => {
      throw new Refusal("That is no hash.");
    };
    expect(await outcome(chain("100", [], { mint }), {}, "nonsense")).toEqual({ kind: "unseen" });
  });
});

describe("a mint that is paid in a token", () => {
  const inToken = { currency: "usdc.near" };
  const paid = (units: string | null, tokens: readonly PublicToken[]) =>
    chain("100", tokens, {
      eligibility: async (_account: string, _quantity: number, currency: string) => ({
        available: "100",
        currency_available: currency === "usdc.near" ? units : null,
      }),
    });

  test("is told by the token's units and not by NEAR", async () => {
    const tokens = [token(6), token(7)];
    expect(await outcome(paid("80", tokens), inToken)).toMatchObject({ kind: "minted" });
    expect(await outcome(paid("81", tokens), inToken)).toMatchObject({ kind: "unseen" });
    expect(await outcome(paid(null, tokens), inToken)).toMatchObject({ kind: "unseen" });
  });

  test("says whether the token gave all of it back", async () => {
    for (const returned of [true, false]) {
      const mint = async () => ({ ...PENDING, state: "failed", message: "No.", returned });
      expect(await outcome(chain("0", [], { mint }), { ...inToken, hash: "h" })).toEqual({
        kind: "refused",
        message: "No.",
        returned,
      });
    }
  });
});

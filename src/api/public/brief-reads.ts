import type { Context } from "hono";
import type { ClaimProof } from "../../domain/claim-proofs.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { baseUrl } from "../../http/base-url.ts";
import { replicated } from "../../http/bookmarks.ts";
import { BRIEF_S, keptBriefly } from "../../http/brief-cache.ts";
import { paidByAddress } from "../../http/node-calls.ts";
import { requireRedeemable } from "../../operations/redeem-link.ts";
import { openShowcase, showCollection } from "../../showcase/collection.ts";
import { showEligibility, showMint } from "../../showcase/mint.ts";
import { showToken, showTokens, type TokenFilter } from "../../showcase/tokens.ts";
import { showTraits } from "../../showcase/traits.ts";

/** What the pages and /public/v1 read of a page's collection, each kept for a moment under what it depends on. */
export const briefReads = (c: Context<AppEnv>, slug: string) => {
  const base = baseUrl(c);
  const context = replicated(paidByAddress(c));
  const brief = async <T>(name: readonly (string | number)[], read: () => Promise<T>): Promise<T> => {
    const answer = await keptBriefly(c, [base, slug, ...name], read);
    // Behind the read: a refusal concerns one client, and no cache may tell others of it (RFC 6585, section 4).
    c.header("Cache-Control", `public, max-age=${BRIEF_S}`);
    // Anybody's page may show what these reads tell everybody.
    c.header("Access-Control-Allow-Origin", "*");
    return answer;
  };
  return {
    collection: () => brief(["collection"], () => showCollection(context, slug, base)),
    traits: () => brief(["traits"], () => showTraits(context, slug)),
    tokens: (filter: TokenFilter) =>
      brief(["tokens", JSON.stringify(filter)], () => showTokens(context, slug, base, filter)),
    token: (number: number) => brief(["token", number], () => showToken(context, slug, base, number)),
    eligibility: (account: string, quantity: number) =>
      brief(["eligibility", account, quantity], () => showEligibility(context, slug, account, quantity)),
    claimable: (link: Omit<ClaimProof, "receiver_id" | "signature">) =>
      brief(["claimable", JSON.stringify(link)], async () => {
        const { drop_id, link: number } = link;
        const { views, collectionId } = await openShowcase(context, slug);
        const { quantity, expiresAt } = await requireRedeemable({ views, collectionId }, link);
        return { drop_id, link: number, quantity, expires_at: expiresAt.toISOString() };
      }),
    mint: (transaction: { readonly hash: string; readonly signer: string }) =>
      brief(["mint", transaction.hash, transaction.signer], () => showMint(context, slug, base, transaction)),
  };
};

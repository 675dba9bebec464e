import { claimLink } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import type { CollectionTarget } from "../../collections/collection-target.ts";
import { toToken } from "../../collections/tokens.ts";
import type { ClaimProof } from "../../domain/claim-proofs.ts";
import { type KindResults, kindOf } from "../kind.ts";
import { heightOf, returned, succeeded } from "../records.ts";

/** A claim, as stored with its operation. It contains no secrets: all of it goes to the chain. */
export interface ClaimOperation extends CollectionTarget {
  readonly proof: ClaimProof;
  /** The receiver, in the form that a mint uses. */
  readonly receivers: readonly string[];
  /** Base address of the gateway. */
  readonly base: string;
}

/** One call of `nft_claim`. The drop's reserve pays for the storage, so there are no top-ups. */
export const claimKind = kindOf<ClaimOperation, null, KindResults["claim"]>({
  facts: () => null,

  steps: () => ["claim"],
  storage: null,

  transaction: async (_context, { request: { contract, proof } }) => ({
    receiverId: contract,
    actions: [claimLink(proof)],
  }),

  effects: async (context, { request, subjectId }, { records }) => {
    const claimed = succeeded(records, "claim");
    const tokenIds = returned<string[]>(claimed);
    const { contract, collectionId, base, proof } = request;
    const views = contractViews(connectFor(context), contract, heightOf(records));
    const home = { collectionUuid: subjectId, collectionId, contract, base };
    // A missing token was burnt by its owner.
    const tokens = (await views.tokens(tokenIds)).flatMap((token) => (token ? [toToken(token, home)] : []));
    // In the block of the claim a token has no asset yet.
    if (tokens.some(({ metadata }) => metadata.media === null)) return null;
    const { drop_id, link } = proof;
    return {
      status: 201,
      mint: { hash: claimed.result.transaction_hash, tokenIds },
      body: { message: "success", drop_id, link, tokens, tx_results: [claimed.result] },
      statements: [],
    };
  },
});

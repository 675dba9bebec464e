import { mintBatch, type Override } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connect } from "../../chain/rpc.ts";
import type { CollectionTarget } from "../../collections/collection-target.ts";
import { tokenView } from "../../collections/token-view.ts";
import { raiseMinted } from "../../db/queries/collection-effects.ts";
import { pinMedia, releaseMedia } from "../../db/queries/collection-media.ts";
import { nextStep, stepName, topUpRemedy } from "../../domain/steps.ts";
import { tokenNumber } from "../../domain/token-ids.ts";
import { topUpFor } from "../engine/top-up.ts";
import { heightOf, type KindRules, returned, succeeded } from "../kind.ts";
import { filesOf, restoreFiles } from "./brought-files.ts";

/** What a mint needs to be carried out by anybody at any time. */
export interface MintOperation extends CollectionTarget {
  readonly receivers: readonly string[];
  readonly quantity: number;
  readonly metadata: Override | null;
  /** Base address of the gateway. */
  readonly base: string;
}

/** Bytes of storage a token may take: page, holder's record, and its own metadata. */
const TOKEN_BYTES = 220;

/** One call of `nft_batch_mint`; a contract that can't pay for the storage is topped up before the next attempt. */
export const mintRules: KindRules<MintOperation> = {
  wallet: "integration",

  next: (_request, outcomes) => nextStep(["mint"], outcomes, topUpRemedy),

  transaction: async (_context, { request }, step, records) => {
    const { contract, collectionId, receivers, quantity, metadata } = request;
    if (stepName(step).startsWith("topup")) {
      const each = TOKEN_BYTES + (metadata === null ? 0 : JSON.stringify(metadata).length);
      return topUpFor(contract, records, receivers.length * quantity * each);
    }
    return { receiverId: contract, actions: [mintBatch(collectionId, receivers, quantity, metadata)] };
  },

  effects: async (context, { request, subjectId }, records) => {
    const mint = succeeded(records, "mint");
    const tokenIds = returned<string[]>(mint);
    const { contract, collectionId, base } = request;
    const views = contractViews(connect(context.settings), contract, heightOf(records));
    const tokens = await views.tokens(tokenIds);
    const home = { collectionUuid: subjectId, collectionId, contract, base };
    const shown = tokens.flatMap((token) => (token ? [tokenView(token, home)] : []));
    // In the block of the mint a token shows no asset.
    if (shown.length < tokenIds.length || shown.some(({ metadata }) => metadata.media === null)) return null;
    const minted = Math.max(...tokenIds.map(tokenNumber));
    return {
      status: 201,
      body: { message: "success", tokens: shown, tx_results: [mint.result] },
      statements: [
        raiseMinted(context.db, subjectId, minted, context.now()),
        ...pinMedia(context.db, { collectionId: subjectId, digests: filesOf(request.metadata) }),
      ],
    };
  },

  acceptedWith: (context, operation) => restoreFiles(context, operation, operation.request.metadata),

  onFailure: (context, { id, subjectId, request }) =>
    releaseMedia(context.db, {
      collectionId: subjectId,
      operationId: id,
      digests: filesOf(request.metadata),
    }),
};

import { type Override, updateToken } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connect } from "../../chain/rpc.ts";
import type { CollectionTarget } from "../../collections/collection-target.ts";
import { tokenView } from "../../collections/token-view.ts";
import { pinMedia, releaseMedia } from "../../db/queries/collection-media.ts";
import { nextStep, stepName, topUpRemedy } from "../../domain/steps.ts";
import { topUpFor } from "../engine/top-up.ts";
import { heightOf, type KindRules, succeeded } from "../kind.ts";
import { filesOf, restoreFiles } from "./brought-files.ts";

/** What an update of a token needs to be carried out. */
export interface NftUpdateOperation extends CollectionTarget {
  readonly tokenId: string;
  readonly changes: Override;
  /** Base address of the gateway. */
  readonly base: string;
}

/** Bytes of an override's record beside its texts. */
const OVERRIDE_BYTES = 300;

/** One call of `nft_update`. */
export const nftUpdateRules: KindRules<NftUpdateOperation> = {
  wallet: "integration",

  next: (_request, outcomes) => nextStep(["update"], outcomes, topUpRemedy),

  transaction: async (_context, { request }, step, records) => {
    const { contract, tokenId, changes } = request;
    if (stepName(step).startsWith("topup")) {
      return topUpFor(contract, records, OVERRIDE_BYTES + JSON.stringify(changes).length);
    }
    return { receiverId: contract, actions: [updateToken(tokenId, changes)] };
  },

  effects: async (context, { request, subjectId }, records) => {
    const update = succeeded(records, "update");
    const { contract, collectionId, tokenId, base } = request;
    const views = contractViews(connect(context.settings), contract, heightOf(records));
    const [token] = await views.tokens([tokenId]);
    // A token that was updated in the block of its mint shows its asset in a moment.
    if (!token || token.metadata.media === null) return null;
    const home = { collectionUuid: subjectId, collectionId, contract, base };
    return {
      status: 200,
      body: { message: "success", token: tokenView(token, home), tx_results: [update.result] },
      statements: pinMedia(context.db, { collectionId: subjectId, digests: filesOf(request.changes) }),
    };
  },

  acceptedWith: (context, operation) => restoreFiles(context, operation, operation.request.changes),

  onFailure: (context, { id, subjectId, request }) =>
    releaseMedia(context.db, {
      collectionId: subjectId,
      operationId: id,
      digests: filesOf(request.changes),
    }),
};

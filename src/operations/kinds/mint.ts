import { mintBatch, type Override } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connect } from "../../chain/rpc.ts";
import { type CollectionTarget, targetOf } from "../../collections/collection-target.ts";
import { toToken } from "../../collections/token.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { raiseMinted } from "../../db/queries/collection-effects.ts";
import { pinMedia, releaseMedia } from "../../db/queries/collection-media.ts";
import type { Uuid } from "../../domain/ids.ts";
import { mintProblem } from "../../domain/mint-limits.ts";
import type { MintRequest } from "../../domain/requests.ts";
import { tokenNumber } from "../../domain/token-ids.ts";
import { resolveMetadata } from "../../uploads/token-metadata.ts";
import { heightOf, type KindAnswers, kindOf, type Proposal, returned, succeeded } from "../kind.ts";
import { filesOf, restoreFiles } from "./brought-files.ts";

/** What a mint needs to be carried out. */
export interface MintOperation extends CollectionTarget {
  readonly receivers: readonly string[];
  readonly quantity: number;
  readonly metadata: Override | null;
  /** Base address of the gateway. */
  readonly base: string;
}

/**
 * The mint that a caller asks for, once its files are fetched.
 * @throws ServiceError not_found, mint_limit_exceeded, asset_url_failed
 */
export const proposeMint = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  body: MintRequest,
): Promise<Proposal<"mint">> => {
  const { receiver_addresses: receivers, quantity_per_receiver: quantity } = body;
  const problem = mintProblem(receivers.length, quantity);
  if (problem) throw problem;
  const target = await targetOf(context, caller, collectionUuid);
  const { override, files } = await resolveMetadata(context, caller, body.metadata ?? {}, ["metadata"]);
  const request: MintOperation = {
    ...target,
    receivers,
    quantity,
    metadata: Object.keys(override).length > 0 ? override : null,
    base: caller.baseUrl,
  };
  return { kind: "mint", subjectId: collectionUuid, request, files };
};

/** Bytes of storage a token may take: page, holder's record, and its own metadata. */
const TOKEN_BYTES = 220;

/** One call of `nft_batch_mint`; a contract that can't pay for the storage is topped up before the next attempt. */
export const mintKind = kindOf<MintOperation, null, KindAnswers["mint"]>({
  wallet: "integration",

  facts: () => null,

  steps: () => ["mint"],

  storage: ({ contract, receivers, quantity, metadata }) => {
    const each = TOKEN_BYTES + (metadata === null ? 0 : JSON.stringify(metadata).length);
    return { contract, bytes: receivers.length * quantity * each };
  },

  transaction: async (_context, { request }) => {
    const { contract, collectionId, receivers, quantity, metadata } = request;
    return { receiverId: contract, actions: [mintBatch(collectionId, receivers, quantity, metadata)] };
  },

  effects: async (context, { request, subjectId }, { records }) => {
    const mint = succeeded(records, "mint");
    const tokenIds = returned<string[]>(mint);
    const { contract, collectionId, base } = request;
    const views = contractViews(connect(context.settings), contract, heightOf(records));
    const tokens = mint.tokens ?? (await views.tokens(tokenIds));
    const home = { collectionUuid: subjectId, collectionId, contract, base };
    // A token that isn't there at the height of its mint or above was burnt by its owner: there is nothing to show.
    const shown = tokens.flatMap((token) => (token ? [toToken(token, home)] : []));
    // In the block of the mint a token shows no asset.
    if (shown.some(({ metadata }) => metadata.media === null)) return null;
    const minted = Math.max(...tokenIds.map(tokenNumber));
    return {
      status: 201,
      minted,
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
});

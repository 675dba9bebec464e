import { type Override, updateToken } from "../../chain/contract/calls.ts";
import { type CollectionTarget, lookAt, placeOf } from "../../collections/collection-target.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { holds } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { hasLock } from "../../db/queries/collection-effects.ts";
import { pinMedia } from "../../db/queries/collection-media.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Failure } from "../../domain/failures.ts";
import type { Uuid } from "../../domain/ids.ts";
import { jsonBytes } from "../../domain/json-text.ts";
import { FORBIDDEN, lockedError } from "../../domain/locks.ts";
import type { NftUpdateRequest } from "../../domain/requests.ts";
import { parseTokenId } from "../../domain/token-ids.ts";
import { resolveMetadata } from "../../files/uploads/asset-url.ts";
import { type KindResults, kindOf, type Proposal } from "../kind.ts";
import { unlessLocked } from "../locked.ts";
import { heightOf, succeeded } from "../records.ts";
import { reportSettled, settledTokens } from "../settled.ts";
import { tokensAfter } from "../tokens-after.ts";
import { filesOf, pinning, releasing } from "./brought-files.ts";

/** An update of a token, as stored with its operation. */
export interface NftUpdateOperation extends CollectionTarget {
  readonly tokenId: string;
  readonly changes: Override;
  /** Base address of the gateway. */
  readonly base: string;
}

/**
 * Proposes a change of a token's metadata and fetches its files.
 * @throws ServiceError not_found, conflict (a lock), invalid_request (no field to change),
 *   asset_url_failed
 */
export const proposeNftUpdate = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  body: NftUpdateRequest,
): Promise<Proposal<"nft_update">> => {
  const { token_id: tokenId, ...metadata } = body;
  const parsed = parseTokenId(tokenId);
  const { collection, found } = await lookAt(context, caller, collectionUuid, async (at) => {
    if (parsed?.collectionId !== at.collectionId) return null;
    const [token] = await at.views.tokens([tokenId]);
    return token ?? null;
  });
  if (found === null) throw noToken(tokenId);
  const refusalOf = (message: string) => ({ message, issues: [{ path: ["token_id"], message }] });
  if (found.locks?.includes("metadata")) {
    const isWhole = await holds(
      ledgerOf(context, caller.integrationId),
      hasLock(collectionUuid, ["metadata"]),
    );
    const { message, issues } = refusalOf(isWhole ? FORBIDDEN.metadata : FORBIDDEN.token);
    throw lockedError(message, issues);
  }
  const { override, files } = await resolveMetadata(context, caller, metadata, []);
  if (Object.keys(override).length === 0) throw nothingToChange();
  const request: NftUpdateOperation = {
    ...placeOf(collection),
    tokenId,
    changes: override,
    base: caller.baseUrl,
  };
  return {
    ...{ kind: "nft_update", subjectId: collectionUuid, request, files },
    // A node that lags may not show it yet.
    ...unlessLocked(
      context,
      { id: collectionUuid, integrationId: caller.integrationId },
      ["metadata"],
      refusalOf(FORBIDDEN.metadata),
    ),
  };
};

const noToken = (tokenId: string): ServiceError =>
  new ServiceError(
    "not_found",
    `This collection has no token ${JSON.stringify(tokenId)}. Check its token_id.`,
  );

const burntSince = (tokenId: string): Failure => ({
  code: "not_found",
  message: `Token ${JSON.stringify(tokenId)} was updated, but its owner has burnt it since. Don't send the request again.`,
  outcome: "final",
  retryable: false,
});

const nothingToChange = (): ServiceError =>
  new ServiceError("invalid_request", "Send at least one field to change in addition to token_id.", {
    issues: [{ path: [], message: "Send at least one field to change." }],
  });

/** Maximum bytes of an override's record without its texts. */
export const OVERRIDE_BYTES = 300;

/** One call of `nft_update`. */
export const nftUpdateKind = kindOf<NftUpdateOperation, null, KindResults["nft_update"]>({
  facts: () => null,

  steps: () => ["update"],

  storage: ({ contract, changes }) => ({ contract, bytes: OVERRIDE_BYTES + jsonBytes(changes) }),

  transaction: async (_context, { request: { contract, tokenId, changes } }) => ({
    receiverId: contract,
    actions: [updateToken(tokenId, changes)],
  }),

  effects: async (context, operation, { records }) => {
    const { request, subjectId, integrationId } = operation;
    const update = succeeded(records, "update");
    const { tokenId } = request;
    const [token] = await tokensAfter(context, operation, heightOf(records), [tokenId]);
    // It existed when it was updated, and a node at that height no longer has it.
    if (!token) return { failure: burntSince(tokenId) };
    // A token updated in the block of its mint gets its asset in the next one.
    if (token.metadata.media === null) return null;
    return {
      status: 200,
      body: { message: "success", token, tx_results: [update.result] },
      ...pinning(context, { integrationId, subjectId }, filesOf(request.changes)),
    };
  },

  onFailure: (context, operation) => releasing(context, operation, filesOf(operation.request.changes)),

  onSettled: async (context, operation, records) => {
    const { subjectId, request } = operation;
    const tokens = await settledTokens(context, operation, records, [request.tokenId]);
    return {
      statements: reportSettled(context, operation, "nft.updated", tokens),
      indexed: pinMedia(context.db, { collectionId: subjectId, digests: filesOf(request.changes) }),
    };
  },
});

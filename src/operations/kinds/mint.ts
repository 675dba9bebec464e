import { sql } from "drizzle-orm";
import { beyondQuota, mintAsset, mintBatch, type Override } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import { requireAccounts, requireHolders } from "../../collections/accounts.ts";
import { type CollectionTarget, lookAt, targetOf } from "../../collections/collection-target.ts";
import { requireCollection } from "../../collections/collections.ts";
import { placesOnChain } from "../../collections/hidden-assets.ts";
import { toToken } from "../../collections/tokens.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { assetIndexOf } from "../../db/queries/assets.ts";
import { hasCopiesLeft, hasLock } from "../../db/queries/collection-effects.ts";
import { pinMedia } from "../../db/queries/collection-media.ts";
import { findCollection } from "../../db/queries/collections.ts";
import { setBounded } from "../../domain/bounded-map.ts";
import { ERRORS, ServiceError, unsentConflict } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { jsonBytes } from "../../domain/json-text.ts";
import { FORBIDDEN, type LockRecord, lockedError } from "../../domain/locks.ts";
import { mintProblem } from "../../domain/mint-notes.ts";
import { BYTE_PRICE, RECORD_BYTES, TOKEN_BYTES, TOKENS_AT_ONCE } from "../../domain/promised-bytes.ts";
import type { MintRequest } from "../../domain/requests.ts";
import { mintRemedy } from "../../domain/steps.ts";
import { resolveMetadata } from "../../files/uploads/asset-url.ts";
import { walletOf } from "../../wallet/client.ts";
import { type KindResults, kindOf, type Proposal } from "../kind.ts";
import { heightOf, returned, succeeded } from "../records.ts";
import { mostToppedUp, type StorageNeed, spareOf } from "../top-up.ts";
import { filesOf, pinning, releasing } from "./brought-files.ts";

/**
 * Cache of asset indexes by collection and asset: they never change, and finding one means counting those before it.
 * The oldest are evicted.
 */
const places = new Map<string, number>();
const MOST_PLACES = 10_000;

/** The index of an asset in a collection on the chain, from 0; null if it isn't in the collection. */
const placeOfAsset = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  assetUuid: Uuid,
): Promise<number | null> => {
  const name = `${collectionUuid} ${assetUuid}`;
  const known = places.get(name);
  if (known !== undefined) return known;
  const found = await assetIndexOf(context.db, collectionUuid, assetUuid);
  if (found === null) return null;
  const place = found.isShuffled
    ? await shuffledPlace(context, caller, collectionUuid, assetUuid)
    : found.place;
  setBounded(places, MOST_PLACES, name, place);
  return place;
};

/** The index of an asset that was hidden. @throws ServiceError conflict while some are */
const shuffledPlace = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  assetUuid: Uuid,
): Promise<number> => {
  const { collection } = await requireCollection(context, caller, collectionUuid);
  if (collection.reveal!.shown < collection.assets) {
    const message = "Reveal the collection first: while assets are hidden, all copies are drawn.";
    throw unsentConflict(message);
  }
  return (await placesOnChain(context, collection)).get(assetUuid)!;
};

/** Storage of a step, with its certain part. */
export interface KnownNeed extends StorageNeed {
  /** Minimum bytes that it adds to the contract's storage. */
  readonly atLeast: number;
}

const DIGEST_BYTES = 32;

/** Minimum bytes of a token's own metadata on the contract: texts and digests are stored as they are. */
const leastBytesOf = ({ media, reference, copies: _, ...texts }: Override): number => {
  const digests = [media, reference].filter((file) => file != null).length * DIGEST_BYTES;
  const letters = Object.values(texts).reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
  return RECORD_BYTES + digests + letters;
};

/** Minimum bytes for which the contract's balance is checked: a hundredth of a NEAR. */
const LOOK_FROM = 1_000;

/** Maximum cost of gas for a mint, its top-up and its retry, yoctoNEAR. */
const GAS = 10n ** 23n;

/**
 * Rejects, before anything is sent, a mint whose storage the contract certainly can't pay while the wallet can't top it
 * up. Only the contract knows whether a token's own entry is paid already, so other shortages are found by the mint
 * itself.
 * @throws ServiceError contract_storage_unpaid, rate_limited, chain_unavailable
 */
const requireStorage = async (
  context: ServiceContext,
  { integrationId }: Pick<Caller, "integrationId">,
  { contract, bytes, atLeast }: KnownNeed,
): Promise<void> => {
  if (atLeast < LOOK_FROM) return;
  const spare = await spareOf(contractViews(connectFor(context), contract));
  const lack = BigInt(atLeast) * BYTE_PRICE - spare;
  if (lack <= 0n) return;
  const { available, accountId, queued, open } = await walletOf(context.env, integrationId).status();
  // Queued and open transactions release most of what they reserve.
  if (available === null || queued + open > 0) return;
  const short = mostToppedUp(bytes, spare) + GAS - BigInt(available);
  if (short <= 0n) return;
  throw new ServiceError(
    "contract_storage_unpaid",
    `Send at least ${short} yoctoNEAR to ${accountId}, the wallet that pays, and try again: ${contract} lacks ` +
      `${lack} yoctoNEAR for storage, and the wallet can't pay them. Nothing was sent.`,
    { outcome: "not_submitted", retryable: true },
  );
};

/** A mint, as stored with its operation. */
export interface MintOperation extends CollectionTarget {
  readonly receivers: readonly string[];
  readonly quantity: number;
  /** Index of the asset to mint copies of, from 0; drawn at random if absent. */
  readonly assetIndex?: number;
  readonly metadata: Override | null;
  /** Base address of the gateway. */
  readonly base: string;
}

/**
 * Proposes a mint and fetches its files.
 * @throws ServiceError invalid_request (a receiver that can't sign), not_found, mint_limit_exceeded, asset_url_failed, sold_out, unknown_account,
 *   contract_storage_unpaid; on acceptance conflict (a lock)
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
  requireHolders(receiversIn(receivers), target.contract);
  const assetIndex = await chosenAsset(context, caller, collectionUuid, body);
  if (body.receivers_must_exist) await requireReceivers(context, receivers);
  const { override, files } = await resolveMetadata(context, caller, body.metadata ?? {}, ["metadata"]);
  const request: MintOperation = {
    ...target,
    receivers,
    quantity,
    ...(assetIndex !== null && { assetIndex }),
    metadata: Object.keys(override).length > 0 ? override : null,
    base: caller.baseUrl,
  };
  await requireStorage(context, caller, storageOf(request));
  const wanted = receivers.length * quantity;
  return {
    kind: "mint",
    subjectId: collectionUuid,
    request,
    files,
    condition: sql`(${hasCopiesLeft(collectionUuid, wanted)} AND NOT ${hasLock(collectionUuid, locksAgainstMint(request))})`,
    refusal: () => whyRefused(context, caller, collectionUuid, request),
  };
};

/** The locks that forbid a mint: each asset may be drawn, so that one that is locked forbids metadata of the mint's own. */
const locksAgainstMint = ({ metadata }: MintOperation): (keyof LockRecord)[] =>
  metadata === null ? ["supply"] : ["supply", "metadata", "assets"];

/**
 * The reason why a mint isn't accepted. The known number of copies left is an upper bound, because collectors mint too.
 */
const whyRefused = async (
  context: ServiceContext,
  { integrationId }: Caller,
  collectionUuid: Uuid,
  request: MintOperation,
): Promise<ServiceError | null> => {
  const row = await findCollection(ledgerOf(context, integrationId), collectionUuid);
  if (!row) return new ServiceError("not_found", "There is no such collection. Check its collection_uuid.");
  const { locks } = row.collection;
  if (locks.supply) return lockedError(FORBIDDEN.supply);
  if (locksAgainstMint(request).some((lock) => locks[lock])) {
    const message = locks.metadata ? FORBIDDEN.metadata : FORBIDDEN.token;
    return lockedError(message, [{ path: ["metadata"], message }]);
  }
  const wanted = request.receivers.length * request.quantity;
  const left = row.collection.total - row.collection.minted;
  if (left >= wanted) return null;
  const message = `The collection has at most ${left} copies left, and ${wanted} were asked for. ${ERRORS.sold_out.remedy}`;
  return new ServiceError("sold_out", message, { outcome: "not_submitted", retryable: false });
};

/** The index of the requested asset, which must have enough copies left; null if none is requested. */
const chosenAsset = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  { asset_uuid: asset, receiver_addresses: receivers, quantity_per_receiver: quantity }: MintRequest,
): Promise<number | null> => {
  if (!asset) return null;
  const { found } = await lookAt(context, caller, collectionUuid, async (collection) => {
    const index = await placeOfAsset(context, caller, collectionUuid, asset as Uuid);
    if (index === null) return null;
    // Copies left only decrease: if a lagging node shows too few, no other node shows more.
    const [shown] = await collection.views.assets(collection.collectionId, index, 1);
    return { index, shown };
  });
  if (found === null)
    throw new ServiceError("not_found", "The collection has no such asset. Check asset_uuid.");
  const { index, shown } = found;
  const wanted = receivers.length * quantity;
  if (shown && shown.remaining < wanted) {
    const message = `The asset has ${shown.remaining} copies left, and ${wanted} were asked for.`;
    throw new ServiceError("sold_out", `${message} Mint fewer, or another asset.`, {
      outcome: "not_submitted",
      retryable: false,
    });
  }
  return index;
};

/** Receivers with their paths in the request. */
const receiversIn = (receivers: readonly string[]) =>
  receivers.map((accountId, index) => ({ path: ["receiver_addresses", index], accountId }));

/** Checks that receivers exist; implicit accounts are created by their first transfer. */
const requireReceivers = (context: ServiceContext, receivers: readonly string[]): Promise<void> =>
  requireAccounts(
    context,
    receiversIn(receivers),
    "Name an account that exists on the chain: this one doesn't.",
  );

/** Maximum bytes of a token at its mint: its entry, its holder's record, and the record of its own metadata. */
const MINTED_BYTES = 220;

/** Maximum bytes that a contract reserves at once for the next tokens of a collection. */
const SET_ASIDE_BYTES = TOKENS_AT_ONCE * TOKEN_BYTES;

/** Maximum storage of a mint, and the minimum of its metadata. */
const storageOf = ({ contract, receivers, quantity, metadata }: MintOperation): KnownNeed => {
  const tokens = receivers.length * quantity;
  const each = MINTED_BYTES + (metadata === null ? 0 : jsonBytes(metadata));
  return {
    contract,
    bytes: tokens * each,
    perhaps: SET_ASIDE_BYTES - tokens * MINTED_BYTES,
    atLeast: metadata === null ? 0 : tokens * leastBytesOf(metadata),
  };
};

/**
 * One call of `nft_batch_mint`. A contract that can't pay for the storage is topped up before the next attempt; an asset
 * whose last copies may be drawn in the same block is retried in a later one. Beyond the day's quota of the collection the
 * next attempt is signed by a full-access key. The quota isn't raised for it: whoever has a stolen key and uses it up would
 * get more with each order.
 */
export const mintKind = kindOf<MintOperation, null, KindResults["mint"]>({
  facts: () => null,

  steps: () => ["mint"],

  remedy: () => mintRemedy,

  storage: storageOf,

  transaction: async (_context, { request }, _step, { records }) => {
    const { contract, collectionId, receivers, quantity, assetIndex, metadata } = request;
    const action =
      assetIndex === undefined
        ? mintBatch(collectionId, receivers, quantity, metadata)
        : mintAsset(collectionId, assetIndex, { receivers, quantity, metadata });
    const isBeyond = records.some(({ contractCode }) => contractCode === "E_STAFF_QUOTA");
    return { receiverId: contract, actions: [isBeyond ? beyondQuota(action) : action] };
  },

  effects: async (context, { request, subjectId, integrationId }, { records }) => {
    const mint = succeeded(records, "mint");
    const tokenIds = returned<string[]>(mint);
    const { contract, collectionId, base } = request;
    const views = contractViews(connectFor(context), contract, heightOf(records));
    const tokens = mint.tokens ?? (await views.tokens(tokenIds));
    const home = { collectionUuid: subjectId, collectionId, contract, base };
    // A token missing at or above the height of its mint was burnt by its owner.
    const shown = tokens.flatMap((token) => (token ? [toToken(token, home)] : []));
    // In the block of the mint a token has no asset yet.
    if (shown.some(({ metadata }) => metadata.media === null)) return null;
    return {
      status: 201,
      mint: { hash: mint.result.transaction_hash, tokenIds },
      body: { message: "success", tokens: shown, tx_results: [mint.result] },
      ...pinning(context, { integrationId, subjectId }, filesOf(request.metadata)),
    };
  },

  onFailure: (context, operation) => releasing(context, operation, filesOf(operation.request.metadata)),

  // The scheduled job reports its tokens.
  onSettled: ({ db }, { subjectId, request }) => ({
    indexed: pinMedia(db, { collectionId: subjectId, digests: filesOf(request.metadata) }),
  }),
});

import { fullAccessKeys } from "../../chain/blocks.ts";
import { lockCollection, lockToken } from "../../chain/contract/calls.ts";
import type { ContractCollection, ContractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import { type CollectionTarget, placeOf, readableOf } from "../../collections/collection-target.ts";
import { requireCollection } from "../../collections/collections.ts";
import { placesOnChain } from "../../collections/hidden-assets.ts";
import { isHidden } from "../../collections/public-collection.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { noteLocks } from "../../db/queries/collection-effects.ts";
import { findIntegration } from "../../db/queries/integrations.ts";
import type { Statement } from "../../db/statements.ts";
import { counted } from "../../domain/counted.ts";
import { ServiceError, unsentConflict } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { requireUnlimited } from "../../domain/key-rights.ts";
import { type Lock, lockRecord } from "../../domain/locks.ts";
import { parseTokenId } from "../../domain/token-ids.ts";
import { type KindResults, kindOf, type Operation, type Proposal } from "../kind.ts";
import { heightOf, succeeded } from "../records.ts";
import { readSettled, reportSettled, settledTokens } from "../settled.ts";
import { tokensAfter } from "../tokens-after.ts";

/** Locks of a collection, as stored with their operation. */
interface CollectionLockOperation extends CollectionTarget {
  readonly locks: readonly Lock[];
  /** Indexes on the chain, ascending. */
  readonly assets: readonly number[];
  readonly assetUuids: readonly Uuid[];
}

/** The lock of a token, as stored with its operation. */
interface NftLockOperation extends CollectionTarget {
  readonly tokenId: string;
  /** Base address of the gateway. */
  readonly base: string;
}

/** PUT lock. */
interface LockRequest {
  readonly locks: readonly Lock[];
  readonly asset_uuids: readonly Uuid[];
}

/** What each lock makes impossible. */
const PROMISES: Readonly<Record<Lock, string>> = {
  metadata: "Title, description and what NFTs show can never be changed again.",
  supply: "No NFT can ever be minted in this collection again.",
  royalties: "The accounts and shares of ongoing_royalties can never be changed again.",
  transfers: "Transfers and approvals that are possible can never be forbidden again.",
  code: "The contract's code can never be changed again, for all of its collections.",
};

const promisesOf = ({ locks, assets }: CollectionLockOperation): string[] => [
  ...locks.map((lock) => PROMISES[lock]),
  ...(assets.length > 0
    ? [
        `NFTs of ${counted(assets.length, "asset")} keep what they show for ever, and no mint brings its own metadata.`,
        "Title and description of the collection, which these NFTs show, can never be changed again.",
      ]
    : []),
];

/** Refuses to lock metadata that a reveal has still to change. @throws ServiceError conflict */
const requireRevealed = (shown: ContractCollection): void => {
  if (isHidden(shown))
    throw unsentConflict(
      "Metadata are locked once all assets are revealed: whether a commitment can be opened is not known before.",
    );
};

/** Refuses a lock that the contract would refuse: it would promise nothing. @throws ServiceError conflict */
const requireMeaning = async (
  views: ContractViews,
  shown: ContractCollection,
  { locks, asset_uuids: assets }: LockRequest,
): Promise<void> => {
  if (assets.length > 0 || locks.includes("metadata")) requireRevealed(shown);
  if (locks.includes("transfers") && !shown.allow_transfers)
    throw unsentConflict('The lock "transfers" keeps transfers possible: set allow_transfers to true first.');
  if (locks.includes("code") && (await views.upgrade()).code_hash !== null)
    throw unsentConflict(
      "An upgrade is announced: the code is locked once it is carried out, or taken back by upgrade_announce without code_hash.",
    );
};

/** Refuses to lock the code of a contract that the wallet doesn't own: its upgrades are the owner's. @throws ServiceError conflict */
const requireOwner = async (
  context: ServiceContext,
  { integrationId }: Caller,
  { views, contract }: { readonly views: ContractViews; readonly contract: string },
): Promise<void> => {
  const [{ owner_id: owner }, integration] = await Promise.all([
    views.roles(),
    findIntegration(context.db, integrationId),
  ]);
  if (owner === integration?.walletAccountId) return;
  throw unsentConflict(
    `Ask ${owner}, the owner of the contract ${contract}, to lock its code: admins can't.`,
  );
};

/** Keys that a refusal names. */
const NAMED_KEYS = 3;

/**
 * Refuses locks of a contract whose account has a full-access key: whoever has it can deploy other code there, and the chain
 * then keeps no lock. @throws ServiceError conflict, chain_unavailable
 */
const requireKeyless = async (context: ServiceContext, contract: string): Promise<void> => {
  const keys = await fullAccessKeys(connectFor(context), contract);
  if (keys.length === 0) return;
  throw unsentConflict(
    `Delete the full-access keys of ${contract} first: whoever has one can deploy other code there, which undoes every lock. ` +
      `It has ${counted(keys.length, "key")}: ${keys.slice(0, NAMED_KEYS).join(", ")}${keys.length > NAMED_KEYS ? ", …" : ""}.`,
  );
};

/** Indexes on the chain of a collection's assets. @throws ServiceError not_found that names those that it lacks */
const requireIndexes = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  assets: readonly Uuid[],
): Promise<number[]> => {
  if (assets.length === 0) return [];
  const { collection } = await requireCollection(context, caller, collectionUuid);
  const known = await placesOnChain(context, collection);
  const missing = [...assets.keys()].filter((at) => !known.has(assets[at]!));
  if (missing.length === 0) return assets.map((id) => known.get(id)!).sort((a, b) => a - b);
  throw new ServiceError(
    "not_found",
    `The collection has no asset ${missing.map((at) => assets[at]).join(", ")}.`,
    {
      issues: missing.map((at) => ({
        path: ["asset_uuids", at],
        message: "Give an asset of the collection.",
      })),
      outcome: "not_submitted",
    },
  );
};

/**
 * Proposes to lock parts of a collection for ever.
 * @throws ServiceError not_found (collection, assets), collection_not_allowed, conflict, chain_unavailable
 */
export const proposeCollectionLock = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  body: LockRequest,
): Promise<Proposal<"collection_lock">> => {
  // It concerns all collections of the contract.
  if (body.locks.includes("code")) requireUnlimited(caller.rights);
  const collection = await readableOf(context, caller, collectionUuid);
  const found = await collection.views.collection(collection.collectionId);
  if (found === null) throw new Error(`${collection.contract} lacks collection ${collection.collectionId}`);
  await requireMeaning(collection.views, found, body);
  if (body.locks.includes("code")) await requireOwner(context, caller, collection);
  await requireKeyless(context, collection.contract);
  const assetUuids = [...new Set(body.asset_uuids)];
  const request: CollectionLockOperation = {
    ...placeOf(collection),
    locks: [...new Set(body.locks)],
    assets: await requireIndexes(context, caller, collectionUuid, assetUuids),
    assetUuids,
  };
  return { kind: "collection_lock", subjectId: collectionUuid, request, permanent: promisesOf(request) };
};

/** Proposes to lock what a token shows for ever. @throws ServiceError not_found, conflict, chain_unavailable */
export const proposeNftLock = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  tokenId: string,
): Promise<Proposal<"nft_lock">> => {
  const collection = await readableOf(context, caller, collectionUuid);
  const { collectionId, views } = collection;
  const isOf = parseTokenId(tokenId)?.collectionId === collectionId;
  const [[token], shown] = await Promise.all([
    isOf ? views.tokens([tokenId]) : [],
    views.collection(collectionId),
  ]);
  if (!token || shown === null)
    throw new ServiceError("not_found", `This collection has no token ${JSON.stringify(tokenId)}.`);
  requireRevealed(shown);
  await requireKeyless(context, collection.contract);
  const request: NftLockOperation = { ...placeOf(collection), tokenId, base: caller.baseUrl };
  const permanent = [`Token ${tokenId} keeps for ever what it shows now.`];
  return { kind: "nft_lock", subjectId: collectionUuid, request, permanent };
};

/** Maximum bytes of a collection's locks, of the number of each locked asset, and of a token's own metadata with the collection's texts. */
const LOCKS_BYTES = 200;
const ASSET_NUMBER_BYTES = 5;
const LOCKED_TOKEN_BYTES = 6_000;

type CollectionLocked = Pick<Operation<CollectionLockOperation>, "request" | "subjectId" | "integrationId">;

const lockedOf = ({ request, subjectId }: CollectionLocked) => ({
  collection_uuid: subjectId,
  collection_id: request.collectionId,
  contract_address: request.contract,
  locks: request.locks,
  asset_uuids: request.assetUuids,
});

const noteLocked = (
  context: ServiceContext,
  { request: { locks, assets }, subjectId, integrationId }: CollectionLocked,
): Statement[] => [
  noteLocks(ledgerOf(context, integrationId), subjectId, lockRecord(locks, assets.length), context.now()),
];

/** Whether a collection has all locks of a call, which makes all or none. The contract doesn't tell which assets are locked. */
const hasLocked = (
  { locks: made = [], locked_assets: assetsLocked = 0 }: ContractCollection,
  { locks, assets }: CollectionLockOperation,
): boolean => locks.every((lock) => made.includes(lock)) && assetsLocked >= assets.length;

/** One call of `collection_lock`. */
export const collectionLockKind = kindOf<CollectionLockOperation, null, KindResults["collection_lock"]>({
  facts: () => null,
  steps: () => ["lock"],

  storage: ({ contract, assets }) => ({ contract, bytes: LOCKS_BYTES + assets.length * ASSET_NUMBER_BYTES }),

  transaction: async (_context, { request: { contract, collectionId, locks, assets } }) => ({
    receiverId: contract,
    actions: [lockCollection(collectionId, { locks, assets })],
  }),

  effects: async (context, operation, { records }) => ({
    status: 200,
    body: {
      message: "success",
      locked: lockedOf(operation),
      tx_results: [succeeded(records, "lock").result],
    },
    statements: noteLocked(context, operation),
  }),

  // A lock that is noted though nobody made it would refuse writes for ever.
  onSettled: async (context, operation, records) => {
    const { collectionId } = operation.request;
    const shown = await readSettled(context, operation, records, (views) => views.collection(collectionId));
    if (shown === null || !hasLocked(shown, operation.request)) return {};
    return {
      statements: [
        ...reportSettled(context, operation, "collection.locked", [lockedOf(operation)]),
        ...noteLocked(context, operation),
      ],
    };
  },
});

/** One call of `nft_lock`. */
export const nftLockKind = kindOf<NftLockOperation, null, KindResults["nft_lock"]>({
  facts: () => null,
  steps: () => ["lock"],

  storage: ({ contract }) => ({ contract, bytes: LOCKED_TOKEN_BYTES }),

  transaction: async (_context, { request: { contract, tokenId } }) => ({
    receiverId: contract,
    actions: [lockToken(tokenId)],
  }),

  effects: async (context, operation, { records }) => {
    const { tokenId } = operation.request;
    const { result } = succeeded(records, "lock");
    const [token] = await tokensAfter(context, operation, heightOf(records), [tokenId]);
    if (!token)
      return {
        failure: {
          code: "not_found",
          message: `Token ${tokenId} was locked, but its owner has burnt it since. Don't send the request again.`,
          outcome: "final",
          retryable: false,
        },
      };
    return { status: 200, body: { message: "success", token, tx_results: [result] }, statements: [] };
  },

  onSettled: async (context, operation, records) => {
    const tokens = await settledTokens(context, operation, records, [operation.request.tokenId]);
    const locked = tokens.filter(({ locks }) => locks.includes("metadata"));
    return { statements: reportSettled(context, operation, "nft.updated", locked) };
  },
});

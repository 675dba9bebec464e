import { burnTokens, MAX_GAS, moveGas, transferTokens } from "../../chain/contract/calls.ts";
import type { ContractCollection, ContractToken } from "../../chain/contract/views.ts";
import { requireAccounts, requireHolders } from "../../collections/accounts.ts";
import {
  type CollectionTarget,
  placeOf,
  type ReadableCollection,
  readableOf,
} from "../../collections/collection-target.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { findIntegration } from "../../db/queries/integrations.ts";
import { keepTransfer } from "../../db/queries/token-transfers.ts";
import { invalidField, ServiceError, unsentConflict } from "../../domain/errors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { parseTokenId, tokenNumber } from "../../domain/token-ids.ts";
import { type KindResults, kindOf, type Operation, type Proposal } from "../kind.ts";
import { heightOf, succeeded } from "../records.ts";
import { reportSettled, settledTokens } from "../settled.ts";
import { tokensAfter } from "../tokens-after.ts";

/** Tokens of the integration's wallet that one transaction moves. */
interface Moved extends CollectionTarget {
  readonly tokenIds: readonly string[];
  /** Gas units for each token. */
  readonly gas: string;
}

/** A transfer, as stored with its operation. */
interface NftTransferOperation extends Moved {
  readonly receiver: string;
  readonly memo: string | null;
  /** Base address of the gateway. */
  readonly base: string;
}

/** A burn, as stored with its operation. */
interface NftBurnOperation extends Moved {
  /** Who burns them. */
  readonly owner: string;
}

/** POST nft-transfer. */
interface TransferRequest {
  readonly token_ids: readonly string[];
  readonly receiver_address: string;
  readonly memo?: string | null | undefined;
}

/**
 * Tokens of the integration's wallet on the chain, with the collection.
 * @throws ServiceError not_found, conflict; each names all tokens that it is about
 */
const requireOwned = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  tokenIds: readonly string[],
) => {
  // A node that lags may not show yet that a token is there, whose it is, and what the collection's rules are.
  const [integration, collection] = await Promise.all([
    findIntegration(context.db, caller.integrationId),
    readableOf(context, caller, collectionUuid),
  ]);
  const owner = integration?.walletAccountId ?? "";
  const shown = await tokensIn(collection, tokenIds);
  refuse(tokenIds, "not_found", (index) => shown[index] === null, "This collection has no such token");
  const tokens = shown.filter((token) => token !== null);
  const why = `E_UNAUTHORIZED: Only the token's owner may do this, and the integration's wallet ${owner} doesn't own it`;
  refuse(tokenIds, "conflict", (index) => tokens[index]!.owner_id !== owner, why);
  return { collection, tokens, owner };
};

/** Null for ids that aren't of the collection, and for missing tokens. */
const tokensIn = async (
  { views, collectionId }: ReadableCollection,
  tokenIds: readonly string[],
): Promise<(ContractToken | null)[]> => {
  const own = tokenIds.filter((id) => parseTokenId(id)?.collectionId === collectionId);
  const found = new Map((await views.tokens(own)).map((token) => [token?.token_id, token]));
  return tokenIds.map((id) => found.get(id) ?? null);
};

const refuse = (
  tokenIds: readonly string[],
  code: "not_found" | "conflict",
  isRefused: (index: number) => boolean,
  why: string,
): void => {
  const refused = [...tokenIds.keys()].filter(isRefused);
  if (refused.length === 0) return;
  const message = `${why}: ${refused.map((index) => tokenIds[index]).join(", ")}.`;
  const issues = refused.map((index) => ({ path: ["token_ids", index], message: `${why}.` }));
  throw new ServiceError(code, message, { issues, outcome: "not_submitted" });
};

/** Gas for each token. @throws ServiceError invalid_request if one transaction can't carry all of them */
const gasFor = (tokens: readonly ContractToken[], denied: number): string => {
  const approvals = Math.max(...tokens.map((token) => Object.keys(token.approved_account_ids ?? {}).length));
  const gas = moveGas({ approvals, denied });
  const most = MAX_GAS / gas;
  if (BigInt(tokens.length) <= most) return gas.toString();
  throw invalidField(["token_ids"], `Send at most ${most} tokens at once: these need more gas than others.`);
};

/**
 * Refuses a transfer that the collection's rules forbid, in the contract's words.
 * @throws ServiceError conflict, invalid_request
 */
const requireTransferable = (
  { allow_transfers, transfers_denied_accounts }: ContractCollection,
  { owner, receiver }: { readonly owner: string; readonly receiver: string },
): void => {
  if (!allow_transfers)
    throw unsentConflict("E_TRANSFERS_DISABLED: Tokens of this collection can't be transferred.");
  if (receiver === owner)
    throw invalidField(["receiver_address"], "Name another account: the tokens are there already.");
  if (transfers_denied_accounts?.includes(receiver))
    throw unsentConflict(
      "E_TRANSFER_DENIED: Tokens of this collection can't be transferred to this account.",
    );
};

/**
 * Proposes a transfer of tokens from the integration's wallet to one account.
 * @throws ServiceError not_found, conflict (not owned, forbidden by the collection), invalid_request (a receiver that can't
 *   sign, too much gas), unknown_account, chain_unavailable
 */
export const proposeNftTransfer = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  { token_ids: tokenIds, receiver_address: receiver, memo = null }: TransferRequest,
): Promise<Proposal<"nft_transfer">> => {
  const { collection, tokens, owner } = await requireOwned(context, caller, collectionUuid, tokenIds);
  const named = [{ path: ["receiver_address"], accountId: receiver }];
  requireHolders(named, collection.contract);
  const [shown] = await Promise.all([
    collection.views.collection(collection.collectionId),
    requireAccounts(context, named, "Name an account that exists on the chain: this one doesn't."),
  ]);
  if (shown === null) throw new Error(`${collection.contract} shows tokens of a collection that it lacks`);
  requireTransferable(shown, { owner, receiver });
  const gas = gasFor(tokens, shown.transfers_denied_accounts?.length ?? 0);
  const request: NftTransferOperation = {
    ...{ ...placeOf(collection), tokenIds, receiver, memo, gas },
    base: caller.baseUrl,
  };
  const permanent = [`Gives to ${receiver}, who alone can give them back: ${tokenIds.join(", ")}.`];
  return { kind: "nft_transfer", subjectId: collectionUuid, request, permanent };
};

/** Proposes to burn tokens of the integration's wallet. @throws ServiceError not_found, conflict, chain_unavailable */
export const proposeNftBurn = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  { token_ids: tokenIds }: Pick<TransferRequest, "token_ids">,
): Promise<Proposal<"nft_burn">> => {
  const { collection, tokens, owner } = await requireOwned(context, caller, collectionUuid, tokenIds);
  const request: NftBurnOperation = { ...placeOf(collection), tokenIds, gas: gasFor(tokens, 0), owner };
  const permanent = [`Burns for ever: ${tokenIds.join(", ")}.`];
  return { kind: "nft_burn", subjectId: collectionUuid, request, permanent };
};

/** One transaction that transfers all tokens, or none. */
export const nftTransferKind = kindOf<NftTransferOperation, null, KindResults["nft_transfer"]>({
  facts: () => null,
  steps: () => ["transfer"],
  storage: null,

  transaction: async (_context, { request: { contract, tokenIds, receiver, memo, gas } }) => ({
    receiverId: contract,
    actions: transferTokens(tokenIds, { receiver, memo, gas: BigInt(gas) }),
  }),

  effects: async (context, operation, { records }) => {
    const { request, subjectId } = operation;
    const { result } = succeeded(records, "transfer");
    const tokens = await tokensAfter(context, operation, heightOf(records), request.tokenIds);
    const { block_time: time, transaction_hash: hash } = result;
    // Where no node shows the block, the history lacks the transfer.
    const indexed =
      time === null
        ? []
        : [
            keepTransfer(context.db, subjectId, request.tokenIds.map(tokenNumber), {
              at: new Date(time),
              receiverId: request.receiver,
              hash,
            }),
          ];
    return {
      status: 200,
      body: { message: "success", tokens, tx_results: [result] },
      statements: [],
      indexed,
    };
  },

  onSettled: async (context, operation, records) => {
    const tokens = await settledTokens(context, operation, records, operation.request.tokenIds);
    return { statements: reportSettled(context, operation, "nft.transferred", tokens) };
  },
});

const burntTokens = ({ request, subjectId }: Pick<Operation<NftBurnOperation>, "request" | "subjectId">) => {
  const { contract, collectionId, tokenIds, owner } = request;
  const place = { collection_uuid: subjectId, collection_id: collectionId, contract_address: contract };
  return tokenIds.map((id) => ({ token_id: id, owner_id: owner, ...place }));
};

/** One transaction that burns all tokens, or none. */
export const nftBurnKind = kindOf<NftBurnOperation, null, KindResults["nft_burn"]>({
  facts: () => null,
  steps: () => ["burn"],
  storage: null,

  transaction: async (_context, { request: { contract, tokenIds, gas } }) => ({
    receiverId: contract,
    actions: burnTokens(tokenIds, BigInt(gas)),
  }),

  effects: async (_context, operation, { records }) => {
    const { result } = succeeded(records, "burn");
    const body = { message: "success", tokens: burntTokens(operation), tx_results: [result] } as const;
    return { status: 200, body, statements: [] };
  },

  onSettled: (context, operation) => ({
    statements: reportSettled(context, operation, "nft.burned", burntTokens(operation)),
  }),
});

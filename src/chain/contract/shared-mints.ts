import { z } from "zod";
import { parsedJson } from "../../domain/json-text.ts";
import { MAX_MINTS } from "../../domain/mint-notes.ts";
import type { Action } from "../actions.ts";
import { mintAsset, mintBatch } from "./calls.ts";
import type { ContractToken } from "./views.ts";

/** A mint without its own metadata. */
export interface MintOrder {
  readonly collectionId: number;
  readonly receivers: readonly string[];
  /** Tokens for each receiver. */
  readonly quantity: number;
  /** Index of the asset to mint copies of; drawn at random if absent. */
  readonly assetIndex?: number;
}

const count = z.int().min(0);

/** Arguments of a mint that may share a call. A mint with others, such as metadata, can't. */
const sharedArguments = z.strictObject({
  collection_id: count,
  receiver_ids: z.array(z.string()),
  quantities: z.array(count).optional(),
  asset_index: count.optional(),
});

const tokenIds = z.array(z.string());

/** Orders with the same name may share a call: those of one collection, all drawn or all of one asset. */
export const shareNameOf = (contract: string, { collectionId, assetIndex }: MintOrder): string =>
  [contract, collectionId, ...(assetIndex === undefined ? [] : [assetIndex])].join(":");

/** Number of tokens that an order mints. */
export const tokensOf = ({ receivers, quantity }: MintOrder): number => receivers.length * quantity;

/** The order in a transaction's actions if it may share its call; otherwise null. */
export const orderIn = (actions: readonly Action[]): MintOrder | null => {
  const [action, ...others] = actions;
  if (others.length > 0 || action?.kind !== "function_call") return null;
  if (action.method !== "nft_batch_mint" || BigInt(action.deposit) > 0n) return null;
  const args = sharedArguments.safeParse(parsedJson(new TextDecoder().decode(action.args))).data;
  if (!args) return null;
  const { collection_id: collectionId, receiver_ids: receivers, asset_index: assetIndex } = args;
  const [quantity = 1, ...rest] = args.quantities ?? [];
  if (rest.some((other) => other !== quantity)) return null;
  const order = { collectionId, receivers, quantity, ...(assetIndex !== undefined && { assetIndex }) };
  const tokens = tokensOf(order);
  return tokens > 0 && tokens <= MAX_MINTS ? order : null;
};

/** Combines orders of one share name: the contract mints for receivers, and returns ids, in order (docs/contract.md). */
export const mintTogether = (orders: readonly MintOrder[]): Action => {
  const [first, ...rest] = orders;
  if (!first || rest.some((order) => shareNameOf("", order) !== shareNameOf("", first))) {
    throw new RangeError("a shared call needs at least one order, and all of them with the same share name");
  }
  const isAlike = rest.every(({ quantity }) => quantity === first.quantity);
  const quantity = isAlike ? first.quantity : 1;
  const receivers = orders.flatMap((order) =>
    order.receivers.flatMap((receiver) => Array<string>(isAlike ? 1 : order.quantity).fill(receiver)),
  );
  const { collectionId, assetIndex } = first;
  return assetIndex === undefined
    ? mintBatch(collectionId, receivers, quantity, null)
    : mintAsset(collectionId, assetIndex, { receivers, quantity, metadata: null });
};

/**
 * Splits the result of a call for several orders.
 * @param value JSON of the token ids
 * @param tokens number of tokens of each order, in the order of the call
 * @returns JSON of each order's ids; null unless there are exactly as many distinct ids as ordered
 */
export const shareOut = (value: Uint8Array, tokens: readonly number[]): Uint8Array[] | null => {
  const ids = tokenIds.safeParse(parsedJson(new TextDecoder().decode(value))).data;
  const ordered = sum(tokens);
  if (ids?.length !== ordered || new Set(ids).size !== ordered) return null;
  let next = 0;
  return tokens.map((count) => {
    const own = ids.slice(next, next + count);
    next += count;
    return new TextEncoder().encode(JSON.stringify(own));
  });
};

/**
 * Splits a view of the tokens of a call for several orders.
 * @param ids the requested ids
 * @param tokens the view's result; null: burnt since
 * @param orders number of tokens of each, in the order of the call
 * @returns null unless all tokens are complete: in the block of its mint a token has no asset yet
 */
export const shownTogether = (
  ids: readonly string[],
  tokens: readonly (ContractToken | null)[],
  orders: readonly { readonly tokens: number }[],
): (ContractToken | null)[][] | null => {
  const isWhole = tokens.length === ids.length && sum(orders.map((order) => order.tokens)) === ids.length;
  const isEach = tokens.every((token, place) => token === null || isShown(token, ids[place]!));
  if (!isWhole || !isEach) return null;
  let next = 0;
  return orders.map((order) => {
    const own = tokens.slice(next, next + order.tokens);
    next += order.tokens;
    return own;
  });
};

const isShown = ({ token_id, metadata }: ContractToken, id: string): boolean =>
  token_id === id && metadata.media !== null;

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

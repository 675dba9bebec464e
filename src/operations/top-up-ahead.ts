import { sql } from "drizzle-orm";
import { contractCode } from "../chain/contract/code.ts";
import { type ContractViews, contractViews } from "../chain/contract/views.ts";
import { connect } from "../chain/rpc.ts";
import { accountCode } from "../chain/views.ts";
import type { ServiceContext } from "../context.ts";
import { findCollectionOnChain } from "../db/queries/collections.ts";
import type { ContractRow } from "../db/queries/contracts.ts";
import { findIntegration } from "../db/queries/integrations.ts";
import { hadOperationSince, hasOpenOperation } from "../db/queries/operations.ts";
import { toHex } from "../domain/ids.ts";
import { BYTE_PRICE, TOKEN_BYTES, TOKENS_AT_ONCE } from "../domain/promised-bytes.ts";
import type { StorageDemand } from "../wallet/interface.ts";
import { tryOperation } from "./engine/run.ts";
import type { ContractTopUpOperation } from "./kinds/contract-top-up.ts";
import { spareOf } from "./top-up.ts";

/**
 * A contract with less free balance than this is topped up to twice as much, yoctoNEAR: the storage of a few hundred
 * tokens.
 */
const LOW = 3n * 10n ** 23n;

/** Minimum top-up, yoctoNEAR. */
const LEAST_TOP_UP = 10n ** 22n;

/** Pause after a failed top-up, so that a wallet that can't pay isn't tried every minute. */
const NOT_AGAIN_MS = 60 * 60_000;
/** Pause after any top-up: longer than a trusted node may lag, which still has the balance from before. */
const LAG_MS = 8_000;

const KIND = "contract_top_up";

/**
 * Tops up a contract from its integration's wallet when its balance is low, so that mints rarely lack storage. A wallet
 * that can't pay isn't an error here: the mint that needs the balance reports it.
 */
export const topUpAhead = async (
  context: ServiceContext,
  contract: ContractRow,
  views: ContractViews,
): Promise<void> => {
  const free = await spareOf(views);
  if (free < LOW) await topUp(context, contract, 2n * LOW - free);
};

/**
 * Tops up a contract that lacks storage for the tokens of a collection likely to be ordered next; at most for the
 * copies left.
 * @returns the number of tokens it then has storage for; null if the service has no such collection
 */
export const provideStorage = async (
  context: ServiceContext,
  { contract: accountId, collectionId, least, wanted, most }: StorageDemand,
): Promise<number | null> => {
  const found = await findCollectionOnChain(context.db, accountId, collectionId);
  if (!found) return null;
  const { contract, collection } = found;
  const left = Math.max(collection.total - collection.minted, 0);
  const free = await spareOf(contractViews(connect(context.settings), accountId, collection.height));
  if (free >= priceOf(Math.min(least, left))) return heldBy(free);
  const amount = lesser(priceOf(Math.min(wanted, left)) - free, BigInt(most));
  const isToppedUp = amount >= LEAST_TOP_UP && (await topUp(context, contract, amount));
  return heldBy(isToppedUp ? free + amount : free);
};

/** Free balance that a contract should have for a number of tokens, yoctoNEAR; it reserves storage in batches. */
const priceOf = (tokens: number): bigint =>
  LOW + BigInt(Math.ceil(tokens / TOKENS_AT_ONCE) * TOKENS_AT_ONCE * TOKEN_BYTES) * BYTE_PRICE;

const heldBy = (free: bigint): number =>
  Math.max(Number((free - LOW) / (BigInt(TOKEN_BYTES) * BYTE_PRICE)), 0);

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * Pays a contract, unless a top-up is running or has just failed. Only while the wallet owns the contract, because
 * another owner could withdraw the payments. Returns whether it is paid; never rejects.
 */
const topUp = async (context: ServiceContext, contract: ContractRow, amount: bigint): Promise<boolean> => {
  const { id: subjectId, integrationId, accountId } = contract;
  const ago = (ms: number) => new Date(context.now().getTime() - ms);
  const request: ContractTopUpOperation = { contract: accountId, amount: amount.toString() };
  const isOpen = hasOpenOperation({ integrationId, subjectId }, KIND);
  const isTooSoon = hadOperationSince(subjectId, KIND, { failed: ago(NOT_AGAIN_MS), any: ago(LAG_MS) });
  const condition = sql`NOT ${isOpen} AND NOT ${isTooSoon}`;
  // A refusal ends it with a row, which `isTooSoon` looks for.
  const proposal = { kind: KIND, subjectId, request, condition, acceptFirst: true } as const;
  try {
    if (!(await isOwn(context, contract))) return false;
    const answer = await tryOperation(
      context,
      { integrationId, requestKey: null, respondAsync: true },
      proposal,
    );
    return answer !== null;
  } catch (error) {
    context.log("contract.top_up_failed", { contract: accountId, error });
    return false;
  }
};

/**
 * Whether a contract belongs to the wallet of an integration that isn't deleted, and runs the expected code: its
 * recorded code or, during an upgrade, the current release.
 */
const isOwn = async (
  { db, settings }: ServiceContext,
  { integrationId, accountId, codeHash }: ContractRow,
): Promise<boolean> => {
  const integration = await findIntegration(db, integrationId);
  if (!integration || integration.deletedAt) return false;
  const rpc = connect(settings);
  const [code, { owner_id: owner }, release] = await Promise.all([
    accountCode(rpc, accountId),
    contractViews(rpc, accountId).roles(),
    contractCode(),
  ]);
  // Other code could report any owner and balance.
  const isKnown = code !== null && [codeHash, release.hash].map(toHex).includes(toHex(code));
  return isKnown && owner === integration.walletAccountId;
};

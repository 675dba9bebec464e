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
import { runOperation } from "./engine/run.ts";
import type { ContractTopUpOperation } from "./kinds/contract-top-up.ts";
import { spareOf } from "./top-up.ts";

/**
 * A contract with less than this free is topped up to twice as much, yoctoNEAR: the storage of a few hundred tokens.
 */
const LOW = 3n * 10n ** 23n;

/** Less isn't worth a transaction, yoctoNEAR. */
const LEAST_TOP_UP = 10n ** 22n;

/** After a top-up that failed: a wallet that can't pay isn't asked every minute. */
const NOT_AGAIN_MS = 60 * 60_000;
/** After any: longer than a node that is believed may lag, which shows the balance from before the top-up. */
const LAG_MS = 8_000;

const KIND = "contract_top_up";

/**
 * Tops a contract's balance up from its integration's wallet when it runs low, so that mints rarely find it empty. A
 * wallet that can't pay isn't a failure here: the mint that needs the money reports it.
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
 * Tops a contract up for the tokens of a collection that are likely to be ordered next, where it can't hold them: at
 * most for those that are left.
 * @returns how many tokens the contract can hold then; null: the service has no such collection
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

/** What a contract should have free for so many tokens, yoctoNEAR; it sets storage aside for many at once. */
const priceOf = (tokens: number): bigint =>
  LOW + BigInt(Math.ceil(tokens / TOKENS_AT_ONCE) * TOKENS_AT_ONCE * TOKEN_BYTES) * BYTE_PRICE;

const heldBy = (free: bigint): number =>
  Math.max(Number((free - LOW) / (BigInt(TOKEN_BYTES) * BYTE_PRICE)), 0);

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * Pays a contract, unless one is on its way or one has just failed. Only while the wallet owns it: another owner may withdraw
 * what it is given, again and again. Whether it is on its way then; never rejects.
 */
const topUp = async (context: ServiceContext, contract: ContractRow, amount: bigint): Promise<boolean> => {
  const { id: subjectId, integrationId, accountId } = contract;
  const ago = (ms: number) => new Date(context.now().getTime() - ms);
  const request: ContractTopUpOperation = { contract: accountId, amount: amount.toString() };
  const isOpen = hasOpenOperation({ integrationId, subjectId }, KIND);
  const isTooSoon = hadOperationSince(subjectId, KIND, { failed: ago(NOT_AGAIN_MS), any: ago(LAG_MS) });
  const condition = sql`NOT ${isOpen} AND NOT ${isTooSoon}`;
  const proposal = { kind: KIND, subjectId, request, condition } as const;
  try {
    if (!(await isOwn(context, contract))) return false;
    const answer = await runOperation(
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
 * Whether a contract is the wallet's of an integration that isn't deleted, and runs the code that it was given, or, while it
 * is upgraded, that of this release.
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
  // Other code may say of its owner and its balance what it likes.
  const isKnown = code !== null && [codeHash, release.hash].map(toHex).includes(toHex(code));
  return isKnown && owner === integration.walletAccountId;
};

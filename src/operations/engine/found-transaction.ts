import { type Action, depositOf, readActions } from "../../chain/actions.ts";
import { readBlock } from "../../chain/blocks.ts";
import { orderIn, shareNameOf, shareOut, tokensOf } from "../../chain/contract/shared-mints.ts";
import { type FinalOutcome, readOutcome } from "../../chain/outcome.ts";
import { connectFor } from "../../chain/rpc.ts";
import { transactionStatus } from "../../chain/send.ts";
import type { ServiceContext } from "../../context.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import type { StepTransaction } from "../top-up.ts";

/** A step that its wallet's journal can't prove, and what the operator knows of it. */
interface Unproven {
  readonly record: TransactionRecord;
  /** The transaction that the step sends. */
  readonly sent: StepTransaction;
  /** Account of the wallet. */
  readonly signerId: string;
  /** Of the transaction that the operator has found, base58. */
  readonly hash: string;
}

/**
 * The record of a step from its transaction on the chain: the journal that had it was lost. A shared mint's transaction has
 * more receivers than the step's own, which are then looked for in it.
 * @throws ServiceError conflict if it isn't final, failed, or isn't this step's; ChainUnavailableError
 */
export const foundRecord = async (
  context: ServiceContext,
  { record, sent, signerId, hash }: Unproven,
): Promise<TransactionRecord> => {
  const rpc = connectFor(context);
  let status = await transactionStatus(rpc, hash, signerId);
  if (status.kind !== "final" && rpc.archival.length > 0)
    status = await transactionStatus(rpc, hash, signerId, { archival: true });
  if (status.kind !== "final") throw notOurs(`no node has a final transaction ${hash} of ${signerId}`);
  const { outcome } = status;
  const { receiver_id: receiverId = "", nonce = 0, actions: views = [] } = outcome.transaction ?? {};
  const actions = readActions(views);
  const part =
    actions === null || receiverId !== sent.receiverId ? null : partOf(actions, sent.actions, outcome);
  if (actions === null || part === null) throw notOurs(`${hash} isn't what this operation sends`);
  const { EXPLORER_URL: explorerUrl = null } = context.settings;
  const identity = { hash, signerId, receiverId, nonce: BigInt(nonce), explorerUrl };
  const blockOf = (block: string) => readBlock(rpc, { block });
  const hashes = new Set(outcome.receipts_outcome.map(({ block_hash: block }) => block));
  const [included, ...executed] = await Promise.all([
    blockOf(outcome.transaction_outcome.block_hash),
    ...[...hashes].map(blockOf),
  ]);
  const { result, contractCode, value } = readOutcome(identity, outcome, included!.time);
  if (value === null) throw notOurs(`${hash} failed`);
  const gas = (BigInt(result.tokens_burnt ?? 0) * BigInt(part.own)) / BigInt(part.all);
  return {
    ...record,
    state: "succeeded",
    result,
    value: part.value ?? value,
    contractCode,
    height: Math.max(included!.height, ...executed.map(({ height }) => height)),
    cost: String(gas + depositOf(actions)),
  };
};

const notOurs = (why: string): ServiceError =>
  new ServiceError("conflict", `Check the transaction's hash, or settle without it: ${why}.`);

/** What of a transaction is a step's. */
interface Part {
  /** Tokens of the step and of the transaction, of which it pays a share; 1 of 1: all of it. */
  readonly own: number;
  readonly all: number;
  /** What the step's call alone would have returned; null: what the transaction returned. */
  readonly value: Uint8Array | null;
}

/** The part of a transaction that does what a step sends; null: there is none, or more than one. */
const partOf = (found: readonly Action[], sent: readonly Action[], { status }: FinalOutcome): Part | null => {
  if (textOf(found) === textOf(sent)) return { own: 1, all: 1, value: null };
  const [whole, own] = [orderIn(found), orderIn(sent)];
  if (whole === null || own === null || shareNameOf("", whole) !== shareNameOf("", own)) return null;
  const [all, wanted] = [whole, own].map(({ receivers, quantity }) =>
    receivers.flatMap((receiver) => Array<string>(quantity).fill(receiver)),
  ) as [string[], string[]];
  const places = all.flatMap((_, place) =>
    wanted.every((receiver, index) => all[place + index] === receiver) ? [place] : [],
  );
  const [place] = places;
  if (place === undefined || places.length > 1) return null;
  const counts = [place, wanted.length, all.length - place - wanted.length];
  const [, value = null] = shareOut(Buffer.from(status.SuccessValue ?? "", "base64"), counts) ?? [];
  return value && { own: tokensOf(own), all: all.length, value };
};

/** Calls and transfers as texts to compare. A mint beyond the day's quota has a deposit that its first attempt hadn't. */
const textOf = (actions: readonly Action[]): string =>
  JSON.stringify(
    actions.map((action) =>
      action.kind === "function_call"
        ? [action.method, Buffer.from(action.args).toString("base64")]
        : [action.kind, action.kind === "transfer" ? action.deposit : null],
    ),
  );

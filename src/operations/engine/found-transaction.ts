import { baseDecode } from "near-api-js";
import { type Action, depositOf, readActions } from "../../chain/actions.ts";
import { readBlock } from "../../chain/blocks.ts";
import { orderIn, shareNameOf, shareOut, tokensOf } from "../../chain/contract/shared-mints.ts";
import { type FinalOutcome, readOutcome } from "../../chain/outcome.ts";
import { type ChainRpc, connectFor } from "../../chain/rpc.ts";
import { transactionStatus } from "../../chain/send.ts";
import type { ServiceContext } from "../../context.ts";
import { holds } from "../../db/client.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { isArchivedSince } from "../../db/queries/archives.ts";
import {
  requireTaken,
  type TakenElsewhere,
  takenElsewhere,
} from "../../db/queries/operation-transactions.ts";
import type { OperationRow } from "../../db/queries/operations.ts";
import type { Statement } from "../../db/statements.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import type { StepTransaction } from "../top-up.ts";

/** A step that its wallet's journal can't prove, and what the operator knows of it. */
interface Unproven {
  readonly operation: OperationRow;
  readonly record: TransactionRecord;
  /** The transaction that the step sends. */
  readonly sent: StepTransaction;
  /** Account of the wallet. */
  readonly signerId: string;
  /** Of the transaction that the operator has found, base58. */
  readonly hash: string;
}

/** How far the clocks of the Worker and of the chain may differ. Milliseconds. */
const CLOCKS_MS = 60_000;

/**
 * The record of a step from its transaction on the chain: the journal that had it was lost. What answers of other operations have
 * isn't taken again. A shared mint's transaction has more receivers than the step's own, which are then looked for in it: of orders
 * that are alike each gets its tokens, though nobody knows which were whose.
 * @returns the record, and a statement that fails (`isNotAsRead`) if another operation has got something of the transaction since
 * @throws ServiceError conflict if it isn't final, failed, or isn't this step's; ChainUnavailableError
 */
export const foundRecord = async (
  context: ServiceContext,
  { operation, record, sent, signerId, hash }: Unproven,
): Promise<{ readonly found: TransactionRecord; readonly unshared: Statement }> => {
  const rpc = connectFor(context);
  const outcome = await outcomeOf(rpc, hash, signerId);
  const { receiver_id: receiverId = "", nonce = 0, actions: views = [] } = outcome.transaction ?? {};
  const { EXPLORER_URL: explorerUrl = null } = context.settings;
  const identity = { hash, signerId, receiverId, nonce: BigInt(nonce), explorerUrl };
  const blockOf = (block: string) => readBlock(rpc, { block });
  const hashes = new Set(outcome.receipts_outcome.map(({ block_hash: block }) => block));
  const [included, ...executed] = await Promise.all([
    blockOf(outcome.transaction_outcome.block_hash),
    ...[...hashes].map(blockOf),
  ]);
  if (included!.time + CLOCKS_MS < operation.createdAt.getTime())
    throw notOurs(`${hash} is older than this operation`);
  const { result, contractCode, value } = readOutcome(identity, outcome, included!.time);
  if (value === null) throw notOurs(`${hash} failed`);
  const ledger = ledgerOf(context, operation.integrationId);
  // The ledger doesn't know whose transactions these are.
  if (await holds(ledger, isArchivedSince(operation.integrationId, included!.time - CLOCKS_MS)))
    throw notOurs(`${hash} may be of an operation that is archived`);
  const taken = await takenElsewhere(ledger, operation.id, baseDecode(hash));
  const actions = readActions(views) ?? [];
  const part = receiverId === sent.receiverId ? partOf(actions, sent.actions, value, taken) : null;
  if (part === null) throw notOurs(`${hash} isn't what this operation sends, or is another operation's`);
  const gas = (BigInt(result.tokens_burnt ?? 0) * BigInt(part.own)) / BigInt(part.all);
  const found: TransactionRecord = {
    ...record,
    state: "succeeded",
    result,
    value: part.value,
    contractCode,
    height: Math.max(included!.height, ...executed.map(({ height }) => height)),
    cost: String(gas + depositOf(actions)),
  };
  return { found, unshared: requireTaken(ledger, operation, baseDecode(hash), taken) };
};

const outcomeOf = async (rpc: ChainRpc, hash: string, signerId: string): Promise<FinalOutcome> => {
  let status = await transactionStatus(rpc, hash, signerId);
  if (status.kind !== "final" && rpc.archival.length > 0)
    status = await transactionStatus(rpc, hash, signerId, { archival: true });
  if (status.kind === "final") return status.outcome;
  throw notOurs(`no node has a final transaction ${hash} of ${signerId}`);
};

const notOurs = (why: string): ServiceError =>
  new ServiceError("conflict", `Check the transaction's hash, or settle without it: ${why}.`);

/** What of a transaction is a step's. */
interface Part {
  /** Tokens of the step and of the transaction, of which it pays a share; 1 of 1: all of it. */
  readonly own: number;
  readonly all: number;
  /** What the step's call alone would have returned. */
  readonly value: Uint8Array;
}

/** The part of a transaction that does what a step sends, and that no other operation has; null: there is none. */
const partOf = (
  found: readonly Action[],
  sent: readonly Action[],
  value: Uint8Array,
  taken: TakenElsewhere,
): Part | null => {
  const [whole, own] = [orderIn(found), orderIn(sent)];
  if (whole === null || own === null)
    return textOf(found) === textOf(sent) && taken.operations.length === 0 ? { own: 1, all: 1, value } : null;
  if (shareNameOf("", whole) !== shareNameOf("", own)) return null;
  const [all, wanted] = [whole, own].map(({ receivers, quantity }) =>
    receivers.flatMap((receiver) => Array<string>(quantity).fill(receiver)),
  ) as [string[], string[]];
  for (let place = 0; place + wanted.length <= all.length; place++) {
    if (!wanted.every((receiver, index) => all[place + index] === receiver)) continue;
    const counts = [place, wanted.length, all.length - place - wanted.length];
    const [, part = null] = shareOut(value, counts) ?? [];
    if (part === null) return null;
    const ids = JSON.parse(new TextDecoder().decode(part)) as string[];
    if (!ids.some((id) => taken.tokens.has(id))) return { own: tokensOf(own), all: all.length, value: part };
  }
  return null;
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

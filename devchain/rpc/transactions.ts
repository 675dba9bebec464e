/** Sending transactions and asking what became of them. */
import { decodeHash } from "../protocol/hash.ts";
import { decodeSignedTransaction } from "../protocol/transaction.ts";
import type { Outcome, Receipt, Transaction } from "../protocol/types.ts";
import type { InvalidTx } from "../runtime/transactions.ts";
import {
  internalError,
  invalidTransaction,
  parseError,
  timeoutError,
  unknownReceipt,
  unknownTransaction,
} from "./errors.ts";
import { text } from "./query.ts";
import { finalHeight, headHeight, type Node, type Params } from "./reference.ts";
import { outcomeView, receiptView, statusView, transactionView } from "./views.ts";

/** How far a transaction is, in the order of nearcore: a wait is over when the status reaches or passes it. */
const STATUSES = ["NONE", "INCLUDED", "EXECUTED_OPTIMISTIC", "INCLUDED_FINAL", "EXECUTED", "FINAL"] as const;
type Status = (typeof STATUSES)[number];

interface Progress {
  status: Status;
  body: Record<string, unknown>;
}

/** Reads `signed_tx_base64`, in an object or as the only parameter. @throws a parse error for other bytes. */
export function signedTransaction(params: unknown): Transaction {
  const encoded = Array.isArray(params) ? params[0] : (params as Params | null)?.signed_tx_base64;
  if (typeof encoded !== "string") throw parseError("Failed parsing args: missing field `signed_tx_base64`");
  try {
    return decodeSignedTransaction(Buffer.from(encoded, "base64"));
  } catch (error) {
    throw parseError(
      `Failed parsing args: the value could not be decoded from borsh due to: ${(error as Error).message}`,
    );
  }
}

function waitUntil(params: unknown): Status {
  const wanted = (Array.isArray(params) ? undefined : (params as Params).wait_until) ?? "EXECUTED_OPTIMISTIC";
  const status = STATUSES.find((name) => name === wanted);
  if (!status)
    throw parseError(
      `Failed parsing args: unknown variant \`${wanted}\`, expected one of ${STATUSES.map((name) => `\`${name}\``).join(", ")}`,
    );
  return status;
}

/** Hands a transaction over without asking whether it is valid: the answer proves nothing. */
export function broadcastAsync(node: Node, params: unknown): string {
  const tx = signedTransaction(params);
  submit(node, tx);
  return tx.hash;
}

export async function send(node: Node, params: unknown): Promise<unknown> {
  const wait = waitUntil(params);
  const tx = signedTransaction(params);
  if (wait === "NONE") {
    submit(node, tx);
    return { final_execution_status: "NONE" };
  }
  const invalid = submit(node, tx);
  if (invalid) throw invalidTransaction(invalid);
  return waitFor(node, tx.hash, wait, false, tx);
}

/** Sending a known transaction again changes nothing and isn't an error, although its nonce is used. */
function submit(node: Node, tx: Transaction): InvalidTx | undefined {
  // A lagging node doesn't know a newer base block, and takes it for one of another chain.
  const base = node.chain.store.heightOf(tx.blockHash) ?? 0;
  const height = headHeight(node);
  if (base > height) return { InvalidTxError: "Expired" };
  // A node judges by the state that it has: one that is behind knows neither the latest payments nor the latest keys.
  const invalid = node.chain.check(tx, height);
  // A node that stands still forwards nothing.
  if (!invalid && node.frozen) node.frozen.pool.add(tx.hash);
  else if (!invalid) node.chain.pool.add(tx);
  const error = invalid?.InvalidTxError;
  const isNonce = typeof error === "object" && "InvalidNonce" in error;
  return isNonce && node.chain.transaction(tx.hash) ? undefined : invalid;
}

export async function broadcastCommit(node: Node, params: unknown): Promise<unknown> {
  const tx = signedTransaction(params);
  const invalid = submit(node, tx);
  if (invalid) throw invalidTransaction(invalid);
  return waitFor(node, tx.hash, "EXECUTED_OPTIMISTIC", false, tx);
}

export function transactionStatus(node: Node, params: unknown, withReceipts: boolean): Promise<unknown> {
  const named =
    Array.isArray(params) && params.length > 1
      ? { tx_hash: params[0], sender_account_id: params[1] }
      : params;
  const wait = waitUntil(named);
  if (Array.isArray(named) || (named as Params).signed_tx_base64 !== undefined) {
    const tx = signedTransaction(named);
    return waitFor(node, tx.hash, wait, withReceipts, tx);
  }
  const hash = text(named as Params, "tx_hash");
  text(named as Params, "sender_account_id");
  try {
    decodeHash(hash);
  } catch (error) {
    throw parseError(`Failed parsing args: ${(error as Error).message}`);
  }
  return waitFor(node, hash, wait, withReceipts);
}

async function waitFor(
  node: Node,
  hash: string,
  wait: Status,
  withReceipts: boolean,
  tx?: Transaction,
): Promise<unknown> {
  const until = performance.now() + node.pollingTimeoutMs;
  for (;;) {
    if (node.chain.isClosed) throw internalError("the chain is shutting down");
    const progress = progressOf(node, hash, withReceipts);
    if (progress && STATUSES.indexOf(progress.status) >= STATUSES.indexOf(wait)) return progress.body;
    const pool = node.frozen?.pool ?? node.chain.pool;
    if (!progress && !pool.has(hash)) {
      if (wait === "NONE") throw unknownTransaction(hash);
      const invalid = tx && node.chain.check(tx);
      if (invalid) throw invalidTransaction(invalid);
    } else if (!progress && wait === "NONE") return { final_execution_status: "NONE" };
    const left = until - performance.now();
    if (left <= 0)
      throw timeoutError(progress ? { cause: "PENDING", status: progress.body } : { cause: "NOT_OBSERVED" });
    await node.chain.nextBlock(left);
  }
}

/** An outcome as far as this node knows: what lies beyond its head hasn't happened. */
function outcomeAt(node: Node, id: string): Outcome | undefined {
  const outcome = node.chain.outcome(id);
  return outcome && outcome.blockHeight <= headHeight(node) ? outcome : undefined;
}

interface Tree {
  outcomes: Outcome[];
  receipts: Receipt[];
  /** Whether all receipts but refunds are executed, and whether all are in final blocks. */
  executed: boolean;
  final: boolean;
}

/** A transaction's receipts and those they made, depth first. */
function collect(node: Node, ids: string[]): Tree {
  const tree: Tree = { outcomes: [], receipts: [], executed: true, final: true };
  const visit = (id: string) => {
    const receipt = node.chain.receipt(id);
    if (receipt) tree.receipts.push(receipt);
    const outcome = outcomeAt(node, id);
    if (!outcome) {
      tree.final = false;
      if (!node.chain.isRefund(receipt)) tree.executed = false;
      return;
    }
    if (outcome.blockHeight > finalHeight(node)) tree.final = false;
    tree.outcomes.push(outcome);
    outcome.receiptIds.forEach(visit);
  };
  ids.forEach(visit);
  return tree;
}

/** The result of the receipt that a transaction's result became, or that it isn't there yet. */
function finalStatus(node: Node, first: Outcome): unknown {
  let outcome: Outcome | undefined = first;
  while (outcome && "SuccessReceiptId" in outcome.status)
    outcome = outcomeAt(node, outcome.status.SuccessReceiptId);
  return outcome ? statusView(outcome.status) : "Started";
}

function progressOf(node: Node, hash: string, withReceipts: boolean): Progress | undefined {
  const stored = node.chain.transaction(hash);
  const first = outcomeAt(node, hash);
  if (!stored || !first) return orphanProgress(node, hash);
  const tree = collect(node, first.receiptIds);
  const isFinal = stored.height <= finalHeight(node);
  const status: Status = !isFinal
    ? tree.executed
      ? "EXECUTED_OPTIMISTIC"
      : "INCLUDED"
    : !tree.executed
      ? "INCLUDED_FINAL"
      : tree.final
        ? "FINAL"
        : "EXECUTED";
  const body = {
    final_execution_status: status,
    status: finalStatus(node, first),
    transaction: transactionView(stored.tx),
    transaction_outcome: outcomeView(first),
    receipts_outcome: tree.outcomes.map(outcomeView),
    ...(withReceipts && { receipts: tree.receipts.map(receiptView) }),
  };
  return { status, body };
}

/** If the block was dropped, a node still says that the transaction is in it, but nothing of its receipts. */
function orphanProgress(node: Node, hash: string): Progress | undefined {
  const orphan = node.chain.orphan(hash);
  if (!orphan || ((node.lag > 0 || node.frozen) && orphan.height > headHeight(node))) return undefined;
  const body = {
    final_execution_status: "INCLUDED",
    status: "Started",
    transaction: transactionView(orphan.tx),
    transaction_outcome: outcomeView(orphan.outcome),
    receipts_outcome: [],
  };
  return { status: "INCLUDED", body };
}

export function receiptById(node: Node, params: Params): unknown {
  const id = text(params, "receipt_id");
  const receipt = node.chain.receipt(id);
  if (!receipt) throw unknownReceipt(id);
  return receiptView(receipt);
}

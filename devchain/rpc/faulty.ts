/** Answers one request with the faults that befall it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Transaction } from "../protocol/types.ts";
import { invalidTransaction, timeoutError, unknownTransaction } from "./errors.ts";
import type { FaultKind, FaultRule, Faults } from "./faults.ts";
import { answer, isControl } from "./methods.ts";
import { headHeight, type Node, type Params } from "./reference.ts";
import { signedTransaction } from "./transactions.ts";

/** What the connection shall do beside or instead of sending an answer. */
export type Reply =
  | { kind: "result"; result: unknown }
  /** The connection breaks. */
  | { kind: "broken" }
  /** No answer ever comes. */
  | { kind: "silent" }
  | { kind: "raw"; status: number; text: string; headers?: Record<string, string> };

type Struck = Map<FaultKind, FaultRule>;

export async function answerWithFaults(
  node: Node,
  faults: Faults,
  path: string,
  method: string,
  params: unknown,
): Promise<Reply> {
  if (isControl(method)) return { kind: "result", result: await answer(node, faults, method, params) };
  const struck = faults.strike(method, path);
  const before = await beforeAnswer(node, struck, params);
  if (before) return before;
  const seen = { ...node, lag: blocksBehind(node, struck) };
  const forgotten = forgottenTransaction(seen, struck, params);
  if (forgotten !== undefined) {
    if (!struck.has("unknown_transaction")) faults.count("forget", method);
    throw unknownTransaction(forgotten);
  }
  const handle = () => answer(seen, faults, method, params);
  if (struck.has("duplicate")) await handle().catch(() => undefined); // only the second answer gets back
  if (struck.has("reply_lost")) {
    await handle().catch(() => undefined); // an error is lost like any other answer
    return { kind: "broken" };
  }
  return { kind: "result", result: await handle() };
}

/** How far behind the chain the node stands that answers: one that is frozen falls back with every block. */
function blocksBehind({ chain, lag }: Node, struck: Struck): number {
  const late = struck.get("lag");
  const frozen = struck.get("freeze");
  if (frozen) frozen.height ??= chain.head.height;
  return Math.max(
    lag,
    late ? (late.blocks ?? 5) : 0,
    frozen ? chain.head.height - (frozen.height ?? chain.head.height) : 0,
  );
}

function tooManyRequests({ retry_after: after }: FaultRule): Reply {
  return {
    kind: "raw",
    status: 429,
    text: "Too many requests",
    ...(after !== undefined && { headers: { "retry-after": after } }),
  };
}

async function beforeAnswer(node: Node, struck: Struck, params: unknown): Promise<Reply | undefined> {
  if (struck.has("down") || struck.has("request_lost")) return { kind: "broken" };
  if (struck.has("hang")) return { kind: "silent" };
  const limit = struck.get("rate_limit");
  if (limit) return tooManyRequests(limit);
  if (struck.has("garbage")) return { kind: "raw", status: 200, text: '<html>{"jsonrpc": "2.0", "resu' };
  const delay = struck.get("delay");
  if (delay) await sleep(delay.ms ?? 1000);
  const timeout = struck.get("timeout");
  if (timeout) {
    if (timeout.accepted) node.chain.submit(signedTransaction(params));
    await sleep(timeout.ms ?? 0);
    throw timeoutError({ cause: "NOT_OBSERVED" });
  }
  const expired = struck.get("expired");
  if (expired) {
    if (expired.accepted) node.chain.submit(signedTransaction(params));
    throw invalidTransaction({ InvalidTxError: "Expired" });
  }
  const reorder = struck.get("reorder");
  if (!reorder) return undefined;
  const tx = signedTransaction(params);
  void holdBack(node, tx, reorder.blocks ?? 3);
  const waits = (params as Params | null)?.wait_until !== undefined;
  return { kind: "result", result: waits ? { final_execution_status: "NONE" } : tx.hash };
}

/** Submits a transaction after the next one of its key is in a block, or after some blocks without one. */
async function holdBack({ chain }: Node, tx: Transaction, blocks: number): Promise<void> {
  const until = chain.head.height + blocks;
  const nonce = () => chain.stateAt(chain.head.height).accessKey(tx.signerId, tx.publicKey)?.nonce ?? 0;
  while (chain.head.height < until && nonce() < tx.nonce && !chain.isClosed) await chain.nextBlock(1000);
  if (!chain.isClosed) chain.submit(tx);
}

/** The hash of a transaction that this node shall not know, if the request asks for it. */
function forgottenTransaction(node: Node, struck: Struck, params: unknown): string | undefined {
  const forget = struck.get("forget");
  if (!forget && !struck.has("unknown_transaction")) return undefined;
  const named = params as Params | string[];
  const hash = Array.isArray(named) ? named[0] : named.tx_hash;
  if (typeof hash !== "string") return undefined;
  if (struck.has("unknown_transaction")) return hash;
  const stored = node.chain.transaction(hash);
  const age = stored ? headHeight(node) - stored.height : -1;
  return age >= (forget?.blocks ?? 0) ? hash : undefined;
}

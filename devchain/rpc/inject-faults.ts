/** Answers a request with the faults that it meets. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Transaction } from "../protocol/types.ts";
import { internalError, invalidTransaction, RpcError, timeoutError, unknownTransaction } from "./errors.ts";
import type { FaultKind, FaultRule, Faults, Request } from "./faults.ts";
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
  const request = requestOf(node, faults, path, method, params);
  const struck = faults.strike(request);
  const lag = struck.get("lag");
  const freeze = struck.get("freeze");
  const seen: Node = {
    ...node,
    ...(lag && { lag: lag.blocks ?? 5 }),
    ...(freeze && { frozen: faults.frozenBy(freeze) }),
  };
  const before = await beforeAnswer(seen, faults, struck, request, params);
  if (before) return before;
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

/** The transaction of a request and its subject, as fault rules see them. */
function requestOf(node: Node, faults: Faults, path: string, method: string, params: unknown): Request {
  const named = (params ?? {}) as Params & unknown[];
  const of = (subject: string, hash?: string): Request => ({ method, node: path, subject, hash });
  const asked = Array.isArray(params) ? (params.length > 1 ? params[0] : undefined) : named.tx_hash;
  if (typeof asked === "string" && ASKED_BY_HASH.has(method)) {
    const known = node.chain.transaction(asked) ?? node.chain.orphan(asked);
    return of(known ? subjectOf(faults, known.tx) : (subjects.get(asked) ?? ""), asked);
  }
  if (CARRIES.has(method)) {
    const tx = decoded(params);
    if (!tx) return of("");
    const subject = subjectOf(faults, tx);
    remember(tx.hash, subject);
    return of(subject, tx.hash);
  }
  const call = `${named.request_type ?? ""} ${named.method_name ?? ""}`.trim();
  const args = typeof named.args_base64 === "string" ? Buffer.from(named.args_base64, "base64") : undefined;
  return of(`${call} ${(args && faults.subjectIn(args.toString("latin1"))) ?? ""}`.trim());
}

const ASKED_BY_HASH = new Set(["tx", "EXPERIMENTAL_tx_status"]);
const CARRIES = new Set([...ASKED_BY_HASH, "send_tx", "broadcast_tx_async", "broadcast_tx_commit"]);

/** Subjects of transactions that were sent and may be in no block yet; the newest. */
const subjects = new Map<string, string>();
const MOST_SUBJECTS = 10_000;

function remember(hash: string, subject: string): void {
  if (subjects.size >= MOST_SUBJECTS) subjects.delete(subjects.keys().next().value!);
  subjects.set(hash, subject);
}

/** The transaction that a request carries; undefined for anything else, which the method itself refuses. */
function decoded(params: unknown): Transaction | undefined {
  try {
    return signedTransaction(params);
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

function subjectOf(faults: Faults, { actions }: Transaction): string {
  for (const action of actions) {
    if (action.type !== "FunctionCall") continue;
    const found = faults.subjectIn(Buffer.from(action.args).toString("latin1"));
    if (found !== undefined) return found;
  }
  return actions
    .map((action) => (action.type === "FunctionCall" ? action.methodName : action.type))
    .join("+");
}

async function beforeAnswer(
  node: Node,
  faults: Faults,
  struck: Struck,
  request: Request,
  params: unknown,
): Promise<Reply | undefined> {
  if (struck.has("down") || struck.has("request_lost")) return { kind: "broken" };
  if (struck.has("hang")) return { kind: "silent" };
  const limit = struck.get("rate_limit");
  if (limit) {
    const headers = limit.retry_after === undefined ? undefined : { "retry-after": limit.retry_after };
    return { kind: "raw", status: 429, text: "Too many requests", ...(headers && { headers }) };
  }
  if (struck.has("garbage")) return { kind: "raw", status: 200, text: '<html>{"jsonrpc": "2.0", "resu' };
  const delay = struck.get("delay");
  if (delay) await sleep(faults.delayOf(delay, request));
  const poison = struck.get("per_hash");
  if (poison) throw namedError(poison.error ?? "INTERNAL_ERROR", request.hash!);
  const orphan = struck.get("orphan");
  if (orphan && request.hash !== undefined) node.chain.doom(request.hash, orphan);
  const timeout = struck.get("timeout");
  if (timeout) {
    // A request for anything else times out too.
    const tx = timeout.accepted && decoded(params);
    if (tx) node.chain.submit(tx);
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

/** A node's error of the name that a test asks for. */
function namedError(name: string, hash: string): RpcError {
  if (name === "INTERNAL_ERROR") return internalError(`The node can't read transaction ${hash}`);
  const cause = { name, info: {} };
  return new RpcError(200, {
    name: "HANDLER_ERROR",
    cause,
    code: -32_000,
    message: "Server error",
    data: name,
  });
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

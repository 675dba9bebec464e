/** Every method of the RPC by name. */

import { block, chunk, gasPrice, protocolConfig, status, validators } from "./chain-info.ts";
import { changes, changesInBlock } from "./changes.ts";
import { control } from "./control.ts";
import { invalidTransaction, methodNotFound } from "./errors.ts";
import type { Faults } from "./faults.ts";
import { query } from "./query.ts";
import type { Node, Params } from "./reference.ts";
import {
  broadcastAsync,
  broadcastCommit,
  receiptById,
  send,
  signedTransaction,
  transactionStatus,
} from "./transactions.ts";

type Method = (node: Node, params: unknown) => unknown;

const object = (run: (node: Node, params: Params) => unknown): Method => {
  return (node, params) => run(node, (params ?? {}) as Params);
};

/** The older names of single queries, which newer nodes offer as methods of their own. */
function queryMethod(request_type: string): Method {
  return (node, params) => query(node, { ...(params as Params), request_type });
}

const METHODS: Record<string, Method> = {
  status,
  health: () => null,
  network_info: () => ({
    active_peers: [],
    num_active_peers: 0,
    peer_max_count: 40,
    sent_bytes_per_sec: 0,
    received_bytes_per_sec: 0,
    known_producers: [],
  }),
  block,
  chunk,
  gas_price: gasPrice,
  validators,
  query,
  send_tx: send,
  broadcast_tx_async: broadcastAsync,
  broadcast_tx_commit: broadcastCommit,
  tx: (node, params) => transactionStatus(node, params, false),
  EXPERIMENTAL_tx_status: (node, params) => transactionStatus(node, params, true),
  EXPERIMENTAL_check_tx(node, params) {
    const tx = signedTransaction(params);
    const invalid = node.chain.check(tx);
    if (invalid) throw invalidTransaction(invalid);
    return { transaction_hash: tx.hash };
  },
  EXPERIMENTAL_receipt: object(receiptById),
  EXPERIMENTAL_changes: object(changes),
  changes: object(changes),
  EXPERIMENTAL_changes_in_block: object(changesInBlock),
  block_effects: object(changesInBlock),
  EXPERIMENTAL_protocol_config: object(protocolConfig),
  EXPERIMENTAL_view_account: queryMethod("view_account"),
  EXPERIMENTAL_view_code: queryMethod("view_code"),
  EXPERIMENTAL_view_state: queryMethod("view_state"),
  EXPERIMENTAL_view_access_key: queryMethod("view_access_key"),
  EXPERIMENTAL_view_access_key_list: queryMethod("view_access_key_list"),
  EXPERIMENTAL_call_function: queryMethod("call_function"),
};

/** Whether a method belongs to this chain alone: faults don't touch those. */
export function isControl(method: string): boolean {
  return method.startsWith("devchain_");
}

/** Answers a request. @throws RpcError */
export async function answer(node: Node, faults: Faults, method: string, params: unknown): Promise<unknown> {
  if (isControl(method)) return control(node, faults, method, (params ?? {}) as Params);
  const run = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (!run) throw methodNotFound(method);
  return run(node, params);
}

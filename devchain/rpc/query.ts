/** `query`: accounts, keys, code, state and view calls, at any block that is still known. */
import type { Block } from "../blocks/block.ts";
import { keyFromBytes, parseKey } from "../protocol/keys.ts";
import type { AccessKey, Account, GlobalContractId } from "../protocol/types.ts";
import { globalCodeKey, globalContractIdView } from "../runtime/actions.ts";
import { codeOf, viewCall } from "../runtime/function-call.ts";
import { type Snapshot, splitKey, stateKey } from "../state/workspace.ts";
import {
  type At,
  garbageCollected,
  noContractCode,
  noGlobalContractCode,
  parseError,
  tooLargeState,
  unknownAccount,
} from "./errors.ts";
import { type Node, type Params, stateBlock } from "./reference.ts";
import { accessKeyView, accountView } from "./views.ts";

/** A contract whose keys and values together exceed this can't be listed, as on nodes with the default setting. */
const MAX_VIEWED_STATE_BYTES = 50_000;

interface Query {
  node: Node;
  params: Params;
  block: Block;
  state: Snapshot;
  at: At;
}

export function text(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw parseError(`Failed parsing args: missing field \`${name}\``);
  return value;
}

function base64(params: Params, name: string): Uint8Array {
  const value = text(params, name);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value))
    throw parseError(`Failed parsing args: invalid base64 in \`${name}\``);
  return Buffer.from(value, "base64");
}

const asBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

export function query(node: Node, given: unknown): unknown {
  const params = Array.isArray(given) ? pathQuery(given) : ((given ?? {}) as Params);
  const kind = text(params, "request_type");
  const handler = HANDLERS[kind];
  if (!handler)
    throw parseError(
      `Failed parsing args: unknown variant \`${kind}\`, expected one of ${Object.keys(HANDLERS)
        .map((name) => `\`${name}\``)
        .join(", ")}`,
    );
  const block = stateBlock(node, params);
  const at = { block_height: block.height, block_hash: block.hash };
  return { ...handler({ node, params, block, state: node.chain.stateAt(block.height), at }), ...at };
}

/** The deprecated form `["access_key/alice.near/ed25519:…", ""]`. */
function pathQuery([path, data]: unknown[]): Params {
  const [kind = "", account = "", ...rest] = String(path).split("/");
  const common = { finality: "optimistic", account_id: account };
  if (kind === "account") return { request_type: "view_account", ...common };
  if (kind === "access_key" && rest.length > 0)
    return { request_type: "view_access_key", public_key: rest.join("/"), ...common };
  if (kind === "access_key") return { request_type: "view_access_key_list", ...common };
  if (kind === "contract") return { request_type: "view_state", prefix_base64: "", ...common };
  if (kind === "call")
    return {
      request_type: "call_function",
      method_name: rest.join("/"),
      args_base64: String(data ?? ""),
      ...common,
    };
  throw parseError(`Not able to parse query path: ${String(path)}`);
}

function accountOf({ params, state, at }: Query): { id: string; account: Account } {
  const id = text(params, "account_id");
  const account = state.account(id);
  if (!account) throw unknownAccount(id, at);
  return { id, account };
}

const HANDLERS: Record<string, (query: Query) => object> = {
  view_account: (query) => accountView(accountOf(query).account),
  view_access_key: viewAccessKey,
  view_access_key_list: viewAccessKeys,
  view_code: viewCode,
  view_global_contract_code: (query) => viewGlobalCode(query, { codeHash: text(query.params, "code_hash") }),
  view_global_contract_code_by_account_id: (query) =>
    viewGlobalCode(query, { accountId: text(query.params, "account_id") }),
  view_state: viewState,
  call_function: callFunction,
};

/** A missing key doesn't fail the request: the message is in `result.error`. */
function viewAccessKey(query: Query): object {
  const publicKey = text(query.params, "public_key");
  try {
    parseKey(publicKey);
  } catch (error) {
    throw parseError(`Failed parsing args: ${(error as Error).message}`);
  }
  const key = query.state.accessKey(text(query.params, "account_id"), publicKey);
  if (!key) return { error: `access key ${publicKey} does not exist while viewing`, logs: [] };
  return accessKeyView(key);
}

function viewAccessKeys(query: Query): object {
  const { id } = accountOf(query);
  const keys: object[] = [];
  for (const [key, value] of query.state.scan(stateKey.accessKeys(id)))
    keys.push({
      public_key: keyFromBytes(splitKey(key).rest),
      access_key: accessKeyView(value as AccessKey),
    });
  return { keys };
}

function viewCode(query: Query): object {
  const { id, account } = accountOf(query);
  const found = codeOf(query.state, account);
  if (!found) throw noContractCode(id, query.at);
  return { code_base64: asBase64(found.code), hash: found.codeHash };
}

function viewGlobalCode({ state, at }: Query, id: GlobalContractId): object {
  const hash = state.get<string>(globalCodeKey(id));
  const code = hash === undefined ? undefined : state.code(hash);
  if (!code) throw noGlobalContractCode(globalContractIdView(id), at);
  return { code_base64: asBase64(code), hash };
}

/** Contract data is kept for a shorter time than the rest. */
function requireData({ node, block, at }: Query): void {
  if (block.height < node.chain.dataTailHeight) throw garbageCollected(at);
}

function viewState(query: Query): object {
  requireData(query);
  const { id } = accountOf(query);
  const prefix = Buffer.from(base64(query.params, "prefix_base64")).toString("latin1");
  const values: object[] = [];
  let bytes = 0;
  for (const [key, value] of query.state.scan(stateKey.allData(id) + prefix)) {
    const { rest } = splitKey(key);
    bytes += rest.length + (value as Uint8Array).length;
    if (bytes > MAX_VIEWED_STATE_BYTES) throw tooLargeState(id, query.at);
    values.push({ key: asBase64(rest), value: asBase64(value as Uint8Array) });
  }
  return { values };
}

/** A failed view doesn't fail the request either. */
function callFunction(query: Query): object {
  requireData(query);
  const { node, params, block, state } = query;
  const { id, account } = accountOf(query);
  const method = text(params, "method_name");
  const args = base64(params, "args_base64");
  const outcome = viewCall(node.chain.config, state, account, id, node.chain.facts(block), method, args);
  if (outcome.error)
    return { error: `wasm execution failed with error: ${outcome.error.debug}`, logs: outcome.logs };
  const { returnData, logs } = outcome;
  return { result: returnData.kind === "value" ? [...returnData.value] : [], logs };
}

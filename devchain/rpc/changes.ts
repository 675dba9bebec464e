/** `EXPERIMENTAL_changes`: what a block changed and which transaction or receipt did it. */
import { keyFromBytes } from "../protocol/keys.ts";
import type { AccessKey, Account } from "../protocol/types.ts";
import { type Change, splitKey, stateKey } from "../state/workspace.ts";
import { parseError } from "./errors.ts";
import { type Node, type Params, referencedBlock } from "./reference.ts";
import { accessKeyView, accountView } from "./views.ts";

const ACCOUNT = 0;
const CODE = 1;
const ACCESS_KEY = 2;
const DATA = 9;
const COLUMNS = [ACCOUNT, CODE, ACCESS_KEY, DATA];

interface Read {
  node: Node;
  height: number;
  change: Change;
  accountId: string;
  rest: Uint8Array;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

function view(type: string, read: Read, body: object) {
  const isDeletion = read.change.value === null;
  return {
    cause: read.change.cause,
    type: `${type}_${isDeletion ? "deletion" : "update"}`,
    change: { account_id: read.accountId, ...body },
  };
}

function changeView(column: number, read: Read): unknown {
  const { change, node, height, rest } = read;
  const exists = change.value !== null;
  switch (column) {
    case ACCOUNT:
      return view("account", read, exists ? accountView(change.value as Account) : {});
    case CODE: {
      const code = exists && node.chain.store.code(change.value as string);
      return view("contract_code", read, code ? { code_base64: base64(code) } : {});
    }
    case ACCESS_KEY: {
      const key = exists ? { access_key: accessKeyView(change.value as AccessKey) } : {};
      return view("access_key", read, { public_key: keyFromBytes(rest), ...key });
    }
    default: {
      const value = exists && node.chain.store.read(change.key, height);
      return view("data", read, { key_base64: base64(rest), ...(value && { value_base64: base64(value) }) });
    }
  }
}

function strings(params: Params, name: string): string[] {
  const value = params[name];
  if (!Array.isArray(value)) throw parseError(`Failed parsing args: missing field \`${name}\``);
  return value.map(String);
}

/** Which column a kind of changes is in, and which state keys it asks for. */
function filter(params: Params): { column: number; wants: (key: string, accountId: string) => boolean } {
  const kind = params.changes_type;
  if (kind === "single_access_key_changes") {
    if (!Array.isArray(params.keys)) throw parseError("Failed parsing args: missing field `keys`");
    const keys = new Set(
      params.keys.map((key: { account_id: string; public_key: string }) =>
        stateKey.accessKey(key.account_id, key.public_key),
      ),
    );
    return { column: ACCESS_KEY, wants: (key) => keys.has(key) };
  }
  const columns: Record<string, number> = {
    account_changes: ACCOUNT,
    all_access_key_changes: ACCESS_KEY,
    contract_code_changes: CODE,
    data_changes: DATA,
  };
  const column = columns[String(kind)];
  if (column === undefined) throw parseError(`Failed parsing args: unknown variant \`${String(kind)}\``);
  const accounts = new Set(strings(params, "account_ids"));
  const prefix = Buffer.from(String(params.key_prefix_base64 ?? ""), "base64").toString("latin1");
  const wants = (key: string, accountId: string) =>
    accounts.has(accountId) && (column !== DATA || key.startsWith(stateKey.allData(accountId) + prefix));
  return { column, wants };
}

export function changes(node: Node, params: Params): unknown {
  const block = referencedBlock(node, params);
  const { column, wants } = filter(params);
  const found: unknown[] = [];
  for (const change of block.changes) {
    if (change.key.charCodeAt(0) !== column) continue;
    const { accountId, rest } = splitKey(change.key);
    if (!wants(change.key, accountId)) continue;
    found.push(changeView(column, { node, height: block.height, change, accountId, rest }));
  }
  return { block_hash: block.hash, changes: found };
}

/** Which accounts a block touched, and how. */
export function changesInBlock(node: Node, params: Params): unknown {
  const block = referencedBlock(node, params);
  const names: Record<number, string> = {
    [ACCOUNT]: "account_touched",
    [CODE]: "contract_code_touched",
    [ACCESS_KEY]: "access_key_touched",
    [DATA]: "data_touched",
  };
  const seen = new Set<string>();
  for (const { key } of block.changes) {
    const column = key.charCodeAt(0);
    if (COLUMNS.includes(column))
      seen.add(JSON.stringify({ type: names[column], account_id: splitKey(key).accountId }));
  }
  return { block_hash: block.hash, changes: [...seen].map((text) => JSON.parse(text)) };
}

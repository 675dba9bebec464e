import { UsageError } from "../command.ts";

/** Who holds how many tokens at one block. */
export interface Snapshot {
  readonly contract_address: string;
  /** Null: all tokens of the contract. */
  readonly collection_uuid: string | null;
  readonly block_height: number;
  readonly block_hash: string;
  /** Those with most tokens first. */
  readonly holders: readonly Holder[];
}

/** An account and how many tokens it holds. */
export interface Holder {
  readonly account_id: string;
  readonly tokens: number;
}

/** Tokens asked for at once; fewer where the contract's gas doesn't last for so many. */
const PAGE = 100;

/** A view of a contract that didn't come through: its gas, or its own refusal. */
class ViewFailed extends UsageError {}

/**
 * Reads the holders of any contract that enumerates its tokens (NEP-181), all from one final block.
 * @param onProgress told how many tokens are read, and how many there are
 * @throws UsageError where the account has no contract, or one that doesn't list all of its tokens
 */
export async function contractHolders(
  rpcUrl: string,
  contract: string,
  onProgress: (read: number, total: number) => void = () => {},
): Promise<Snapshot> {
  const node = new Node(rpcUrl);
  const { height, hash } = await node.finalBlock();
  const total = Number(await node.view<string | number>(contract, height, "nft_total_supply", {}));
  const tokens = new Map<string, string>();
  for (let page = PAGE; tokens.size < total; ) {
    const args = { from_index: String(tokens.size), limit: page };
    const found = await node
      .view<NftToken[]>(contract, height, "nft_tokens", args)
      .catch((error: unknown) => {
        if (!(error instanceof ViewFailed) || page === 1) throw error;
        return null;
      });
    if (found === null) {
      page = Math.max(1, Math.floor(page / 4));
      continue;
    }
    const before = tokens.size;
    for (const { token_id, owner_id } of found) tokens.set(token_id, owner_id);
    onProgress(tokens.size, total);
    // There are no more, or the contract begins its list again.
    if (tokens.size === before) break;
  }
  if (tokens.size !== total) {
    throw new UsageError(
      `${contract} says that it has ${total} tokens and lists ${tokens.size}; a snapshot would be wrong.`,
    );
  }
  return {
    contract_address: contract,
    collection_uuid: null,
    block_height: height,
    block_hash: hash,
    holders: countOwners(tokens.values()),
  };
}

/** How many tokens each owner has, those with most first, then by name. */
function countOwners(owners: Iterable<string>): Holder[] {
  const counts = new Map<string, number>();
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts]
    .map(([account_id, tokens]) => ({ account_id, tokens }))
    .sort((one, other) => other.tokens - one.tokens || (one.account_id < other.account_id ? -1 : 1));
}

interface NftToken {
  readonly token_id: string;
  readonly owner_id: string;
}

/** A node's JSON-RPC (https://docs.near.org/api/rpc/introduction). */
class Node {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async finalBlock(): Promise<{ height: number; hash: string }> {
    const { header } = await this.#call<{ header: { height: number; hash: string } }>("block", {
      finality: "final",
    });
    return header;
  }

  /** @throws ViewFailed if the contract fails; UsageError if there is no contract */
  async view<T>(contract: string, height: number, method: string, args: object): Promise<T> {
    const { result, error } = await this.#call<{ result?: number[]; error?: string }>("query", {
      request_type: "call_function",
      block_id: height,
      account_id: contract,
      method_name: method,
      args_base64: Buffer.from(JSON.stringify(args)).toString("base64"),
    });
    if (result === undefined)
      throw new ViewFailed(`${contract} doesn't answer ${method} (NEP-181), so it can't be read: ${error}`);
    return JSON.parse(Buffer.from(result).toString()) as T;
  }

  async #call<T>(method: string, params: object): Promise<T> {
    const response = await fetch(this.#url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: "snapshot", method, params }),
    });
    const { result, error } = (await response.json()) as { result?: T; error?: RpcError };
    if (result !== undefined) return result;
    const name = error?.cause?.name;
    if (name === "UNKNOWN_ACCOUNT" || name === "NO_CONTRACT_CODE") {
      throw new UsageError("There is no contract of this name on the network; check it, and NEAR_RPC_URL.");
    }
    if (name === "CONTRACT_EXECUTION_ERROR")
      throw new ViewFailed(`The contract failed: ${JSON.stringify(error)}`);
    throw new Error(`${new URL(this.#url).origin} answered ${method} with ${JSON.stringify(error)}`);
  }
}

interface RpcError {
  readonly cause?: { readonly name: string };
}

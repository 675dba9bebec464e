/** The embedded chain for tests, to compare the service's view with the chain's. */

/** A JSON-RPC call. @throws Error with the node's own error */
export async function rpc<T>(url: string, method: string, params: unknown = {}): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: "test", method, params }),
  });
  const { result, error } = (await response.json()) as { result?: T & { error?: string }; error?: unknown };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  if (result === undefined) throw new Error(`${method} answered nothing`);
  if (typeof result === "object" && result !== null && typeof result.error === "string")
    throw new Error(result.error);
  return result;
}

/** Result of a contract's view, parsed. */
export async function view<T>(
  url: string,
  contractId: string,
  method: string,
  args: unknown = {},
): Promise<T> {
  const { result } = await rpc<{ result: number[] }>(url, "query", {
    request_type: "call_function",
    finality: "final",
    account_id: contractId,
    method_name: method,
    args_base64: btoa(JSON.stringify(args)),
  });
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(result))) as T;
}

/** Any key: the account only has to exist. */
const SOME_KEY = "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847";

/** An account that can receive payments and mints. */
export const createAccount = (
  url: string,
  accountId: string,
  publicKey = SOME_KEY,
  balance = `${10n ** 25n}`,
) => rpc(url, "devchain_create_account", { account_id: accountId, public_key: publicKey, balance });

/** An account's state on the chain, or null. */
export async function account(url: string, accountId: string): Promise<{ amount: string } | null> {
  try {
    return await rpc(url, "query", {
      request_type: "view_account",
      finality: "final",
      account_id: accountId,
    });
  } catch (error) {
    if (/UNKNOWN_ACCOUNT|does not exist/.test(String(error))) return null;
    throw error;
  }
}

/**
 * Wallets that say by themselves that they are there, the way near-connect takes injected ones: each dispatches
 * `near-wallet-injected`, at once and whenever `near-selector-ready` comes.
 */

/** A call of a contract as near-connect's wallets take it. */
export interface FunctionCall {
  readonly type: "FunctionCall";
  readonly params: {
    readonly methodName: string;
    readonly args: object;
    /** Units of gas and yoctoNEAR, decimal strings. */
    readonly gas: string;
    readonly deposit: string;
  };
}

/** What this page uses of a wallet. */
export interface Wallet {
  readonly manifest: { readonly id: string; readonly name: string };
  signIn(input: { network: string }): Promise<readonly { readonly accountId: string }[]>;
  getAccounts(input: { network: string }): Promise<readonly { readonly accountId: string }[]>;
  signOut(input: { network: string }): Promise<void>;
  signAndSendTransaction(input: {
    network: string;
    signerId: string;
    receiverId: string;
    actions: readonly FunctionCall[];
  }): Promise<unknown>;
}

/** Calls back with each wallet that announces itself, once. */
export function onWallet(found: (wallet: Wallet) => void): void {
  const known = new Set<string>();
  window.addEventListener("near-wallet-injected", (event) => {
    const wallet = (event as CustomEvent<Wallet>).detail;
    if (known.has(wallet.manifest.id)) return;
    known.add(wallet.manifest.id);
    found(wallet);
  });
  window.dispatchEvent(new Event("near-selector-ready"));
}

/** A transaction's hash: base58 of 32 bytes. */
const HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The hash within what a wallet answers, whose forms differ; null where there is none. */
export function hashIn(answer: unknown): string | null {
  if (typeof answer === "string") return HASH.test(answer) ? answer : null;
  if (typeof answer !== "object" || answer === null) return null;
  const { transaction, transaction_outcome: outcome, transactions } = answer as Record<string, unknown>;
  if (Array.isArray(transactions)) return hashIn(transactions[0]);
  const named =
    (transaction as { hash?: unknown } | undefined)?.hash ?? (outcome as { id?: unknown } | undefined)?.id;
  return typeof named === "string" ? hashIn(named) : null;
}

/** Why a wallet didn't do what it was asked for: wallets throw errors, texts, objects with a message, and nothing. */
export function reasonOf(thrown: unknown): string {
  const said =
    typeof thrown === "object" && thrown !== null ? (thrown as { message?: unknown }).message : thrown;
  return typeof said === "string" && said !== "" ? said : "it gave no reason.";
}

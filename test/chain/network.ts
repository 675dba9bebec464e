/**
 * The network under test: the one that `npm run test:chain -- --rpc … --account …` names, or an embedded chain
 * started for the test file. Tests see only its URL, an account with funds and that account's key.
 */
import { randomBytes } from "node:crypto";
import { base58 } from "@scure/base";
import {
  Account,
  type Action,
  actions,
  createTransaction,
  JsonRpcProvider,
  KeyPair,
  KeyPairSigner,
  type KeyPairString,
} from "near-api-js";
import { afterAll, beforeEach } from "vitest";
import { type Devchain, type DevchainOptions, startDevchain } from "../../devchain/index.ts";

export interface Network {
  url: string;
  provider: JsonRpcProvider;
  /** An account with funds. */
  funder: Account;
  /** The embedded chain, where it is one. */
  devchain?: Devchain;
}

export const NEAR = 10n ** 24n;
export const TGAS = 10n ** 12n;

/** Whether the suite runs against a network that isn't ours: what only an embedded chain can do is skipped. */
export const isRemote = Boolean(process.env.CHAIN_TEST_RPC);

/** Full titles of tests that have passed before. */
const passed = new Set<string>(JSON.parse(process.env.CHAIN_TEST_PASSED ?? "[]"));

if (isRemote) {
  beforeEach(({ task, skip }) => {
    skip(passed.has(task.fullTestName), "passed before");
  });
}

/** Retries of near-api-js itself would hide what a node answers. */
const RETRIES = { retries: 1 };

/** Connects at the start of a test file; an embedded chain ends with the file. */
export async function connect(options: DevchainOptions = {}): Promise<Network> {
  const network = await openNetwork(options);
  afterAll(() => network.devchain?.close());
  return network;
}

/** As `connect`, for one test, which closes an embedded chain itself. */
export async function openNetwork(options: DevchainOptions = {}): Promise<Network> {
  const { CHAIN_TEST_RPC: url, CHAIN_TEST_ACCOUNT: accountId, CHAIN_TEST_KEYS: keys } = process.env;
  if (url && accountId && keys) {
    const provider = new JsonRpcProvider({ url });
    const key = (JSON.parse(keys) as string[])[Number(process.env.VITEST_POOL_ID) - 1];
    if (key === undefined) throw new Error("there are more workers than keys");
    return { url, provider, funder: new Account(accountId, provider, signer(key)) };
  }
  const pair = KeyPair.fromRandom("ed25519");
  const devchain = await startDevchain({
    blockMs: 60,
    // Longer than a busy machine may take for a few blocks: only a hang runs into it.
    pollingTimeoutMs: 60_000,
    accounts: [
      { accountId: "funder.test", publicKey: pair.getPublicKey().toString(), balance: 1_000_000n * NEAR },
    ],
    ...options,
  });
  const provider = new JsonRpcProvider({ url: devchain.url }, RETRIES);
  const funder = new Account("funder.test", provider, new KeyPairSigner(pair));
  return { url: devchain.url, provider, funder, devchain };
}

function signer(key: string): KeyPairSigner {
  return KeyPairSigner.fromSecretKey(key as KeyPairString);
}

/** A sub-account of the funder with a new key, and that key. */
export async function newAccount(
  { funder, provider }: Network,
  balance: bigint,
  more: Action[] = [],
): Promise<{ account: Account; pair: KeyPair }> {
  const accountId = `${randomBytes(6).toString("hex")}.${funder.accountId}`;
  const pair = KeyPair.fromRandom("ed25519");
  await transact(funder, accountId, [
    actions.createAccount(),
    actions.transfer(balance),
    actions.addFullAccessKey(pair.getPublicKey()),
    ...more,
  ]);
  return { account: new Account(accountId, provider, new KeyPairSigner(pair)), pair };
}

/** One executed receipt, as far as the suite looks at it. */
interface ReceiptResult {
  executor: string;
  gas: number;
  logs: string[];
  status: unknown;
}

export interface Result {
  hash: string;
  /** The value that the transaction came to; undefined if it failed. */
  value?: Buffer;
  failure?: unknown;
  conversionGas: number;
  receipts: ReceiptResult[];
  blockHash: string;
}

/** Sends a transaction and waits until all of it is final. Failures on the chain are part of the result. */
export async function attempt(account: Account, receiverId: string, batch: Action[]): Promise<Result> {
  const outcome = await account.signAndSendTransaction({
    receiverId,
    actions: batch,
    waitUntil: "FINAL",
    throwOnFailure: false,
  });
  if (!("status" in outcome)) throw new Error("a final transaction has a status");
  const status = outcome.status as { SuccessValue?: string; Failure?: unknown };
  return {
    hash: outcome.transaction.hash,
    value: status.SuccessValue === undefined ? undefined : Buffer.from(status.SuccessValue, "base64"),
    failure: status.Failure,
    conversionGas: Number(outcome.transaction_outcome.outcome.gas_burnt),
    blockHash: outcome.transaction_outcome.block_hash,
    receipts: outcome.receipts_outcome.map(({ outcome: { executor_id, gas_burnt, logs, status } }) => ({
      executor: executor_id,
      gas: Number(gas_burnt),
      logs,
      status,
    })),
  };
}

/** As `attempt`, for what has to succeed. */
export async function transact(account: Account, receiverId: string, batch: Action[]): Promise<Result> {
  const result = await attempt(account, receiverId, batch);
  if (result.failure) throw new Error(`the transaction failed: ${JSON.stringify(result.failure)}`);
  return result;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are compared, not used, and a wrong field fails its comparison
export type Json = any;

/** A raw JSON-RPC request: the HTTP status and the whole answer. */
export async function rpc(
  url: string,
  method: string,
  params: unknown,
): Promise<{ status: number; body: { result?: Json; error?: Json } }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: "test", method, params }),
  });
  return { status: response.status, body: (await response.json()) as { result?: Json; error?: Json } };
}

/** A transaction signed with a nonce and base block of the test's choosing. */
export async function signed(
  pair: KeyPair,
  signerId: string,
  receiverId: string,
  nonce: bigint,
  blockHash: string,
  batch: Action[],
): Promise<{ base64: string; hash: string }> {
  const tx = createTransaction(
    signerId,
    pair.getPublicKey(),
    receiverId,
    nonce,
    batch,
    base58.decode(blockHash),
  );
  const { signedTransaction, txHash } = await new KeyPairSigner(pair).signTransaction(tx);
  return { base64: Buffer.from(signedTransaction.encode()).toString("base64"), hash: base58.encode(txHash) };
}

export async function finalBlock(url: string): Promise<{ hash: string; height: number }> {
  const { body } = await rpc(url, "block", { finality: "final" });
  return body.result.header;
}

export async function keyNonce(url: string, accountId: string, pair: KeyPair): Promise<bigint> {
  const { body } = await rpc(url, "query", {
    request_type: "view_access_key",
    finality: "optimistic",
    account_id: accountId,
    public_key: pair.getPublicKey().toString(),
  });
  return BigInt(body.result.nonce);
}

export { actions };

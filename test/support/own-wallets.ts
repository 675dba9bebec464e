import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import { settingsOf } from "../../src/env.ts";
import { retry } from "../../src/waiting.ts";
import { walletOf as objectOf } from "../../src/wallet/client.ts";
import type { Action, Intent, TransactionRecord, Wallet } from "../../src/wallet/interface.ts";
import type { WalletObject } from "../../src/wallet/object.ts";
import { SERVICES_NODE } from "./chain-control.ts";
import { keyOf } from "./keys.ts";
import { ENOUGH, until } from "./waiting.ts";

// What the wallet's object takes and returns, and calls that the service has it sign.
export { mintAsset, mintBatch, type Override, updateCollection } from "../../src/chain/contract/calls.ts";
export { type Action, type Intent, newUuid, type TransactionRecord, type Uuid, type Wallet };

const NEAR = 10n ** 24n;

/** A wallet with the methods by which its object sends an operation's steps. */
export type StepWallet = Wallet & Pick<WalletObject, "submit" | "recordsAtEnd">;

/** The object of an integration's wallet, or the platform's, called directly: the API shows only what comes of it. */
export const walletOf = (of: string): StepWallet => {
  // An exception breaks a stub, and a killed object answers the next call.
  const again = <T>(call: (object: StepWallet) => Promise<T>): Promise<T> =>
    retry({ tries: 5, firstPauseMs: 50 }, () => call(env.WALLET.getByName(of) as unknown as StepWallet));
  return {
    ...objectOf(env, of as Uuid | "platform"),
    submit: (...wanted) => again((object) => object.submit(...wanted)),
    recordsAtEnd: (...operation) => again((object) => object.recordsAtEnd(...operation)),
  };
};

/** A transaction that a test sends, as a separate operation. */
export const intent = (
  actions: readonly Action[],
  receiverId: string,
  operationUuid: string = newUuid(),
  step = "one",
): Intent => ({ operationUuid: operationUuid as Uuid, step, fairnessKey: "test", receiverId, actions });

/** A payment in yoctoNEAR. */
export const payment = (receiverId: string, amount = "1"): Intent =>
  intent([{ kind: "transfer", deposit: amount }], receiverId);

/** Hands an intent to a wallet and waits until it is over. */
export const carriedOut = async (wallet: StepWallet, wanted: Intent): Promise<TransactionRecord> => {
  const answer = await wallet.submit(wanted);
  if (answer.status !== "accepted") throw new Error(`the wallet refused: ${JSON.stringify(answer)}`);
  const [record] = await wallet.recordsAtEnd(wanted.operationUuid, ENOUGH);
  return record!;
};

/** A signed transaction's record. */
type SignedRecord = TransactionRecord & { readonly result: NonNullable<TransactionRecord["result"]> };

/** The record of an operation's only transaction a second after it was handed over, or as soon as it is signed later. */
export const signedRecord = async (
  wallet: Pick<StepWallet, "recordsAtEnd">,
  operation: Uuid,
): Promise<SignedRecord> => {
  for (;;) {
    const [record] = await wallet.recordsAtEnd(operation, 1_000);
    if (record?.result) return { ...record, result: record.result };
  }
};

/**
 * Uses a nonce of the platform's key for a payment of 1,000 yoctoNEAR that its wallet knows nothing of, by another node
 * than the service's, and waits until it is final.
 */
export const useNonceOfPlatform = async (receiverId: string, nonce: bigint): Promise<void> => {
  const key = keyOf(settingsOf(env).PLATFORM_PRIVATE_KEY);
  const deposit = "1000";
  await key.send(env.PLATFORM_ACCOUNT_ID, receiverId, [{ kind: "transfer", deposit }], nonce);
};

/** Creates a sub-account of the platform with a full-access key. */
export const createSubAccount = async (
  accountId: string,
  publicKey: Uint8Array,
  deposit = NEAR,
): Promise<void> => {
  const creation = intent(
    [
      { kind: "create_account" },
      { kind: "transfer", deposit: deposit.toString() },
      { kind: "add_full_access_key", publicKey },
    ],
    accountId,
  );
  const { state } = await carriedOut(walletOf("platform"), creation);
  if (state !== "succeeded") throw new Error(`${accountId} could not be made: ${state}`);
};

/** An account that only receives, so that its balance counts effects. */
export const createReceiver = async (): Promise<string> => {
  const accountId = `r${newUuid().slice(-8)}.${env.PLATFORM_ACCOUNT_ID}`;
  await createSubAccount(accountId, crypto.getRandomValues(new Uint8Array(32)));
  return accountId;
};

/** A wallet with a separate account. */
interface OwnWallet {
  readonly uuid: Uuid;
  readonly accountId: string;
  readonly wallet: StepWallet;
}

/** Creates a wallet with account and key, ready to sign. */
export const createWallet = async (deposit = 10n * NEAR): Promise<OwnWallet> => {
  const uuid = newUuid();
  const accountId = `w${uuid.slice(-8)}.${env.PLATFORM_ACCOUNT_ID}`;
  const wallet = walletOf(uuid);
  const { publicKey } = await wallet.prepareKey(accountId);
  await createSubAccount(accountId, publicKey, deposit);
  await wallet.activate();
  return { uuid, accountId, wallet };
};

/** Rows of a wallet's journal. */
export const journalRows = <T extends Record<string, SqlStorageValue>>(
  uuid: string,
  sql: string,
  ...values: SqlStorageValue[]
): Promise<T[]> =>
  runInDurableObject(env.WALLET.getByName(uuid), (_, { storage }) =>
    storage.sql.exec<T>(sql, ...values).toArray(),
  );

/** The service's node has dropped outcomes of transactions, and the blocks that would prove them. */
export const FORGETFUL = [
  { kind: "unknown_transaction", node: SERVICES_NODE },
  { kind: "lag", methods: ["EXPERIMENTAL_changes"], blocks: 10_000_000, node: SERVICES_NODE },
];

/** The steps of an operation that its wallet has, in any state. */
export const stepsOf = async (name: string, operation: string): Promise<string[]> =>
  (await walletOf(name).transactions(operation as Uuid)).map(({ step }) => step);

/** Has a wallet look at its rows without pauses until it gives the operation up. */
export const givenUp = async (name: string, operation: string): Promise<void> => {
  const wallet = walletOf(name);
  await until(async () => {
    await runInDurableObject(env.WALLET.getByName(name), (_, { storage: { sql } }) => {
      sql.exec("UPDATE signed SET ask_at = 0 WHERE state = 'open'");
    });
    await wallet.reconcile();
    return (await wallet.transactions(operation as Uuid)).some(({ state }) => state === "unknown");
  });
};

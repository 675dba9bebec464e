import { baseEncode } from "near-api-js";
import * as queries from "../db/queries/integrations.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Uuid } from "../domain/ids.ts";
import { walletOf } from "../wallet/client.ts";
import type { TransactionRecord, WalletStatus } from "../wallet/interface.ts";
import type { ServiceContext } from "./context.ts";
import { requireIntegration } from "./integrations.ts";

/** A wallet as the operator sees it. */
export interface WalletView {
  readonly account_id: string;
  /** `ed25519:<base58>`. */
  readonly public_key: string;
  /** yoctoNEAR; null where no node answers. */
  readonly balance: string | null;
  readonly lanes: readonly {
    readonly public_key: string;
    readonly kind: "full_access" | "function_call";
    readonly open: number;
  }[];
  /** Intents that wait to be signed, and transactions that are on their way. */
  readonly queued: number;
  readonly open: number;
  readonly stuck: readonly StuckView[];
}

/** A transaction that needs the operator's eyes. */
export interface StuckView {
  readonly operation_uuid: Uuid;
  readonly step: string;
  readonly state: string;
  readonly transaction: TransactionRecord["result"];
}

const stuckView = (record: TransactionRecord): StuckView => ({
  operation_uuid: record.operationUuid,
  step: record.step,
  state: record.state,
  transaction: record.result,
});

const walletView = (status: WalletStatus): WalletView => ({
  account_id: status.accountId,
  public_key: `ed25519:${baseEncode(status.publicKey)}`,
  balance: status.balance,
  lanes: status.lanes.map(({ publicKey, ...lane }) => ({ public_key: publicKey, ...lane })),
  queued: status.queued,
  open: status.open,
  stuck: status.stuck.map(stuckView),
});

/** An integration's wallet. @throws ServiceError not_found, conflict where it has none yet */
export const readWallet = async (context: ServiceContext, integrationId: Uuid): Promise<WalletView> => {
  const row = await requireIntegration(context, integrationId);
  if (row.walletAccountId === null) throw noWallet();
  return walletView(await walletOf(context.env, integrationId).status());
};

/** The platform account's wallet. */
export const readPlatform = async (context: ServiceContext): Promise<WalletView> =>
  walletView(await walletOf(context.env, "platform").status());

const noWallet = () => new ServiceError("conflict", "This integration has no wallet yet. Create it first.");

/**
 * Puts the key back into a wallet object that was lost, from the sealed copy. An object that still has its key
 * keeps it. @throws ServiceError not_found, conflict where there is no copy
 */
export const restoreWallet = async (context: ServiceContext, integrationId: Uuid): Promise<WalletView> => {
  const row = await requireIntegration(context, integrationId);
  const { walletAccountId, walletSecret, walletSecretVersion } = row;
  if (walletAccountId === null || walletSecret === null || walletSecretVersion === null) throw noWallet();
  const wallet = walletOf(context.env, integrationId);
  await wallet.restore(walletAccountId, walletSecret, walletSecretVersion);
  return walletView(await wallet.status());
};

/** What a round of secret rotation did. */
export interface RotationView {
  /** The version of WALLET_SECRETS that seals now. */
  readonly version: number;
  readonly resealed: readonly Uuid[];
  readonly failed: readonly { readonly integration_uuid: Uuid; readonly message: string }[];
  /** Wallets still under an older version; call again until it is 0, then drop the old secret. */
  readonly remaining: number;
}

/** Wallets of one round: each is a call to its own object. */
const ROUND = 200;

/**
 * Seals wallets' keys anew under the newest version of the secret, a bounded number at once. Safe to repeat: a wallet
 * that is sealed already is not touched.
 */
export const rotateSecrets = async (context: ServiceContext): Promise<RotationView> => {
  const { db, env, settings } = context;
  const version = Math.max(...Object.keys(settings.WALLET_SECRETS).map(Number));
  await walletOf(env, "platform").reseal();
  const resealed: Uuid[] = [];
  const failed: { integration_uuid: Uuid; message: string }[] = [];
  for (const { id } of await queries.sealedBefore(db, version, ROUND)) {
    try {
      const { sealed, secretVersion } = await walletOf(env, id).reseal();
      await queries.storeSealed(db, id, sealed, secretVersion, context.now());
      resealed.push(id);
    } catch (error) {
      context.log("wallet.reseal_failed", { integration_uuid: id, error: String(error) });
      failed.push({ integration_uuid: id, message: "It could not be sealed anew; the log says why." });
    }
  }
  return { version, resealed, failed, remaining: await queries.countSealedBefore(db, version) };
};

/** An operation that was touched this long ago and is not over has something to look at. Milliseconds. */
const OLD_AFTER_MS = 120_000;
/** Wallets that one listing asks. */
const ASKED_AT_ONCE = 100;

/** Transactions that have not landed for long, or whose outcome can't be proven, over all wallets. */
export const listStuck = async (
  context: ServiceContext,
): Promise<(StuckView & { readonly integration_uuid: Uuid | null })[]> => {
  const since = new Date(context.now().getTime() - OLD_AFTER_MS);
  const ids = await queries.withOldOperations(context.db, since, ASKED_AT_ONCE);
  const platform = await walletOf(context.env, "platform").status();
  const found = platform.stuck.map((record) => ({ integration_uuid: null, ...stuckView(record) }));
  const others = await Promise.all(
    ids.map(async (id) => {
      const { stuck } = await walletOf(context.env, id).status();
      return stuck.map((record) => ({ integration_uuid: id, ...stuckView(record) }));
    }),
  );
  return [...found, ...others.flat()];
};

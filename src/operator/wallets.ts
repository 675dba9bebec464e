import { eq, type SQL, sql } from "drizzle-orm";
import { baseEncode } from "near-api-js";
import type { Rotation, StuckTransaction, WalletShown } from "../api/resources/wallet.ts";
import type { ServiceContext } from "../context.ts";
import type { IntegrationRow } from "../db/queries/integrations.ts";
import { integrationIds, setInactive } from "../db/queries/integrations.ts";
import { readSweep, writeSweep } from "../db/queries/sweeps.ts";
import { integrations } from "../db/schema/index.ts";
import { DATABASE_RETRY_AFTER, ServiceError, secretMissing } from "../domain/errors.ts";
import { toHex, type Uuid } from "../domain/ids.ts";
import { missingVersion, newestVersion } from "../domain/sealing.ts";
import { resealWebhooks } from "../events/webhooks/secrets.ts";
import { walletOf } from "../wallet/client.ts";
import type { TransactionRecord, WalletStatus } from "../wallet/interface.ts";
import { resealOrders } from "./hidden-orders.ts";
import { requireIntegration } from "./integrations.ts";

export type Stuck = Omit<StuckTransaction, "integration_uuid">;

export const toStuck = (record: TransactionRecord) => ({
  operation_uuid: record.operationUuid,
  step: record.step,
  state: record.state,
  transaction: record.result,
});

const toWallet = (
  status: WalletStatus,
  { accountId, publicKey }: Pick<WalletStatus, "accountId" | "publicKey"> = status,
): WalletShown => ({
  state: status.state,
  account_id: accountId,
  public_key: `ed25519:${baseEncode(publicKey)}`,
  balance: status.balance,
  lanes: status.lanes.map(({ publicKey, ...lane }) => ({ public_key: publicKey, ...lane })),
  queued: status.queued,
  open: status.open,
  stuck: status.stuck.map(toStuck),
  lost_operations: status.lost.map(({ operationUuid, key }) => ({
    operation_uuid: operationUuid,
    idempotency_key: key,
  })),
});

/** An integration's wallet. @throws ServiceError not_found, conflict where it has none yet */
export const readWallet = async (context: ServiceContext, integrationId: Uuid): Promise<WalletShown> => {
  const { walletAccountId, walletPublicKey } = await requireIntegration(context, integrationId);
  if (walletAccountId === null || walletPublicKey === null) throw noWallet();
  const status = await statusOf(context, integrationId);
  return toWallet(status, { accountId: walletAccountId, publicKey: walletPublicKey });
};

export const readPlatform = async (context: ServiceContext): Promise<WalletShown> =>
  toWallet(await walletOf(context.env, "platform").status());

/** Its object's answer. @throws ServiceError not_configured, database_unavailable where the object fails at each call */
const statusOf = async ({ env }: ServiceContext, integrationId: Uuid): Promise<WalletStatus> => {
  try {
    return await walletOf(env, integrationId).status();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const version = missingVersion(error);
    if (version !== null) throw secretMissing(version, error);
    throw new ServiceError(
      "database_unavailable",
      'This wallet\'s object fails at each call; the log says why. Try again in a minute. If that lasts, see "A wallet object that is lost" in docs/running.md.',
      { retryable: true, retryAfter: DATABASE_RETRY_AFTER, cause: error },
    );
  }
};

/** @returns the error for what needs a wallet of an integration that has none */
export const noWallet = (): ServiceError =>
  new ServiceError("conflict", "This integration has no wallet yet. Create it first.");

/**
 * Restores the key of a lost wallet object from the sealed copy; one that has its key keeps it. The wallet signs nothing until
 * `activateWallet`. Its ledger gets back what D1 and R2 have of it. @throws ServiceError not_found, conflict if there is no copy, or its version of WALLET_SECRETS is missing
 */
export const restoreWallet = async (context: ServiceContext, integrationId: Uuid): Promise<WalletShown> => {
  const integration = await requireIntegration(context, integrationId);
  await statusOf(context, integrationId);
  if ((await restoredKey(context, integration)) === null) throw noWallet();
  const wallet = walletOf(context.env, integrationId);
  let part = await wallet.restoreLedger(integrationId);
  // Each call resumes where the previous one stopped, and so does a request that repeats this one.
  while (!part.isDone) part = await wallet.restoreLedger(integrationId);
  return toWallet(await wallet.status());
};

/** A wallet's stored key, restored in its object if lost; null: none. @throws ServiceError conflict (WALLET_SECRETS) */
export const restoredKey = async (
  { env, settings }: ServiceContext,
  { id, walletAccountId, walletPublicKey, walletSecret, walletSecretVersion }: IntegrationRow,
): Promise<Uint8Array | null> => {
  if (walletAccountId === null || walletPublicKey === null) return null;
  if (walletSecret === null || walletSecretVersion === null) return null;
  const wallet = walletOf(env, id);
  const { publicKey } = await wallet.status();
  if (toHex(publicKey) === toHex(walletPublicKey)) return publicKey;
  if (settings.WALLET_SECRETS[walletSecretVersion] === undefined) {
    throw new ServiceError(
      "conflict",
      `Add version ${walletSecretVersion} to WALLET_SECRETS again: this wallet's key is sealed under it.`,
    );
  }
  const restored = await wallet.restore(walletAccountId, walletSecret, walletSecretVersion);
  if (toHex(restored.publicKey) === toHex(walletPublicKey)) return restored.publicKey;
  throw new Error(`the object of wallet ${walletAccountId} has another key than the database`);
};

/**
 * Lets a restored wallet sign again. Operations from before are not signed, because their records may be lost; they end as
 * `unknown`. @throws ServiceError not_found, conflict if the object has no key or its account is not made yet
 */
export const activateWallet = async (context: ServiceContext, integrationId: Uuid): Promise<WalletShown> => {
  const row = await requireIntegration(context, integrationId);
  const wallet = walletOf(context.env, integrationId);
  const { state } = await statusOf(context, integrationId);
  // One that was lost while its account was being made: its ledger has to continue before that can be repeated.
  if (row.walletState !== "ready" && state !== "restored") throw noWallet();
  if (state === "empty")
    throw new ServiceError("conflict", "This wallet has lost its key. Restore it first.");
  if (state === "prepared" || state === "restored") {
    if (!(await wallet.activate()))
      throw new ServiceError("conflict", "This wallet's ledger has forgotten something. Restore it first.");
    await setInactive(context.db, integrationId, null);
    context.log("wallet.activated", { integration_uuid: integrationId });
  }
  return toWallet(await wallet.status());
};

/** Wallets of one call, and how many at once; each is a call to its own object. */
const ROUND = 200;
const AT_ONCE = 20;

const SWEEP = "secret_rotation";

/** Seals keys and webhooks' secrets again under the newest version, some a call. A failure doesn't block others. */
export const rotateSecrets = async (context: ServiceContext): Promise<Rotation> => {
  const { db, env, settings } = context;
  const version = newestVersion(settings.WALLET_SECRETS);
  await walletOf(env, "platform").reseal();
  const ids = await nextSealedBefore(context, version);
  const [resealed, failed]: [Uuid[], Uuid[]] = [[], []];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const part = ids.slice(at, at + AT_ONCE);
    const sealed = await Promise.all(part.map((id) => sealAnew(context, id)));
    for (const [index, id] of part.entries()) (sealed[index] ? resealed : failed).push(id);
  }
  const message = "Its key could not be sealed again; the log says why.";
  const remaining = await db.$count(integrations, isSealedBefore(version));
  return {
    version,
    resealed,
    failed: failed.map((integration_uuid) => ({ integration_uuid, message })),
    remaining,
    webhooks: await resealWebhooks(context),
    reveals: await resealOrders(context),
  };
};

/** Condition: an integration's key is sealed under an older version. */
const isSealedBefore = (version: number): SQL =>
  sql`wallet_secret IS NOT NULL AND wallet_secret_version < ${version}`;

/** The wallets of this call: those after the last call's, or from the beginning. */
const nextSealedBefore = async (context: ServiceContext, version: number): Promise<Uuid[]> => {
  const { db } = context;
  const after = (await readSweep(db, SWEEP)) as Uuid | null;
  const which = isSealedBefore(version);
  let ids = await integrationIds(db, { which, after }, ROUND);
  if (ids.length === 0 && after !== null) ids = await integrationIds(db, { which }, ROUND);
  const last = ids.length < ROUND ? null : (ids.at(-1) ?? null);
  await writeSweep(db, SWEEP, last, context.now());
  return ids;
};

/** Has a wallet seal its key again and stores the copy. @returns whether it succeeded */
const sealAnew = async ({ db, env, now, log }: ServiceContext, id: Uuid): Promise<boolean> => {
  try {
    const { sealed, secretVersion } = await walletOf(env, id).reseal();
    await db
      .update(integrations)
      .set({ walletSecret: sealed, walletSecretVersion: secretVersion, updatedAt: now() })
      .where(eq(integrations.id, id));
    return true;
  } catch (error) {
    log("wallet.reseal_failed", { integration_uuid: id, error });
    return false;
  }
};

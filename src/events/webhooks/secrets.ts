import type { ServiceContext } from "../../context.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import type { WebhookRow } from "../../db/queries/webhooks.ts";
import * as queries from "../../db/queries/webhooks.ts";
import type { Uuid } from "../../domain/ids.ts";
import { newestVersion, seal, unseal } from "../../domain/sealing.ts";

const SECRET_BYTES = 32;
const PREFIX = "whsec_";

type Settings = Pick<ServiceContext, "settings">;

/** What the database keeps of an endpoint's secrets. */
type Sealed = Pick<WebhookRow, "secret" | "oldSecret" | "oldSecretUntil" | "secretVersion">;

/** A secret as its owner is shown it (https://www.standardwebhooks.com, "Signature scheme"). */
export const shownSecret = (secret: Uint8Array): string => PREFIX + Buffer.from(secret).toString("base64");

/** A new secret, and how the database keeps it. */
export const newSecret = async ({ settings }: Settings, webhook: Uuid) => {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const { bytes, version } = await seal(secret, nameOf(webhook), settings.WALLET_SECRETS);
  return { secret, sealed: { secret: bytes, secretVersion: version } };
};

/** The secrets that sign for an endpoint now, the newest first. */
export const secretsOf = async (
  { settings, now }: Pick<ServiceContext, "settings" | "now">,
  { id, secret, oldSecret, oldSecretUntil, secretVersion: version }: Sealed & Pick<WebhookRow, "id">,
): Promise<Uint8Array[]> => {
  const isOldInForce = oldSecretUntil !== null && oldSecretUntil > now();
  const sealed = oldSecret !== null && isOldInForce ? [secret, oldSecret] : [secret];
  return Promise.all(sealed.map((bytes) => unseal({ bytes, version }, nameOf(id), settings.WALLET_SECRETS)));
};

/** A new secret beside the one that an endpoint has, both sealed under the newest version. */
export const replacedSecret = async (context: ServiceContext, row: WebhookRow) => {
  const { secret, sealed } = await newSecret(context, row.id);
  const { secret: oldSecret } = await sealedAnew(context, { ...row, oldSecret: null });
  return { secret, sealed: { ...sealed, oldSecret } };
};

/** An endpoint's secrets under the newest version; one that signs no longer is left out. */
const sealedAnew = async (
  context: ServiceContext,
  row: WebhookRow,
): Promise<Pick<Sealed, "secret" | "oldSecret" | "secretVersion">> => {
  const { WALLET_SECRETS: secrets } = context.settings;
  const sealed = await Promise.all(
    (await secretsOf(context, row)).map((secret) => seal(secret, nameOf(row.id), secrets)),
  );
  const [current, old] = sealed;
  if (!current) throw new Error(`webhook ${row.id} has no secret`);
  return { secret: current.bytes, oldSecret: old?.bytes ?? null, secretVersion: current.version };
};

/** Endpoints of one round. */
const ROUND = 500;

const SWEEP = "webhook_secret_rotation";

/** What a round over the endpoints' secrets did. */
export interface SecretsResealed {
  /** How many were sealed again. */
  readonly resealed: number;
  /** Those that do not open; the log says why. */
  readonly failed: readonly Uuid[];
  /** How many are under an older version still. */
  readonly remaining: number;
}

/**
 * Seals endpoints' secrets again under the newest version, a bounded number a call. A round goes on behind the last, so
 * that secrets which don't open keep no other from its turn.
 */
export const resealWebhooks = async (context: ServiceContext): Promise<SecretsResealed> => {
  const { db, settings, log } = context;
  const version = newestVersion(settings.WALLET_SECRETS);
  const failed: Uuid[] = [];
  let resealed = 0;
  for (const row of await nextRound(context, version)) {
    try {
      await queries.storeSecrets(db, row, await sealedAnew(context, row));
      resealed++;
    } catch (error) {
      log("webhook.reseal_failed", { webhook_uuid: row.id, error });
      failed.push(row.id);
    }
  }
  return { resealed, failed, remaining: await queries.countSecretsBefore(db, version) };
};

const nextRound = async ({ db, now }: ServiceContext, version: number): Promise<WebhookRow[]> => {
  const kept = await readSweep(db, SWEEP);
  const after = kept === null ? null : (JSON.parse(kept) as queries.SecretPlace);
  let rows = await queries.secretsBefore(db, version, after, ROUND);
  if (rows.length === 0 && after !== null) rows = await queries.secretsBefore(db, version, null, ROUND);
  const last = rows.length < ROUND ? undefined : rows.at(-1);
  const place = last && ({ version: last.secretVersion, id: last.id } satisfies queries.SecretPlace);
  await writeSweep(db, SWEEP, place ? JSON.stringify(place) : null, now());
  return rows;
};

/** No account id has a space, so that no wallet's copy passes for an endpoint's. */
const nameOf = (webhook: Uuid): string => `webhook ${webhook}`;

import { and, asc, eq, lt, sql } from "drizzle-orm";
import type { Rotation } from "../../api/resources/wallet.ts";
import type { ServiceContext } from "../../context.ts";
import type { Database } from "../../db/client.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { type WebhookRow, webhooks } from "../../db/schema/events.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { newestVersion, seal, unseal } from "../../domain/sealing.ts";

const SECRET_BYTES = 32;
const PREFIX = "whsec_";

type Settings = Pick<ServiceContext, "settings">;

type Sealed = Pick<WebhookRow, "secret" | "oldSecret" | "oldSecretUntil" | "secretVersion">;

/** A secret in the form for its owner (https://www.standardwebhooks.com, "Signature scheme"). */
export const shownSecret = (secret: Uint8Array): string => PREFIX + Buffer.from(secret).toString("base64");

export const newSecret = async ({ settings }: Settings, webhook: Uuid) => {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const { bytes, version } = await seal(secret, nameOf(webhook), settings.WALLET_SECRETS);
  return { secret, sealed: { secret: bytes, secretVersion: version } };
};

/** The valid secrets of an endpoint, the newest first. */
export const secretsOf = async (
  { settings, now }: Pick<ServiceContext, "settings" | "now">,
  { id, secret, oldSecret, oldSecretUntil, secretVersion: version }: Sealed & Pick<WebhookRow, "id">,
): Promise<Uint8Array[]> => {
  const isOldInForce = oldSecretUntil !== null && oldSecretUntil > now();
  const sealed = oldSecret !== null && isOldInForce ? [secret, oldSecret] : [secret];
  return Promise.all(sealed.map((bytes) => unseal({ bytes, version }, nameOf(id), settings.WALLET_SECRETS)));
};

/** A new secret, sealed with the present one under the newest version. */
export const replacedSecret = async (context: ServiceContext, row: WebhookRow) => {
  const { secret, sealed } = await newSecret(context, row.id);
  const { secret: oldSecret } = await sealedAnew(context, { ...row, oldSecret: null });
  return { secret, sealed: { ...sealed, oldSecret } };
};

/** An endpoint's valid secrets, sealed under the newest version. */
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

const ROUND = 500;

const SWEEP = "webhook_secret_rotation";

/** Cursor of a round over the endpoints' secrets: after this endpoint with this version. */
interface SecretCursor {
  readonly version: number;
  readonly id: Uuid;
}

/** Endpoints whose secrets are sealed under an older version, oldest first, after a cursor. */
export const secretsBefore = (db: Database, version: number, after: SecretCursor | null, limit: number) =>
  db
    .select()
    .from(webhooks)
    .where(
      and(
        lt(webhooks.secretVersion, version),
        after ? sql`(secret_version, id) > (${after.version}, ${uuidToBytes(after.id)})` : undefined,
      ),
    )
    .orderBy(asc(webhooks.secretVersion), asc(webhooks.id))
    .limit(limit);

/** Seals endpoints' secrets again under the newest version, some a call. A failure doesn't block others. */
export const resealWebhooks = async (context: ServiceContext): Promise<Rotation["webhooks"]> => {
  const { db, settings, log } = context;
  const version = newestVersion(settings.WALLET_SECRETS);
  const failed: Uuid[] = [];
  let resealed = 0;
  for (const row of await nextRound(context, version)) {
    try {
      // Unless the endpoint has got a new secret in between.
      const isAsRead = and(eq(webhooks.id, row.id), eq(webhooks.secret, row.secret));
      await db
        .update(webhooks)
        .set(await sealedAnew(context, row))
        .where(isAsRead);
      resealed++;
    } catch (error) {
      log("webhook.reseal_failed", { webhook_uuid: row.id, error });
      failed.push(row.id);
    }
  }
  return { resealed, failed, remaining: await db.$count(webhooks, lt(webhooks.secretVersion, version)) };
};

const nextRound = async ({ db, now }: ServiceContext, version: number): Promise<WebhookRow[]> => {
  const kept = await readSweep(db, SWEEP);
  const after = kept === null ? null : (JSON.parse(kept) as SecretCursor);
  let rows = await secretsBefore(db, version, after, ROUND);
  if (rows.length === 0 && after !== null) rows = await secretsBefore(db, version, null, ROUND);
  const last = rows.length < ROUND ? undefined : rows.at(-1);
  const cursor = last && ({ version: last.secretVersion, id: last.id } satisfies SecretCursor);
  await writeSweep(db, SWEEP, cursor ? JSON.stringify(cursor) : null, now());
  return rows;
};

/** Has a space, unlike account ids, so a wallet's sealed key can't be used as an endpoint's secret. */
const nameOf = (webhook: Uuid): string => `webhook ${webhook}`;

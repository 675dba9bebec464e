import type { Context } from "hono";
import { findKeyByDigest, rightsOf, touchKey } from "../db/queries/api-keys.ts";
import type { OperationLimits } from "../db/queries/usage.ts";
import { isUnavailable } from "../db/statements.ts";
import { apiKeyDigest, isApiKey, isTestKey, isTestNetwork } from "../domain/api-keys.ts";
import { setBounded } from "../domain/bounded-map.ts";
import { ERRORS, ServiceError, suspended } from "../domain/errors.ts";
import { toHex, type Uuid } from "../domain/ids.ts";
import { budgetsOf, type KeyRights, requireRights } from "../domain/key-rights.ts";
import { limitsWith } from "../domain/quota.ts";
import { within } from "../waiting.ts";
import { changeNetworkOf, countAddress } from "./address-limit.ts";
import { type AppEnv, baseUrl, type MatchedEndpoint } from "./app-env.ts";
import { noSuchAddress } from "./error-responses.ts";
import { parametrisedList } from "./header-parameters.ts";
import { beyondLimit, countRequest, paidByKey, rateLimitHeaders } from "./rate-limit.ts";

interface KnownKey {
  readonly id: Uuid;
  readonly integrationId: Uuid;
  readonly name: string;
  readonly rights: KeyRights;
  /** What limits the operations that it has accepted. */
  readonly limits: OperationLimits;
  /** Requests that it may make in a period. */
  readonly requests: number;
  /** When this text of the key stops to work because it was replaced by a rotation, milliseconds; null: it wasn't. */
  readonly replacedAt: number | null;
  readonly revokedAt: number | null;
  readonly isSuspended: boolean;
  lastUsedAt: number | null;
}

interface CachedKey {
  readonly key: KnownKey;
  /** When the database had it. Milliseconds since the Unix epoch, like `until`. */
  readonly readAt: number;
  /** Until then it isn't read again. */
  until: number;
}

/** How long an isolate caches a key, milliseconds: a revoked key is refused everywhere after this time at the latest. */
const KEY_TRUST_MS = 5_000;

/** How long a cached key stands in while the database doesn't answer: outages last minutes. Milliseconds. */
const KEY_OUTAGE_MS = 15 * 60_000;
/** How long the database is waited for before a cached key stands in. Milliseconds. */
const KEY_WAIT_MS = 2_000;

/** How long an unknown digest is refused without a query. Milliseconds. */
const UNKNOWN_MS = 10_000;
/** Most keys and most unknown digests in an isolate's cache. */
const CAPACITY = 2_000;
const UNKNOWN_CAPACITY = 10_000;
const known = new Map<string, CachedKey>();
const unknown = new Map<string, number>();

/** Removes an integration's keys from this isolate's cache, after its suspension. */
export const forgetKeysOf = (integrationId: Uuid): void => {
  for (const [digest, entry] of known) if (entry.key.integrationId === integrationId) known.delete(digest);
};

/** Removes a key from this isolate's cache, after its rotation or deletion. */
export const forgetKey = (id: Uuid): void => {
  for (const [digest, entry] of known) if (entry.key.id === id) known.delete(digest);
};

/**
 * Whether a request makes, replaces or deletes keys. Its own key is read from the database: one that has just been deleted or
 * replaced elsewhere, because somebody else has it, would get itself another one.
 */
const changesKeys = (endpoint: MatchedEndpoint | undefined): boolean =>
  endpoint !== undefined && endpoint.scope === "full" && endpoint.isWrite;

/** Shortest interval between writes of a key's last use, milliseconds. */
const LAST_USED_EVERY_MS = 60_000;

/**
 * Authenticates the caller: `Authorization: Api-Key <API_KEY>`, or the same with `Bearer` (the scheme's name in any case,
 * RFC 9110 section 11.1). A form that writes the scheme itself may have been given the key with its scheme, as our examples
 * show it, so that there may be two. Any problem with the key is 401; a key without the endpoint's scope, or for other
 * collections than the path's, is 403.
 */
export const authenticate = async (c: Context<AppEnv>): Promise<void> => {
  const context = c.get("context");
  const digest = await digestOf(c.req.header("Authorization"), context.settings.NEAR_NETWORK);
  const now = context.now().getTime();
  const endpoint = c.get("endpoint");
  const cached = changesKeys(endpoint) ? undefined : known.get(digest);
  const key = cached && cached.until > now ? cached.key : await readKey(c, digest, now, cached);
  refuseUnusable(key, now);
  if (key.lastUsedAt === null || now - key.lastUsedAt >= LAST_USED_EVERY_MS) {
    key.lastUsedAt = now;
    const touched = touchKey(context.db, key.id, new Date(now), new Date(now - LAST_USED_EVERY_MS));
    // Nobody waits for it, and the next minute records it.
    context.waitUntil(touched.catch((error: unknown) => context.log("key.touch_failed", { error })));
  }
  const wishes = parametrisedList(c.req.header("Prefer") ?? "");
  c.set("caller", {
    integrationId: key.integrationId,
    keyId: key.id,
    rights: key.rights,
    limits: key.limits,
    respondAsync: wishes.some(({ value }) => value.toLowerCase() === "respond-async"),
    requestKey: null,
    baseUrl: baseUrl(c),
  });
  const actor = { type: "key", key_uuid: key.id, name: key.name, network: changeNetworkOf(c) } as const;
  c.set("context", { ...paidByKey(context, key), actor });
  const verdict = await countRequest(context, key);
  for (const [name, value] of Object.entries(rateLimitHeaders(verdict))) c.header(name, value);
  if (!verdict.allowed) throw beyondLimit(verdict);
  if (endpoint) requireRights(key.rights, endpoint);
};

/** The digest of a header's key, hexadecimal. @throws ServiceError api_key_missing, api_key_invalid */
const digestOf = async (header: string | undefined, network: string): Promise<string> => {
  if (!header) {
    throw new ServiceError(
      "api_key_missing",
      "Send the header `Authorization: Api-Key <API_KEY>` or `Authorization: Bearer <API_KEY>`.",
    );
  }
  const key = /^(?:(?:Api-Key|Bearer) +){1,2}(\S+) *$/i.exec(header)?.[1];
  if (key === undefined || !isApiKey(key)) {
    throw new ServiceError(
      "api_key_invalid",
      "Write the header as `Authorization: Api-Key <API_KEY>`, with a complete key: it begins with `mk_live_` or `mk_test_`.",
    );
  }
  if (isTestKey(key) && !isTestNetwork(network)) {
    throw new ServiceError(
      "api_key_invalid",
      `Use a key that begins with \`mk_live_\`: this is a test key, and the service is on ${network}. Test keys work on the testnet service that made them.`,
    );
  }
  return toHex(await apiKeyDigest(key));
};

/**
 * Reads a key from the database. If that fails or takes long, a cached one serves for another `KEY_TRUST_MS`, up to
 * `KEY_OUTAGE_MS`: an outage of the database, which can't take a revocation meanwhile either, doesn't lock out known keys.
 * @throws ServiceError api_key_invalid
 */
const readKey = async (
  c: Context<AppEnv>,
  digest: string,
  now: number,
  cached: CachedKey | undefined,
): Promise<KnownKey> => {
  const { log, waitUntil } = c.get("context");
  const read = lookUpKey(c, digest, now);
  if (!cached || cached.readAt + KEY_OUTAGE_MS <= now) return read;
  const found = await within(
    KEY_WAIT_MS,
    read.catch((error: unknown) => {
      if (isUnavailable(error)) return null;
      throw error;
    }),
  );
  if (found) return found;
  log("key.stands_in", { key_uuid: cached.key.id });
  waitUntil(read.then(NOTHING, NOTHING));
  cached.until = now + KEY_TRUST_MS;
  return cached.key;
};

const NOTHING = () => undefined;

/** Reads a key that isn't cached. Lookups are limited by client address. @throws ServiceError api_key_invalid */
const lookUpKey = async (c: Context<AppEnv>, hex: string, now: number): Promise<KnownKey> => {
  if ((unknown.get(hex) ?? 0) > now) throw unknownKey();
  if (!known.has(hex)) await countAddress(c, "attempt");
  const digest = Buffer.from(hex, "hex");
  const found = await findKeyByDigest(c.get("context").db, digest);
  if (!found) {
    known.delete(hex);
    setBounded(unknown, UNKNOWN_CAPACITY, hex, now + UNKNOWN_MS);
    throw unknownKey();
  }
  const { key: row, limits, spendingPerDay, suspendedAt } = found;
  const { requests, operations_waiting: waiting } = limitsWith(limits);
  const key: KnownKey = {
    limits: { waiting, spendingPerDay, budgets: budgetsOf(row.id, row) },
    requests,
    id: row.id,
    integrationId: row.integrationId,
    name: row.name,
    rights: rightsOf(row),
    replacedAt: digest.equals(row.digest) ? null : (row.oldDigestUntil?.getTime() ?? 0),
    revokedAt: row.revokedAt?.getTime() ?? null,
    isSuspended: suspendedAt !== null,
    lastUsedAt: row.lastUsedAt?.getTime() ?? null,
  };
  setBounded(known, CAPACITY, hex, { key, readAt: now, until: now + KEY_TRUST_MS });
  return key;
};

/** The error for a key that the database doesn't have. */
export const unknownKey = (): ServiceError =>
  new ServiceError("api_key_invalid", "This key is unknown. Check it, or ask the operator for a new one.");

const refuseUnusable = (key: KnownKey, now: number): void => {
  if (key.revokedAt !== null) {
    throw new ServiceError("api_key_revoked", `This key was deleted. ${ERRORS.api_key_expired.remedy}`);
  }
  if (key.replacedAt !== null && key.replacedAt <= now) {
    throw new ServiceError(
      "api_key_revoked",
      "Use the new key: this one was replaced by a rotation, and has stopped working.",
    );
  }
  const { expiresAt } = key.rights;
  if (expiresAt !== null && expiresAt <= now) {
    throw new ServiceError("api_key_expired", `This key has expired. ${ERRORS.api_key_expired.remedy}`);
  }
  if (key.isSuspended) {
    throw suspended();
  }
};

/**
 * Lets the operator in: `Authorization: Bearer <token>`. Without a token in the settings there is no such surface.
 * Digests are compared, in constant time, so that neither content nor length of the token shows in how long it takes.
 * Wrong tokens are limited by the address they come from.
 * @throws ServiceError not_found, admin_token_invalid, rate_limited
 */
export const requireOperator = async (c: Context<AppEnv>): Promise<void> => {
  const token = c.get("context").settings.ADMIN_TOKEN;
  if (token === undefined) throw noSuchAddress();
  const given = /^Bearer +(\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
  const [expected, actual] = await Promise.all([digest(token), digest(given)]);
  if (!crypto.subtle.timingSafeEqual(expected, actual)) {
    await countAddress(c, "attempt");
    throw new ServiceError(
      "admin_token_invalid",
      "Send `Authorization: Bearer <token>` with the operator's token.",
    );
  }
  c.set("isOperator", true);
  c.set("context", { ...c.get("context"), actor: { type: "operator", network: changeNetworkOf(c) } });
};

const digest = (text: string): Promise<ArrayBuffer> =>
  crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));

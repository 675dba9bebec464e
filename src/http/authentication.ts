import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { ServiceContext } from "../context.ts";
import { findKeyByDigest, touchKey } from "../db/queries/api-keys.ts";
import { apiKeyDigest, isApiKey } from "../domain/api-keys.ts";
import { setBounded } from "../domain/bounded-map.ts";
import { ServiceError } from "../domain/errors.ts";
import { toHex, type Uuid } from "../domain/ids.ts";
import { limitsWith } from "../domain/quota.ts";
import { countAddress } from "./address-limit.ts";
import type { AppEnv, EndpointTraits } from "./app-env.ts";
import { baseUrl } from "./base-url.ts";
import { parametrisedList } from "./header-parameters.ts";
import { beyondLimit, countRequest, paidByKey, rateLimitHeaders, type Verdict } from "./rate-limit.ts";

/** A key as read from the database. */
export interface KnownKey {
  readonly id: Uuid;
  readonly integrationId: Uuid;
  readonly role: "full" | "read";
  /** Requests that it may make in a period. */
  readonly requests: number;
  /** Milliseconds; null: never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Its integration is suspended. */
  readonly isSuspended: boolean;
  lastUsedAt: number | null;
}

/**
 * How long an isolate caches a key, milliseconds. The cache saves the round trip to D1 that would otherwise
 * come before every request's own; a revoked key is refused everywhere after this time at the latest.
 */
const KEY_TRUST_MS = 5_000;

/** Most keys in an isolate's cache; then the oldest is removed. */
const CAPACITY = 2_000;

/** Most unknown digests in an isolate's cache. */
const UNKNOWN_CAPACITY = 10_000;

/** How long an unknown digest is refused without a query. Milliseconds. */
const UNKNOWN_MS = 10_000;

const known = new Map<string, { key: KnownKey; until: number }>();
const unknown = new Map<string, number>();

/** The cached key with this digest (hexadecimal). */
const recallKey = (digest: string, now: number): KnownKey | null => {
  const entry = known.get(digest);
  return entry !== undefined && entry.until > now ? entry.key : null;
};

/** Whether the database ever had a key with this digest. */
const wasKnown = (digest: string): boolean => known.has(digest);

/** Whether the digest is cached as unknown. */
const isUnknown = (digest: string, now: number): boolean => (unknown.get(digest) ?? 0) > now;

/** Caches a digest as unknown. */
const rememberUnknown = (digest: string, now: number): void => {
  known.delete(digest);
  setBounded(unknown, UNKNOWN_CAPACITY, digest, now + UNKNOWN_MS);
};

/** Caches a key. */
const rememberKey = (digest: string, key: KnownKey, now: number): void => {
  setBounded(known, CAPACITY, digest, { key, until: now + KEY_TRUST_MS });
};

/** Removes an integration's keys from this isolate's cache, after its suspension. */
export const forgetKeysOf = (integrationId: Uuid): void => {
  for (const [digest, entry] of known) if (entry.key.integrationId === integrationId) known.delete(digest);
};

/** Removes a key from this isolate's cache, after its revocation. */
export const forgetKey = (id: Uuid): void => {
  for (const [digest, entry] of known) if (entry.key.id === id) known.delete(digest);
};

/** Shortest interval between writes of a key's last use, milliseconds. */
const LAST_USED_EVERY_MS = 60_000;

/** Whether a request may change something, and so needs a key of role `full`. @param endpoint undefined: none matches */
export const isWrite = (method: string, endpoint: EndpointTraits | undefined): boolean =>
  endpoint?.isWrite ?? (method !== "GET" && method !== "HEAD");

/** Middleware for writes; reads skip it. */
export const writesOnly =
  (middleware: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> =>
  (c, next) =>
    isWrite(c.req.method, c.get("endpoint")) ? middleware(c, next) : next();

/**
 * Authenticates the caller: `Authorization: Api-Key <API_KEY>`, or the same with `Bearer` (the scheme's name in any case,
 * RFC 9110 section 11.1). A form that writes the scheme itself may have been given the key with its scheme, as our examples
 * show it, so that there may be two. Any problem with the key is 401; a key of role `read` on a write is 403.
 */
export const authenticate = createMiddleware<AppEnv>(async (c, next) => {
  const context = c.get("context");
  const digest = await digestOf(c.req.header("Authorization"));
  const now = context.now().getTime();
  const write = isWrite(c.req.method, c.get("endpoint"));
  const key = recallKey(digest.hex, now) ?? (await lookUpKey(c, digest, now));
  refuseUnusable(key, now);
  noteUse(context, key, now);
  c.set("caller", {
    integrationId: key.integrationId,
    keyId: key.id,
    role: key.role,
    respondAsync: parametrisedList(c.req.header("Prefer") ?? "").some(
      ({ value }) => value.toLowerCase() === "respond-async",
    ),
    requestKey: null,
    baseUrl: baseUrl(c),
  });
  c.set("context", paidByKey(context, key));
  refuseBeyondLimit(c, await countRequest(context, key));
  if (write && key.role === "read") {
    throw new ServiceError("read_only_key", "This key can only read. Use a key of role `full` for writes.");
  }
  await next();
});

/** Adds the key's remaining requests to the response. @throws ServiceError rate_limited */
const refuseBeyondLimit = (c: Context<AppEnv>, verdict: Verdict): void => {
  for (const [name, value] of Object.entries(rateLimitHeaders(verdict))) c.header(name, value);
  if (!verdict.allowed) throw beyondLimit(verdict);
};

interface Digest {
  readonly bytes: Uint8Array;
  readonly hex: string;
}

const digestOf = async (header: string | undefined): Promise<Digest> => {
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
      "Write the header as `Authorization: Api-Key <API_KEY>`, with a complete key: it begins with `mk_live_`.",
    );
  }
  const bytes = await apiKeyDigest(key);
  return { bytes, hex: toHex(bytes) };
};

/** Reads a key that isn't cached. Lookups are limited by client address. */
const lookUpKey = async (c: Context<AppEnv>, digest: Digest, now: number): Promise<KnownKey> => {
  const context = c.get("context");
  const isUnheardOf = isUnknown(digest.hex, now);
  if (!isUnheardOf && !wasKnown(digest.hex)) await countAddress(c, "attempt");
  const key = isUnheardOf ? null : await readKey(context, digest, now);
  if (key !== null) return key;
  if (!isUnheardOf) rememberUnknown(digest.hex, now);
  throw unknownKey();
};

const unknownKey = (): ServiceError =>
  new ServiceError("api_key_invalid", "This key is unknown. Check it, or ask the operator for a new one.");

const readKey = async (context: ServiceContext, digest: Digest, now: number): Promise<KnownKey | null> => {
  const found = await findKeyByDigest(context.db, digest.bytes);
  if (!found) return null;
  const { key: row, limits, suspendedAt } = found;
  const key: KnownKey = {
    requests: limitsWith(limits).requests,
    id: row.id,
    integrationId: row.integrationId,
    role: row.role,
    expiresAt: row.expiresAt?.getTime() ?? null,
    revokedAt: row.revokedAt?.getTime() ?? null,
    isSuspended: suspendedAt !== null,
    lastUsedAt: row.lastUsedAt?.getTime() ?? null,
  };
  rememberKey(digest.hex, key, now);
  return key;
};

const refuseUnusable = (key: KnownKey, now: number): void => {
  if (key.revokedAt !== null) {
    throw new ServiceError("api_key_revoked", "This key was revoked. Ask the operator for a new one.");
  }
  if (key.expiresAt !== null && key.expiresAt <= now) {
    throw new ServiceError("api_key_expired", "This key has expired. Ask the operator for a new one.");
  }
  if (key.isSuspended) {
    throw new ServiceError(
      "integration_suspended",
      "The operator has suspended this integration. Ask the operator to resume it.",
    );
  }
};

/** Writes the time of last use without making the request wait. */
const noteUse = (context: ServiceContext, key: KnownKey, now: number): void => {
  if (key.lastUsedAt !== null && now - key.lastUsedAt < LAST_USED_EVERY_MS) return;
  key.lastUsedAt = now;
  context.waitUntil(touchKey(context.db, key.id, new Date(now), new Date(now - LAST_USED_EVERY_MS)));
};

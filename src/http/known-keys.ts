import { setBounded } from "../domain/bounded-map.ts";
import type { Uuid } from "../domain/ids.ts";

/** What authentication knows of a key that was found in the database. */
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
 * How long an isolate trusts what it read of a key, milliseconds. It saves the round trip to D1 that would otherwise
 * come before every request's own; a revoked key is refused everywhere after this time at the latest.
 */
const KEY_TRUST_MS = 5_000;

/** Keys an isolate remembers; beyond it the oldest goes. */
const CAPACITY = 2_000;

/** Digests that no key has, which an isolate remembers. */
const UNKNOWN_CAPACITY = 10_000;

/** How long a digest that no key has is refused without asking the database. Milliseconds. */
const UNKNOWN_MS = 10_000;

const known = new Map<string, { key: KnownKey; until: number }>();
const unknown = new Map<string, number>();

/** The key with this digest (hexadecimal), where it was read lately. */
export const recallKey = (digest: string, now: number): KnownKey | null => {
  const entry = known.get(digest);
  return entry !== undefined && entry.until > now ? entry.key : null;
};

/** Whether the database had a key with this digest before, however long ago. */
export const wasKnown = (digest: string): boolean => known.has(digest);

/** Whether the database was seen to have no key with this digest lately. */
export const isUnknown = (digest: string, now: number): boolean => (unknown.get(digest) ?? 0) > now;

/** Remembers that the database has no key with this digest. */
export const rememberUnknown = (digest: string, now: number): void => {
  known.delete(digest);
  setBounded(unknown, UNKNOWN_CAPACITY, digest, now + UNKNOWN_MS);
};

/** Remembers a key that the database has. */
export const rememberKey = (digest: string, key: KnownKey, now: number): void => {
  setBounded(known, CAPACITY, digest, { key, until: now + KEY_TRUST_MS });
};

/** Forgets an integration's keys at once, as its suspension in this isolate demands. */
export const forgetKeysOf = (integrationId: Uuid): void => {
  for (const [digest, entry] of known) if (entry.key.integrationId === integrationId) known.delete(digest);
};

/** Forgets a key at once, as its revocation in this isolate demands. */
export const forgetKey = (id: Uuid): void => {
  for (const [digest, entry] of known) if (entry.key.id === id) known.delete(digest);
};

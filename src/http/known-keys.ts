import type { Uuid } from "../domain/ids.ts";

/** What authentication knows of a key that was found in the database. */
export interface KnownKey {
  readonly id: Uuid;
  readonly integrationId: Uuid;
  readonly role: "full" | "read";
  /** Milliseconds; null: never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  lastUsedAt: number | null;
}

/**
 * How long an isolate trusts what it read of a key, milliseconds. It saves the round trip to D1 that would otherwise
 * come before every request's own; a revoked key is refused everywhere after this time at the latest.
 */
export const KEY_TRUST_MS = 5_000;

/** Keys an isolate remembers; beyond it the oldest goes. */
const CAPACITY = 2_000;

const known = new Map<string, { key: KnownKey; until: number }>();

/** The key with this digest (hexadecimal), where it was read lately. */
export const recallKey = (digest: string, now: number): KnownKey | null => {
  const entry = known.get(digest);
  if (!entry) return null;
  if (entry.until > now) return entry.key;
  known.delete(digest);
  return null;
};

/** Remembers a key that the database has. */
export const rememberKey = (digest: string, key: KnownKey, now: number): void => {
  if (known.size >= CAPACITY) {
    const oldest = known.keys().next().value;
    if (oldest !== undefined) known.delete(oldest);
  }
  known.set(digest, { key, until: now + KEY_TRUST_MS });
};

/** Forgets a key at once, as its revocation in this isolate demands. */
export const forgetKey = (id: Uuid): void => {
  for (const [digest, entry] of known) if (entry.key.id === id) known.delete(digest);
};

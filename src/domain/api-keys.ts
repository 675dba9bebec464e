/** What a key looks like: 256 random bits as base64url behind a prefix that secret scanners can find. */
const SHAPE = /^mk_live_[A-Za-z0-9_-]{43}$/;

const PREFIX = "mk_live_";
const RANDOM_BYTES = 32;
/** Leading characters that are stored to identify a key; they have 24 bits of the secret. */
const SHOWN = PREFIX.length + 4;

export const isApiKey = (text: string): boolean => SHAPE.test(text);

/** A new key. It is shown to its owner once and kept nowhere. */
export const newApiKey = (): string =>
  PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString("base64url");

/** The part of a key that is stored in clear. */
export const apiKeyPrefix = (key: string): string => key.slice(0, SHOWN);

/** What is stored of a key. A plain SHA-256 is enough: 256 random bits can't be guessed, however fast the digest. */
export const apiKeyDigest = async (key: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));

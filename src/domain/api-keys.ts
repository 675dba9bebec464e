/** What a key looks like: 256 random bits as base64url behind a prefix that secret scanners can find. */
const SHAPE = /^mk_(live|test)_[A-Za-z0-9_-]{43}$/;

const LIVE = "mk_live_";
const TEST = "mk_test_";
const RANDOM_BYTES = 32;
/** Leading characters that are stored to identify a key; they have 24 bits of the secret. */
const SHOWN = LIVE.length + 4;

export const isApiKey = (text: string): boolean => SHAPE.test(text);

/** Whether the keys of a network's service are test keys: what a key for it can spend has no value. */
export const isTestNetwork = (network: string): boolean => network === "testnet";

export const isTestKey = (key: string): boolean => key.startsWith(TEST);

/** A new key for the service of a network. It is shown to its owner once and kept nowhere. */
export const newApiKey = (network: string): string =>
  (isTestNetwork(network) ? TEST : LIVE) +
  Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString("base64url");

/** The part of a key that is stored in clear. */
export const apiKeyPrefix = (key: string): string => key.slice(0, SHOWN);

/** What is stored of a key. A plain SHA-256 is enough: 256 random bits can't be guessed, however fast the digest. */
export const apiKeyDigest = async (key: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));

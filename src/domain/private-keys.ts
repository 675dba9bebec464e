import { createPrivateKey, createPublicKey } from "node:crypto";
import { baseDecode } from "near-api-js";

/** 64 bytes in base58. */
const PAIR = /^ed25519:([1-9A-HJ-NP-Za-km-z]{64,88})$/;

const SEED_BYTES = 32;
const PAIR_BYTES = 64;

/** What stands before the seed in the DER of an ed25519 key's PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * The seed of a private key as NEAR's wallets and tools write one: `ed25519:` and base58 of its 32 bytes and those of the
 * public key. Null if it isn't one: cut off, mistyped so that the two don't belong together, or a public key.
 */
export const seedOf = (text: string): Uint8Array | null => {
  const [, pair] = PAIR.exec(text) ?? [];
  if (pair === undefined) return null;
  const bytes = baseDecode(pair);
  if (bytes.length !== PAIR_BYTES) return null;
  const seed = bytes.slice(0, SEED_BYTES);
  return Buffer.from(bytes.slice(SEED_BYTES)).equals(publicHalf(seed)) ? seed : null;
};

const publicHalf = (seed: Uint8Array): Uint8Array => {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-SEED_BYTES);
};

import { createHmac } from "node:crypto";
import { keyFromSeed, publicKeyText, type SigningKey } from "../../chain/transaction.ts";

/** Id of the lane whose key is the wallet's own. After the key was replaced it is followed by a colon and a number. */
export const MAIN_LANE = "main";
const isMain = (laneId: string): boolean => laneId === MAIN_LANE || laneId.startsWith(`${MAIN_LANE}:`);

/** A new lane's id: 16 random bytes as hex. A deleted lane's id never comes again, and so its key neither. */
export const newLaneId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );

/**
 * The keys of a wallet while its object lives in memory: the wallet's own, and one for each lane, derived from the
 * wallet's seed and the lane's id (HMAC-SHA-256 as in HKDF-Expand, RFC 5869), so that one sealed seed restores all.
 */
export class Keyring {
  readonly #seed: Uint8Array;
  readonly #keys = new Map<string, SigningKey>();

  /** @param seed 32 bytes */
  constructor(seed: Uint8Array) {
    this.#seed = seed;
  }

  /** The key of a lane. */
  of(laneId: string): SigningKey {
    const known = this.#keys.get(laneId);
    if (known) return known;
    const seed = isMain(laneId)
      ? this.#seed
      : createHmac("sha256", this.#seed).update(`mintage lane ${laneId}\u0001`).digest();
    const key = keyFromSeed(new Uint8Array(seed));
    this.#keys.set(laneId, key);
    return key;
  }

  /** `ed25519:<base58>` of a lane's public key. */
  textOf(laneId: string): string {
    return publicKeyText(this.of(laneId).publicKey);
  }
}

/** The open keys of a wallet that may sign. */
export interface Signing {
  readonly accountId: string;
  readonly keyring: Keyring;
}

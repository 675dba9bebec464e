import { ed25519 } from "@noble/curves/ed25519.js";
import { base16, base58 } from "@scure/base";
import { find } from "./shown.ts";

/** A key that this page has made, and its account, whose id is the public key (an implicit account of NEAR). */
export interface NewKey {
  readonly accountId: string;
  readonly publicKey: string;
  /** `ed25519:` and base58 of seed and public key, as NEAR's wallets import it. It never leaves this browser. */
  readonly privateKey: string;
}

/** The key of a secret. @param seed 32 bytes; by default of the browser's own random numbers */
export function keyOf(seed: Uint8Array = ed25519.utils.randomSecretKey()): NewKey {
  const publicKey = ed25519.getPublicKey(seed);
  return {
    accountId: base16.encode(publicKey).toLowerCase(),
    publicKey: `ed25519:${base58.encode(publicKey)}`,
    privateKey: `ed25519:${base58.encode(Uint8Array.of(...seed, ...publicKey))}`,
  };
}

/** Shows a key, and lets it be saved as the file that near-cli keeps of one. */
export function offerKey({ accountId, publicKey, privateKey }: NewKey): void {
  const file = JSON.stringify({ account_id: accountId, public_key: publicKey, private_key: privateKey });
  find("key-account").textContent = accountId;
  find("key-private").textContent = privateKey;
  const link = find<HTMLAnchorElement>("key-file");
  link.href = URL.createObjectURL(new Blob([file], { type: "application/json" }));
  link.download = `${accountId}.json`;
  find("key").hidden = false;
  find("make-key").hidden = true;
}

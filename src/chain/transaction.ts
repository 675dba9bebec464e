import { createHash } from "node:crypto";
import {
  baseDecode,
  baseEncode,
  createTransaction,
  KeyPairEd25519,
  Signature,
  SignedTransaction,
} from "near-api-js";
import { type Action, ED25519, keyOf, toLibraryAction } from "./actions.ts";

/** An ed25519 signing key. The seed never leaves the object that holds it. */
export interface SigningKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** The key for a 32-byte seed (RFC 8032). */
export const keyFromSeed = (seed: Uint8Array): SigningKey => {
  const pair = new KeyPairEd25519(baseEncode(seed));
  return { publicKey: pair.getPublicKey().data, sign: (message) => pair.sign(message).signature };
};

/** `ed25519:<base58>` of a 32-byte public key. */
export const publicKeyText = (publicKey: Uint8Array): string => `ed25519:${baseEncode(publicKey)}`;

/** A signed, serialized transaction that can be sent any number of times. */
export interface SignedBytes {
  /** Borsh of the signed transaction. */
  readonly bytes: Uint8Array;
  /** base58 of the SHA-256 of the unsigned transaction, which identifies it on the chain. */
  readonly hash: string;
}

/** Builds and signs a transaction, at once: it is journaled in the same step. `blockHash` is base58. */
export const signTransaction = (transaction: {
  readonly signerId: string;
  readonly key: SigningKey;
  readonly receiverId: string;
  readonly nonce: bigint;
  readonly blockHash: string;
  readonly actions: readonly Action[];
}): SignedBytes => {
  const unsigned = createTransaction(
    transaction.signerId,
    keyOf(transaction.key.publicKey),
    transaction.receiverId,
    transaction.nonce,
    transaction.actions.map(toLibraryAction),
    baseDecode(transaction.blockHash),
  );
  const digest = new Uint8Array(createHash("sha256").update(unsigned.encode()).digest());
  const signature = new Signature({ keyType: ED25519, data: transaction.key.sign(digest) });
  return {
    bytes: new SignedTransaction({ transaction: unsigned, signature }).encode(),
    hash: baseEncode(digest),
  };
};

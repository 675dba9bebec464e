/** Hashes and signatures. The pairing curves (alt_bn128, BLS12-381) and ML-DSA are not provided. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import { bytesToNumberLE } from "@noble/curves/utils.js";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { keccak_256, keccak_512, sha3_256, sha3_384, sha3_512 } from "@noble/hashes/sha3.js";
import type { ExtCosts } from "../../protocol/config.ts";
import { sha256 } from "../../protocol/hash.ts";
import { recoverSecp256k1 } from "../../protocol/keys.ts";
import type { CallContext } from "../context.ts";
import { hostError } from "../errors.ts";
import type { HostFunction } from "./basics.ts";

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function hashing(
  name: "sha256" | "keccak256" | "keccak512" | "sha3_256" | "sha3_384" | "sha3_512",
  digest: (data: Uint8Array) => Uint8Array,
): HostFunction {
  const base: keyof ExtCosts = `${name}_base`;
  const byte: keyof ExtCosts = `${name}_byte`;
  return (ctx, length = 0, pointer = 0, register = 0) => {
    ctx.payCost(base);
    const data = ctx.bytes(length, pointer);
    ctx.payCost(byte, data.length);
    ctx.setRegister(register, digest(data));
  };
}

const ecrecoverError = (msg: string) => hostError("ECRecoverError", `ECDSA recover error: ${msg}`, { msg });

function ecrecover(ctx: CallContext, args: number[]): number {
  const [
    hashLength = 0,
    hashPointer = 0,
    signatureLength = 0,
    signaturePointer = 0,
    v = 0,
    strict = 0,
    register = 0,
  ] = args;
  ctx.payCost("ecrecover_base");
  const signature = ctx.bytes(signatureLength, signaturePointer).slice();
  if (signature.length !== 64)
    throw ecrecoverError(`The length of the signature: ${signature.length}, exceeds the limit of 64 bytes`);
  if (v > 3) throw ecrecoverError(`V recovery byte 0 through 3 are valid but was provided ${v}`);
  const hash = ctx.bytes(hashLength, hashPointer).slice();
  if (hash.length !== 32)
    throw ecrecoverError(`The length of the hash: ${hash.length}, exceeds the limit of 32 bytes`);
  if (strict > 1) throw ecrecoverError(`Malleability flag needs to be 0 or 1, but is instead ${strict}`);
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).toString("hex")}`);
  if (strict === 1 && s > SECP256K1_ORDER / 2n) return 0;
  const key = recoverSecp256k1(hash, signature, v);
  if (!key) return 0;
  ctx.setRegister(register, key);
  return 1;
}

/**
 * Whether nearcore's library (ed25519-dalek's `verify`) accepts a signature. It is laxer than others in that it takes keys of
 * small order and those that spell a coordinate above the field's prime, and stricter in that it compares the bytes of R,
 * where others ignore its part of small order.
 * @throws if the key is no point of the curve
 */
function verifyEd25519(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  const { Point } = ed25519;
  const r = signature.subarray(0, 32);
  const s = bytesToNumberLE(signature.subarray(32));
  if (s >= Point.Fn.ORDER) return false;
  const holder = Point.fromBytes(key, true);
  const k = Point.Fn.create(bytesToNumberLE(sha512(Buffer.concat([r, key, message]))));
  const expected = Point.BASE.multiplyUnsafe(s).subtract(holder.multiplyUnsafe(k));
  return Buffer.from(expected.toBytes()).equals(r);
}

type VerifyError = (msg: string) => Error;

/** Reads signature, message and key, with the protocol's complaints about their lengths; then asks. */
function verification(
  name: "ed25519_verify" | "p256_verify",
  keyBytes: number,
  error: VerifyError,
  check: (signature: Uint8Array, message: Uint8Array, key: Uint8Array) => boolean,
): HostFunction {
  return (
    ctx,
    sigLength = 0,
    sigPointer = 0,
    msgLength = 0,
    msgPointer = 0,
    keyLength = 0,
    keyPointer = 0,
  ) => {
    ctx.payCost(`${name}_base`);
    const signature = ctx.bytes(sigLength, sigPointer).slice();
    if (signature.length !== 64) throw error("invalid signature length");
    // A node refuses such a number S before it reads the message, and charges nothing for it.
    if (name === "ed25519_verify" && signature[63]! >= 0x20) return 0;
    const message = ctx.bytes(msgLength, msgPointer).slice();
    ctx.payCost(`${name}_byte`, message.length);
    const key = ctx.bytes(keyLength, keyPointer).slice();
    if (key.length !== keyBytes) throw error("invalid public key length");
    try {
      return check(signature, message, key) ? 1 : 0;
    } catch {
      return 0; // bytes that are no point of the curve: not valid, as on a node
    }
  };
}

export const crypto: Record<string, HostFunction> = {
  sha256: hashing("sha256", sha256),
  keccak256: hashing("keccak256", keccak_256),
  keccak512: hashing("keccak512", keccak_512),
  sha3_256: hashing("sha3_256", sha3_256),
  sha3_384: hashing("sha3_384", sha3_384),
  sha3_512: hashing("sha3_512", sha3_512),
  ripemd160(ctx, length = 0, pointer = 0, register = 0) {
    ctx.payCost("ripemd160_base");
    const data = ctx.bytes(length, pointer);
    ctx.payCost("ripemd160_block", Math.floor((data.length + 8) / 64) + 1);
    ctx.setRegister(register, ripemd160(data));
  },
  ecrecover: (ctx, ...args) => ecrecover(ctx, args),
  ed25519_verify: verification(
    "ed25519_verify",
    32,
    (msg) => hostError("Ed25519VerifyInvalidInput", `ED25519 signature verification error: ${msg}`, { msg }),
    verifyEd25519,
  ),
  p256_verify: verification(
    "p256_verify",
    33,
    (msg) => hostError("P256VerifyInvalidInput", `P256 signature verification error: ${msg}`, { msg }),
    (signature, message, key) => p256.verify(signature, message, key, { prehash: false, lowS: false }),
  ),
};

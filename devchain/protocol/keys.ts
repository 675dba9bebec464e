/** Public keys and signatures: `ed25519:<base58>` and `secp256k1:<base58>`, in text as everywhere in NEAR's RPC. */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { base58 } from "@scure/base";
import { encodeHash } from "./hash.ts";

const KEY_BYTES = { ed25519: 32, secp256k1: 64 } as const;
const CURVES = ["ed25519", "secp256k1"] as const;
type Curve = (typeof CURVES)[number];

/** The text of a key or signature whose borsh form is a curve's number and its bytes. */
export function keyText(curve: number, bytes: Uint8Array): string {
  return `${curveName(curve)}:${encodeHash(bytes)}`;
}

/** @throws for a curve this chain doesn't know; ML-DSA-65 is among them. */
export function curveName(curve: number): Curve {
  const name = CURVES[curve];
  if (!name) throw new Error(`unknown key type ${curve}`);
  return name;
}

/** Splits a key's text into its curve and bytes. @throws if it isn't a key. */
export function parseKey(text: string): { curve: Curve; bytes: Uint8Array } {
  const [curve, data] = text.includes(":") ? text.split(":") : ["ed25519", text];
  if (curve !== "ed25519" && curve !== "secp256k1") throw new Error(`unknown key type '${curve}'`);
  const bytes = base58.decode(data ?? "");
  if (bytes.length !== KEY_BYTES[curve])
    throw new Error(`invalid length ${bytes.length} of a ${curve} public key`);
  return { curve, bytes };
}

/** A key's borsh form, as contracts and state see it: the curve's number, then 32 or 64 bytes. */
export function keyBytes(text: string): Uint8Array {
  let known = keysAsBytes.get(text);
  if (!known) {
    const { curve, bytes } = parseKey(text);
    known = Uint8Array.of(CURVES.indexOf(curve), ...bytes);
    if (keysAsBytes.size >= 20_000) keysAsBytes.clear();
    keysAsBytes.set(text, known);
  }
  return known;
}

const keysAsBytes = new Map<string, Uint8Array>();

/** Reads a key's borsh form. @throws if it is anything else. */
export function keyFromBytes(data: Uint8Array): string {
  const curve = curveName(data[0] ?? -1);
  if (data.length !== KEY_BYTES[curve] + 1) throw new Error("invalid public key");
  return `${curve}:${encodeHash(data.subarray(1))}`;
}

/** The one key of a NEAR-implicit account, whose 64 hex digits are that key. */
export function implicitAccountKey(accountId: string): string {
  return `ed25519:${encodeHash(Buffer.from(accountId, "hex"))}`;
}

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const keyObjects = new Map<string, KeyObject>();

function ed25519Key(text: string, bytes: Uint8Array): KeyObject {
  let key = keyObjects.get(text);
  if (!key) {
    key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: "der", type: "spki" });
    if (keyObjects.size > 10_000) keyObjects.clear();
    keyObjects.set(text, key);
  }
  return key;
}

/**
 * Whether `signature` signs a transaction's (or delegate action's) SHA-256 hash under `publicKey`. Ed25519 goes
 * through Node's own implementation: at hundreds of transactions a second it is ten times the speed of a pure one.
 */
export function verifySignature(publicKey: string, hash: Uint8Array, signature: string): boolean {
  const [curve, data] = signature.split(":");
  const key = parseKey(publicKey);
  if (curve !== key.curve) return false;
  const bytes = base58.decode(data ?? "");
  if (key.curve === "ed25519") return verify(null, hash, ed25519Key(publicKey, key.bytes), bytes);
  const recovered = recoverSecp256k1(hash, bytes.subarray(0, 64), bytes[64] ?? 255);
  return recovered !== null && Buffer.from(recovered).equals(key.bytes);
}

/** The uncompressed key (64 bytes) that made a signature over a hash, or null if there is none. */
export function recoverSecp256k1(
  hash: Uint8Array,
  signature: Uint8Array,
  recovery: number,
): Uint8Array | null {
  try {
    const parsed = secp256k1.Signature.fromBytes(signature, "compact").addRecoveryBit(recovery);
    return parsed.recoverPublicKey(hash).toBytes(false).slice(1);
  } catch {
    return null; // the numbers of the signature name no point: the protocol's answer is "no key", not an error
  }
}

/** Hashes, base58 and the ids derived from them, as nearcore derives them. */
import { hash } from "node:crypto";
import { base58 } from "@scure/base";

/** SHA-256 as 32 bytes. */
export function sha256(data: Uint8Array): Uint8Array {
  return hash("sha256", data, "buffer");
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** Nine digits at a time: 58^9 is the largest power within a number's exact range. */
const NINE_DIGITS = 58n ** 9n;

/**
 * The text form of a NEAR hash: base58. Libraries divide byte by byte, 50 µs for a hash, and every id passes here;
 * big integers take nine digits at once.
 */
export function encodeHash(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  let rest = zeros === bytes.length ? 0n : BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  while (rest > 0n) {
    let chunk = Number(rest % NINE_DIGITS);
    rest /= NINE_DIGITS;
    for (let digit = 0; digit < 9 && (chunk > 0 || rest > 0n); digit++) {
      text = ALPHABET[chunk % 58] + text;
      chunk = Math.floor(chunk / 58);
    }
  }
  return "1".repeat(zeros) + text;
}

/** Reads a base58 hash. @throws if it isn't base58 of 32 bytes. */
export function decodeHash(text: string): Uint8Array {
  const known = decoded.get(text);
  if (known) return known;
  const bytes = base58.decode(text);
  if (bytes.length !== 32) throw new Error(`expected a base58 hash of 32 bytes, got ${bytes.length} bytes`);
  if (decoded.size >= 20_000) decoded.clear();
  decoded.set(text, bytes);
  return bytes;
}

/** Hashes read lately; an id is read several times while its receipt is made and executed. */
const decoded = new Map<string, Uint8Array>();

/** The hash that stands for "none": 32 zero bytes, in base58 thirty-two ones. */
export const ZERO_HASH = encodeHash(new Uint8Array(32));

const U64_MAX = (1n << 64n) - 1n;

/** Derives the id number `salt` of what `base` produced in the block of this height (nearcore `create_hash_index`). */
function indexedHash(base: Uint8Array, height: number, salt: bigint): Uint8Array {
  const bytes = Buffer.alloc(48);
  bytes.set(base, 0);
  bytes.writeBigUInt64LE(BigInt(height), 32);
  bytes.writeBigUInt64LE(salt, 40);
  return sha256(bytes);
}

/** Id of the `index`-th receipt made by a transaction or a receipt. */
export function receiptId(parent: string, height: number, index: number): string {
  return encodeHash(indexedHash(decodeHash(parent), height, BigInt(index)));
}

/** Hash of the `index`-th action of a receipt: salts run backwards so that they can't meet receipt ids. */
export function actionHash(receipt: string, height: number, index: number): Uint8Array {
  return indexedHash(decodeHash(receipt), height, U64_MAX - BigInt(index));
}

/** Id of the `index`-th data dependency that a running action creates. */
export function dataId(action: Uint8Array, height: number, index: number): string {
  return encodeHash(indexedHash(action, height, BigInt(index)));
}

/** The seed a call sees: differs for every action of a block. */
export function randomSeed(action: Uint8Array, blockRandomValue: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([action, blockRandomValue]));
}

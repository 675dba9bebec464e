import { varint } from "multiformats";

/** Unsigned LEB128, as protobuf and CAR write lengths (https://github.com/multiformats/unsigned-varint). */

/**
 * Writes a number.
 * @returns the offset behind it
 */
export function writeVarint(target: Uint8Array, offset: number, value: number): number {
  varint.encodeTo(value, target, offset);
  return offset + varint.encodingLength(value);
}

/**
 * Reads a number.
 * @returns its value and the offset behind it
 * @throws RangeError if it is cut off, has more bytes than it needs, or isn't below 2^53
 */
export function readVarint(source: Uint8Array, offset: number): { value: number; next: number } {
  const [value, length] = varint.decode(source, offset);
  // The library reads up to 2^63, and rounds.
  if (value > Number.MAX_SAFE_INTEGER) throw new RangeError("a varint is not below 2^53");
  return { value, next: offset + length };
}

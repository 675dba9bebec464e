/** Unsigned LEB128, as protobuf and CAR write lengths. Numbers stay below 2^53. */

/** Bytes that a number takes. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

/**
 * Writes a number.
 * @returns the offset behind it
 */
export function writeVarint(target: Uint8Array, offset: number, value: number): number {
  let rest = value;
  let at = offset;
  for (; rest >= 128; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 128;
  target[at++] = rest;
  return at;
}

/**
 * Reads a number.
 * @returns its value and the offset behind it
 * @throws RangeError if it is cut off or not below 2^53
 */
export function readVarint(source: Uint8Array, offset: number): { value: number; next: number } {
  let value = 0;
  let scale = 1;
  for (let at = offset; at < source.length; at++) {
    const byte = source[at]!;
    value += (byte & 127) * scale;
    if (value > Number.MAX_SAFE_INTEGER) throw new RangeError("a varint is not below 2^53");
    if (byte < 128) return { value, next: at + 1 };
    scale *= 128;
  }
  throw new RangeError("a varint is cut off");
}

import type { Action } from "../../chain/actions.ts";

/**
 * Bytes of an action within the journal's encoding: a JSON header whose byte fields refer to the bytes after it.
 * Contract code stays binary, because in base64 the largest would exceed the 2 MB limit of a Durable Object's row.
 */
interface BytesReference {
  readonly $bytes: readonly [at: number, length: number];
}

const isPlace = (value: unknown): value is BytesReference =>
  typeof value === "object" && value !== null && "$bytes" in value;

/** Encodes actions: u32 (big endian) length of the header, the header, the byte fields. */
export const encodeActions = (actions: readonly Action[]): Uint8Array => {
  const parts: Uint8Array[] = [];
  let size = 0;
  // A Buffer has a method `toJSON`, so that the value that JSON passes isn't the field's any more.
  const header = JSON.stringify(actions, function (this: Record<string, unknown>, key, value: unknown) {
    const field = this[key];
    if (!(field instanceof Uint8Array)) return value;
    parts.push(field);
    const place: BytesReference = { $bytes: [size, field.length] };
    size += field.length;
    return place;
  });
  const head = new TextEncoder().encode(header);
  const bytes = new Uint8Array(4 + head.length + size);
  new DataView(bytes.buffer).setUint32(0, head.length);
  bytes.set(head, 4);
  let offset = 4 + head.length;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
};

/** Decodes the result of `encodeActions`. */
export const decodeActions = (bytes: Uint8Array): Action[] => {
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const body = 4 + headerLength;
  const header = new TextDecoder().decode(bytes.subarray(4, body));
  return JSON.parse(header, (_key, value: unknown) => {
    if (!isPlace(value)) return value;
    const [at, length] = value.$bytes;
    return bytes.slice(body + at, body + at + length);
  }) as Action[];
};

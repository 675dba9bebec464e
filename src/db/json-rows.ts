/** Bytes of a parameter; D1 accepts 2 MB, and 100 of them (https://developers.cloudflare.com/d1/platform/limits/). */
const MAX_PARAMETER_BYTES = 1_000_000;

/**
 * Packs rows into JSON arrays of at most 1 MB each, in order; a larger row is alone. Rows are collected as bytes: 20,000 small
 * strings would occupy memory until V8's next full garbage collection.
 */
export function* jsonRows(rows: Iterable<unknown>): Generator<string, void, void> {
  let packed = Buffer.alloc(FIRST_BYTES);
  let length = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    const needed = Buffer.byteLength(text) + 2;
    if (length > 0 && length + needed > MAX_PARAMETER_BYTES) {
      yield closed(packed, length);
      length = 0;
    }
    if (length + needed > packed.length) {
      const larger = Buffer.alloc(Math.max(2 * packed.length, length + needed));
      packed.copy(larger, 0, 0, length);
      packed = larger;
    }
    packed.write(length === 0 ? "[" : ",", length);
    length += packed.write(text, length + 1) + 1;
  }
  if (length > 0) yield closed(packed, length);
}

const FIRST_BYTES = 1024;

function closed(packed: Buffer, length: number): string {
  packed.write("]", length);
  return packed.toString("utf8", 0, length + 1);
}

/**
 * Bytes of one parameter: D1 takes values of 2 MB and 100 parameters a statement, so that many rows go in as one JSON
 * text, `INSERT … SELECT … FROM json_each(?)` (https://developers.cloudflare.com/d1/platform/limits/).
 */
const MAX_PARAMETER_BYTES = 1_000_000;

/** Packs rows into JSON arrays of at most 1 MB each, in order. */
export function* jsonRows(rows: Iterable<unknown>): Generator<string, void, void> {
  let texts: string[] = [];
  let bytes = 2;
  for (const row of rows) {
    const text = JSON.stringify(row);
    const length = Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes + length > MAX_PARAMETER_BYTES) {
      yield `[${texts.join()}]`;
      texts = [];
      bytes = 2;
    }
    texts.push(text);
    bytes += length;
  }
  if (texts.length > 0) yield `[${texts.join()}]`;
}

/** Items per chunk: few, to bound memory while the client reads. */
const PAGE = 50;

/** Streams the text of a JSON array, so that a long one is never in memory as a whole. */
export async function* jsonArray(items: Iterable<unknown>): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  let opening = "[";
  let texts: string[] = [];
  for (const item of items) {
    texts.push(JSON.stringify(item));
    if (texts.length < PAGE) continue;
    yield encoder.encode(opening + texts.join(","));
    opening = ",";
    texts = [];
  }
  const separated = texts.length > 0 || opening === "[" ? opening : "";
  yield encoder.encode(`${separated}${texts.join(",")}]`);
}

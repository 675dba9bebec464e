/** Items that are written at once: few, so that V8 has little to hold while the client takes them. */
const PAGE = 50;

/** The text of a JSON array, made as it is taken, so that a long one is never in memory as a whole. */
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

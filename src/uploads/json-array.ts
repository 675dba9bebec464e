/** Items that are written at once: few, so that V8 has little to hold while the client takes them. */
const PAGE = 50;

/** The text of a JSON array, made as the client takes it, so that a long one is never in memory as a whole. */
export function jsonArray(items: Iterable<unknown>): ReadableStream<Uint8Array> {
  const source = items[Symbol.iterator]();
  const encoder = new TextEncoder();
  let opening = "[";
  return new ReadableStream({
    pull(controller) {
      const texts: string[] = [];
      let item = source.next();
      for (; !item.done; item = source.next()) {
        texts.push(JSON.stringify(item.value));
        if (texts.length === PAGE) break;
      }
      const closing = item.done ? "]" : "";
      const separated = texts.length > 0 || opening === "[" ? opening : "";
      controller.enqueue(encoder.encode(separated + texts.join(",") + closing));
      opening = ",";
      if (item.done) controller.close();
    },
  });
}

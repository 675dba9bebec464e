/**
 * A text that counts how many of its characters are read. Unlike time, the count is the same at every run and on
 * every machine. A method is counted with the most characters that it can read.
 * @returns the text for its reader, and the count so far
 */
export function countedText(text: string): { readonly text: string; readonly looks: () => number } {
  let looks = 0;
  const counting = new Proxy(Object(text) as object, {
    get(_, key) {
      const value: unknown = Reflect.get(Object(text) as object, key);
      if (typeof value !== "function") {
        looks += 1;
        return value;
      }
      return (...args: unknown[]) => {
        const result: unknown = value.apply(text, args);
        looks += key === "slice" ? String(result).length + 1 : text.length;
        return result;
      };
    },
  });
  return { text: counting as unknown as string, looks: () => looks };
}

/** Where the text of a link begins that ends at the end of a text: at its own bracket, not at one within it; -1: nowhere. */
const openingOf = (text: string): number => {
  let depth = 1;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === "]") depth += 1;
    if (text[at] === "[") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
};

/** A document without its links to files beside docs/, which aren't served: their text stays. */
export const withServedLinks = (text: string): string => {
  const [first = "", ...rest] = text.split("](../");
  return rest.reduce((before, part) => {
    const opening = openingOf(before);
    return before.slice(0, opening) + before.slice(opening + 1) + part.slice(part.indexOf(")") + 1);
  }, first);
};

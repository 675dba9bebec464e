/** Subtitle of a picture whose JSON file has no name: tells NFTs apart. The contract fills the number in. */
export const NUMBERED = "#$TOKEN_NUM";

/**
 * Subtitle of a picture from the `name` in its metadata. Titles are the collection's title and the subtitle, so that a
 * name which begins with the title gives the rest of it: `Herons #7` of `Herons` is `#7`. Without a name it is the number.
 */
export function subtitleOf(title: string, metadata: unknown): string {
  if (typeof metadata !== "object" || metadata === null || !("name" in metadata)) return NUMBERED;
  const { name } = metadata;
  if (typeof name !== "string") return NUMBERED;
  const behind = name.startsWith(title) ? name.slice(title.length) : null;
  // A title that ends within a word of the name isn't what the name begins with.
  const rest = behind === null || /^[\p{L}\p{N}]/u.test(behind) ? name : behind;
  // The service joins the two with one space and takes 256 characters without control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const plain = rest.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return plain === "" ? NUMBERED : [...plain].slice(0, 256).join("");
}

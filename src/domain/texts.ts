/** Length in Unicode code points, which is what every limit on characters means. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** C0 and C1 control characters and DEL: no font shows them, and terminals obey some. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** What a text of several lines may have of them. */
export const LINE_BREAKS = "\n\r";

/** What may stand between the tokens of JSON (RFC 8259, section 2). */
export const JSON_WHITESPACE = "\n\r\t";

/** The first control character of a text, as `U+0000`; null if it has none but those that are allowed. */
export const controlCharacter = (text: string, allowed = ""): string | null => {
  for (const [found] of text.matchAll(CONTROL)) {
    if (!allowed.includes(found)) return codeOf(found);
  }
  return null;
};

const codeOf = (character: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Why a text can't be stored, as a sentence; null if it can. @param most code points @param allowed control characters */
export const textProblem = (text: string, most: number, allowed = ""): string | null => {
  if (!text.isWellFormed()) return "Use well-formed Unicode: the text has half of a surrogate pair.";
  // Only a text of more UTF-16 units can have more code points.
  if (text.length > most) {
    const length = codePoints(text);
    if (length > most) return `Use at most ${most} characters; there are ${length}.`;
  }
  const control = controlCharacter(text, allowed);
  if (control === null) return null;
  const lines = allowed === "" ? "" : " Line breaks may stay.";
  return `Remove the control character ${control}.${lines}`;
};

/** Opens a part of a text whose direction concerns nothing around it, and ends it (UAX #9, section 2.4). */
const OPENS_PART = "\u2068";
const ENDS_PART = "\u2069";

/** Characters that change the direction of what follows: embeddings, overrides, isolates and the ends of each. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/;

/** Why a text can't be a name, as a sentence; null if it can: it could turn around what stands beside it. */
export const directionProblem = (text: string): string | null => {
  const [found] = DIRECTIONS.exec(text) ?? [];
  return found === undefined
    ? null
    : `Remove the character ${codeOf(found)}, which changes the direction of text.`;
};

/**
 * A text as part of another one, which its own direction must not turn around (U+202E). Without characters of direction it
 * stays as it is. In markup, a block or `<bdi>` does the same.
 */
export const isolated = (text: string): string => {
  if (!DIRECTIONS.test(text)) return text;
  let open = 0;
  let kept = "";
  for (const character of text) {
    if (character === ENDS_PART) {
      // An end without a beginning would end the part that is opened here.
      if (open === 0) continue;
      open -= 1;
    } else if (character >= "\u2066" && character <= "\u2068") open += 1;
    kept += character;
  }
  return OPENS_PART + kept + ENDS_PART.repeat(open + 1);
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** Whether a JSON text has more than so many values, by commas and opening brackets; an empty one may count as one. */
export function hasMoreValues(text: string, most: number): boolean {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === OPENING_BRACKET || code === OPENING_BRACE) values += 1;
    if (values > most) return true;
  }
  return false;
}

/** Where the string that begins here ends. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

export type JsonPath = readonly (string | number)[];

/** Whichever of a body and its fields has the most entries, and how many. */
export function largestContainer(body: unknown): { readonly path: JsonPath; readonly entries: number } {
  const fields: [string, unknown][] = Array.isArray(body) ? [] : Object.entries(body ?? {});
  return fields
    .map(([name, value]) => ({ path: [name], entries: entriesOf(value) }))
    .reduce((largest, one) => (one.entries > largest.entries ? one : largest), {
      path: [] as string[],
      entries: entriesOf(body),
    });
}

const entriesOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
};

/** A field named `__proto__`, which the validator of a table passes over in silence; null if there is none. */
export function prototypeField(value: unknown): JsonPath | null {
  const waiting: NestedValue[] = [{ within: null, name: "", value }];
  for (const place of waiting) {
    const container = place.value;
    if (typeof container !== "object" || container === null) continue;
    if (Object.hasOwn(container, "__proto__")) return [...pathTo(place), "__proto__"];
    const isList = Array.isArray(container);
    for (const [name, inner] of Object.entries(container)) {
      waiting.push({ within: place, name: isList ? Number(name) : name, value: inner });
    }
  }
  return null;
}

/** A value and its parent. Paths aren't stored: those of nested values would add up to the square of their number. */
interface NestedValue {
  readonly within: NestedValue | null;
  readonly name: string | number;
  readonly value: unknown;
}

function pathTo(place: NestedValue): JsonPath {
  const names: (string | number)[] = [];
  for (let at = place; at.within !== null; at = at.within) names.push(at.name);
  return names.reverse();
}

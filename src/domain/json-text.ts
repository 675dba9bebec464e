/** Bytes of a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

/** Parses JSON that others wrote, such as a contract's log or a call's arguments. Null if it isn't JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
};

/** JSON in the one form that a value has (RFC 8785): names sorted by their UTF-16 code units, no space. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(",")}}`;
};

/** As `canonicalJson`, of a JSON text; of none and of `null` as of `{}`. Null if it isn't JSON or nests thousands of levels deep. */
export const canonicalText = (text: string): string | null => {
  try {
    return canonicalJson(JSON.parse(text.trim() || "{}") ?? {});
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
};

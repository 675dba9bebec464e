/** Bytes that a value takes as JSON in UTF-8, as it is sent and stored: a character may have four. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

import { JSON_LINES_TYPE } from "../domain/media-types.ts";

/** Files of R2 that hold a JSON value a line. */

/** What a file has at most, unless one value alone is larger: readers take in a whole file. Bytes of texts. */
export const MOST_LINES = 250;
export const MOST_BYTES = 1_000_000;

/** The text of a file. */
export const linesOf = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** Puts a file. */
export const putLines = async (bucket: R2Bucket, key: string, text: string): Promise<void> => {
  await bucket.put(key, text, { httpMetadata: { contentType: JSON_LINES_TYPE } });
};

/** The lines of a file; null: R2 doesn't have it. */
export const readLines = async (bucket: R2Bucket, key: string): Promise<string[] | null> => {
  const object = await bucket.get(key);
  return object === null ? null : (await object.text()).split("\n").filter((line) => line !== "");
};

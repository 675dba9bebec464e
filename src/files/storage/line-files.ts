import { JSON_LINES_TYPE } from "../../domain/media-types.ts";

/** Files of R2 that hold a JSON value a line. */

/** What a file has at most, unless one value alone is larger: readers take in a whole file. Bytes of texts. */
export const MOST_LINES = 250;
export const MOST_BYTES = 1_000_000;

/** Puts a file. @returns its size, bytes */
export const putLines = async (bucket: R2Bucket, key: string, lines: readonly string[]): Promise<number> => {
  const { size } = await bucket.put(key, lines.map((line) => `${line}\n`).join(""), {
    httpMetadata: { contentType: JSON_LINES_TYPE },
  });
  return size;
};

/** The lines of a file; null: R2 doesn't have it. */
export const readLines = async (bucket: R2Bucket, key: string): Promise<string[] | null> => {
  const object = await bucket.get(key);
  return object === null ? null : (await object.text()).split("\n").filter((line) => line !== "");
};

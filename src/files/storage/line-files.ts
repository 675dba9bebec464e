import { JSON_LINES_TYPE } from "../../domain/media-types.ts";

/** Files in R2 with a JSON value per line. */

/** Most lines and bytes of a file, which readers load whole. A single larger value has a file of its own. */
export const MOST_LINES = 250;
export const MOST_BYTES = 1_000_000;

/** Puts a file. @param listed what its listing shows @returns its size, bytes */
export const putLines = async (
  bucket: R2Bucket,
  key: string,
  lines: readonly string[],
  listed: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const { size } = await bucket.put(key, lines.map((line) => `${line}\n`).join(""), {
    httpMetadata: { contentType: JSON_LINES_TYPE },
    customMetadata: { ...listed },
  });
  return size;
};

/** The lines of a file; null if R2 doesn't have it. */
export const readLines = async (bucket: R2Bucket, key: string): Promise<string[] | null> => {
  const object = await bucket.get(key);
  return object === null ? null : (await object.text()).split("\n").filter((line) => line !== "");
};

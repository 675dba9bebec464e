import { toHex } from "../../domain/ids.ts";
import { JSON_TYPE } from "../../domain/media-types.ts";
import { MultipartUpload } from "./multipart-upload.ts";

/** A value in D1 has at most 2 MB, so long responses are stored in R2, and their row has `r2:<key>`. */

/** Longer texts go to R2. Bytes of UTF-8. */
const MAX_TEXT_IN_ROW = 64 * 1024;
export const R2_MARK = "r2:";

export interface KeptText {
  /** The text itself, or a reference to R2. JSON never begins with the mark. */
  readonly text: string;
  /** Its size in R2; null if the row has the text. */
  readonly bytes: number | null;
}

/** Puts a text into R2 if it is long. Its key is the name and its SHA-256, so another text of this name doesn't replace it. */
export const keepText = async (bucket: R2Bucket, name: string, text: string): Promise<KeptText> => {
  const encoded = new TextEncoder().encode(text);
  if (encoded.length <= MAX_TEXT_IN_ROW) return { text, bytes: null };
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoded));
  const key = `${name}/${toHex(digest)}`;
  await bucket.put(key, encoded, { httpMetadata: { contentType: JSON_TYPE } });
  return { text: `${R2_MARK}${key}`, bytes: encoded.length };
};

/** As `keepText`, for a stream, of which at most one part is in memory. */
export const keepStream = async (
  bucket: R2Bucket,
  key: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<KeptText> => {
  let unsent: Uint8Array[] = [];
  let size = 0;
  let upload: MultipartUpload | null = null;
  for await (const chunk of stream) {
    unsent.push(chunk);
    size += chunk.length;
    if (size <= MAX_TEXT_IN_ROW) continue;
    upload ??= await MultipartUpload.begin(bucket, key, JSON_TYPE);
    for (const each of unsent) await upload.write(each);
    unsent = [];
  }
  if (upload === null) return { text: new TextDecoder().decode(Buffer.concat(unsent)), bytes: null };
  await upload.complete();
  return { text: `${R2_MARK}${key}`, bytes: size };
};

/** Key of the object that holds a row's text; null if the row holds it. */
export const textKey = (kept: string): string | null =>
  kept.startsWith(R2_MARK) ? kept.slice(R2_MARK.length) : null;

/** A row's text, or a stream of it from R2. @throws Error if R2 doesn't have it */
export const openText = async (
  bucket: R2Bucket,
  kept: string,
): Promise<string | ReadableStream<Uint8Array>> => {
  const key = textKey(kept);
  if (key === null) return kept;
  const object = await bucket.get(key);
  if (object === null) throw new Error(`${key} is not in R2 although a row refers to it`);
  return object.body;
};

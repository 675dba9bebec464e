import { toHex } from "../../domain/ids.ts";
import { JSON_TYPE } from "../../domain/media-types.ts";
import { MultipartUpload } from "./multipart-upload.ts";

/** A value of D1 is at most 2 MB, so that long answers are kept in R2 and a row has `r2:<key>` in their place. */

/** Longer texts go to R2. Bytes of UTF-8. */
const MAX_TEXT_IN_ROW = 64 * 1024;

const MARK = "r2:";

/** Keys of answers in R2 begin so. */
const ANSWER_PREFIX = "answer/";

/** What a row keeps of a text. */
export interface KeptText {
  /** The text itself, or where it was put. JSON never begins with the mark. */
  readonly text: string;
  /** Its bytes in R2; null where the row has it. */
  readonly bytes: number | null;
}

/** Puts a text into R2 if it is long. Its key has its SHA-256: no other text of the same name takes its place. */
export const keepText = async (bucket: R2Bucket, name: string, text: string): Promise<KeptText> => {
  const encoded = new TextEncoder().encode(text);
  if (encoded.length <= MAX_TEXT_IN_ROW) return { text, bytes: null };
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoded));
  const key = `${ANSWER_PREFIX}${name}/${toHex(digest)}`;
  await bucket.put(key, encoded, { httpMetadata: { contentType: JSON_TYPE } });
  return { text: `${MARK}${key}`, bytes: encoded.length };
};

/** As `keepText`, for a text that streams: what is in memory is one part at most. */
export const keepStream = async (
  bucket: R2Bucket,
  name: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<KeptText> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const pieces = stream[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) return { text: new TextDecoder().decode(Buffer.concat(chunks)), bytes: null };
    chunks.push(value);
    size += value.length;
    if (size > MAX_TEXT_IN_ROW) break;
  }
  const key = `${ANSWER_PREFIX}${name}`;
  const upload = await MultipartUpload.begin(bucket, key, JSON_TYPE);
  for (const chunk of chunks) await upload.write(chunk);
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) break;
    size += value.length;
    await upload.write(value);
  }
  await upload.complete();
  return { text: `${MARK}${key}`, bytes: size };
};

/** Key of the object that holds a row's text; null if the row has it itself. */
export const textKey = (kept: string): string | null =>
  kept.startsWith(MARK) ? kept.slice(MARK.length) : null;

/** The text that a row keeps: itself, or a stream of it from R2. @throws Error if R2 has lost it */
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

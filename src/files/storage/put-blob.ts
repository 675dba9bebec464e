import { retry } from "../../waiting.ts";
import { blobKey } from "./keys.ts";

const ATTEMPTS = { tries: 4, firstPauseMs: 100 };

/** Puts a file or block at its digest's key. @throws R2's error of the last attempt */
export const putBlob = (
  bucket: R2Bucket,
  sha256: string,
  bytes: Uint8Array,
  mediaType: string,
): Promise<void> => putSame(bucket, blobKey(sha256), bytes, { contentType: mediaType });

/** What an object says of itself. */
interface Described {
  readonly contentType: string;
  readonly customMetadata?: Record<string, string>;
}

/**
 * Puts an object at a key that identifies its contents. R2 rejects a second put to one key within a second with 429; if
 * the object exists then, another request has put the same bytes. @throws R2's error of the last attempt
 */
export const putSame = (
  bucket: R2Bucket,
  key: string,
  bytes: Uint8Array | string,
  { contentType, customMetadata }: Described,
): Promise<void> =>
  retry(ATTEMPTS, async () => {
    try {
      await bucket.put(key, bytes, { httpMetadata: { contentType }, customMetadata });
    } catch (error) {
      if (!isTooFrequent(error) || (await bucket.head(key)) === null) throw error;
    }
  });

/** R2's error 10058, "Reduce your concurrent request rate for the same object" (HTTP 429). */
const isTooFrequent = (error: unknown): boolean =>
  error instanceof Error && /\b(10058|429)\b|concurrent request rate/i.test(error.message);

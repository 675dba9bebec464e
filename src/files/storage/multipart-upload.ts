/** Bytes of each part but the last: R2's minimum, which needs the least memory. */
export const PART_SIZE = 5 * 1_048_576;

/** A multipart upload to R2 of a file of unknown length, with two parts in memory: one fills while one is sent. */
export class MultipartUpload {
  readonly #upload: R2MultipartUpload;
  readonly #parts: Promise<R2UploadedPart>[] = [];
  readonly #buffers = [new Uint8Array(PART_SIZE), new Uint8Array(PART_SIZE)] as const;
  #filled = 0;

  private constructor(upload: R2MultipartUpload) {
    this.#upload = upload;
  }

  /** Begins an upload. Nothing is at the key until `complete`. */
  static async begin(bucket: R2Bucket, key: string, mediaType: string): Promise<MultipartUpload> {
    return new MultipartUpload(
      await bucket.createMultipartUpload(key, { httpMetadata: { contentType: mediaType } }),
    );
  }

  /** The buffer that fills: the one that the last part doesn't use. */
  get #buffer(): Uint8Array {
    return this.#buffers[this.#parts.length % 2 === 0 ? 0 : 1];
  }

  /** The file's next bytes. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      const part = rest.subarray(0, PART_SIZE - this.#filled);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      rest = rest.subarray(part.length);
      if (this.#filled === PART_SIZE) await this.#send();
    }
  }

  async #send(): Promise<void> {
    const before = this.#parts.at(-1);
    const sent = this.#upload.uploadPart(this.#parts.length + 1, this.#buffer.subarray(0, this.#filled));
    // The part is awaited later; until then its failure must not count as unhandled.
    sent.catch(() => undefined);
    this.#parts.push(sent);
    this.#filled = 0;
    await before;
  }

  /** Makes the file appear at its key. */
  async complete(): Promise<void> {
    if (this.#filled > 0) await this.#send();
    await this.#upload.complete(await Promise.all(this.#parts));
  }

  /** Drops all that was uploaded. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#parts);
    await this.#upload.abort();
  }
}

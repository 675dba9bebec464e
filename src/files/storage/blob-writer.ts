import { FileBuffer } from "./file-buffer.ts";
import { ParallelWork } from "./parallel-work.ts";
import { putBlob } from "./put-blob.ts";

/** A Worker's limit of open connections. https://developers.cloudflare.com/workers/platform/limits/ */
export const CONNECTIONS = 6;

/**
 * Puts files concurrently, with a buffer for each of the Worker's connections. A request for a buffer waits until one is
 * free, which slows down the body.
 */
export class BlobWriter {
  readonly #bucket: R2Bucket;
  readonly #bufferSize: number;
  readonly #free: FileBuffer[] = [];
  readonly #waiting: ((buffer: FileBuffer) => void)[] = [];
  readonly #written = new Map<string, number>();
  readonly #puts = new ParallelWork(CONNECTIONS);
  #buffers = 0;

  /** @param bufferSize size of a buffer: the largest file plus one byte, to detect oversize */
  constructor(bucket: R2Bucket, bufferSize: number) {
    this.#bucket = bucket;
    this.#bufferSize = bufferSize;
  }

  /** The files whose put has begun: digests in lower-case hexadecimal, and sizes in bytes. */
  *written(): Generator<{ readonly sha256: string; readonly size: number }, void, void> {
    for (const [sha256, size] of this.#written) yield { sha256, size };
  }

  /** An empty buffer for a file. Return it by `put` or `release`. */
  async buffer(): Promise<FileBuffer> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#buffers === CONNECTIONS) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#buffers++;
    return new FileBuffer(this.#bufferSize);
  }

  /** Returns a buffer. */
  release(buffer: FileBuffer): void {
    buffer.clear();
    const waiting = this.#waiting.shift();
    if (waiting) waiting(buffer);
    else this.#free.push(buffer);
  }

  /**
   * Begins to put a buffer's bytes, unless they were put before, and then frees the buffer.
   * @throws the failure of an earlier put
   */
  async put(sha256: string, buffer: FileBuffer, mediaType: string): Promise<void> {
    if (this.#written.has(sha256)) {
      this.release(buffer);
      return;
    }
    const { bytes } = buffer;
    this.#written.set(sha256, bytes.length);
    await this.#puts.start(async () => {
      try {
        await putBlob(this.#bucket, sha256, bytes, mediaType);
      } finally {
        this.release(buffer);
      }
    });
  }

  /** Waits for all puts. @throws the first failure */
  finish(): Promise<void> {
    return this.#puts.finish();
  }

  /** Waits until no put runs; failures are ignored. */
  idle(): Promise<void> {
    return this.#puts.idle();
  }
}

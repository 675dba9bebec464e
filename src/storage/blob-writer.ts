import { ParallelWork } from "./parallel-work.ts";
import { putBlob } from "./put-blob.ts";

/** Connections that a Worker may have waiting at once. https://developers.cloudflare.com/workers/platform/limits/ */
export const CONNECTIONS = 6;

/**
 * Puts many files at once, in as many connections as a Worker has and with one buffer for each of them. Who asks for
 * a buffer waits until one is free: that is the back pressure on the body that the files come from.
 */
export class BlobWriter {
  readonly #bucket: R2Bucket;
  readonly #bufferSize: number;
  readonly #free: Uint8Array[] = [];
  readonly #waiting: ((buffer: Uint8Array) => void)[] = [];
  readonly #written = new Map<string, number>();
  readonly #puts = new ParallelWork(CONNECTIONS);
  #buffers = 0;

  /** @param bufferSize bytes of each buffer: the largest file and what tells that one is larger */
  constructor(bucket: R2Bucket, bufferSize: number) {
    this.#bucket = bucket;
    this.#bufferSize = bufferSize;
  }

  /** The files whose put has begun: digests in lower-case hexadecimal, and bytes. */
  *written(): Generator<{ readonly sha256: string; readonly size: number }, void, void> {
    for (const [sha256, size] of this.#written) yield { sha256, size };
  }

  /** A buffer to gather a file in. Give it back by `put` or `release`. */
  async buffer(): Promise<Uint8Array> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#buffers === CONNECTIONS) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#buffers++;
    return new Uint8Array(this.#bufferSize);
  }

  /** Gives a buffer back. */
  release(buffer: Uint8Array): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(buffer);
    else this.#free.push(buffer);
  }

  /**
   * Begins to put a buffer's first bytes, unless the same bytes were put before; the buffer is free afterwards.
   * @throws the failure of an earlier put
   */
  async put(sha256: string, buffer: Uint8Array, length: number, mediaType: string): Promise<void> {
    if (this.#written.has(sha256)) {
      this.release(buffer);
      return;
    }
    this.#written.set(sha256, length);
    await this.#puts.start(() =>
      putBlob(this.#bucket, sha256, buffer.subarray(0, length), mediaType).finally(() =>
        this.release(buffer),
      ),
    );
  }

  /** Waits for all puts. @throws the first failure of one */
  finish(): Promise<void> {
    return this.#puts.finish();
  }

  /** Waits until no put is under way, whatever became of them. */
  settle(): Promise<void> {
    return this.#puts.settle();
  }
}

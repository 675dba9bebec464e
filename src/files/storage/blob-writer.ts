import { ParallelWork } from "./parallel-work.ts";
import { putBlob } from "./put-blob.ts";

/** Initial bytes of a buffer: most files are small and would leave most of a large buffer unused. */
const FIRST_SIZE = 65_536;

/** Memory that holds one file at a time. It grows once, for the first file that needs it. */
export class FileBuffer {
  readonly #capacity: number;
  #memory: Uint8Array;
  #length = 0;

  /** @param capacity bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#memory = new Uint8Array(Math.min(FIRST_SIZE, capacity));
  }

  /** A view of the bytes, valid until the buffer is cleared or grows. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  /** Whether no more bytes fit. */
  get full(): boolean {
    return this.#length === this.#capacity;
  }

  /** Appends as many of these bytes as fit. */
  append(bytes: Uint8Array): void {
    const fitting = bytes.subarray(0, this.#capacity - this.#length);
    if (this.#length + fitting.length > this.#memory.length) this.#grow();
    this.#memory.set(fitting, this.#length);
    this.#length += fitting.length;
  }

  #grow(): void {
    const { bytes } = this;
    this.#memory = new Uint8Array(this.#capacity);
    this.#memory.set(bytes);
  }

  /** Drops all bytes. */
  clear(): void {
    this.#length = 0;
  }
}

/** A Worker's limit of open connections. https://developers.cloudflare.com/workers/platform/limits/ */
export const CONNECTIONS = 6;

/** Puts files concurrently, with a buffer for each connection: a body is slowed down until one is free. */
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

  release(buffer: FileBuffer): void {
    buffer.clear();
    const waiting = this.#waiting.shift();
    if (waiting) waiting(buffer);
    else this.#free.push(buffer);
  }

  /** Begins to put a buffer's bytes, unless they were put before, and frees it. @throws an earlier failure */
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

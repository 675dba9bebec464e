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

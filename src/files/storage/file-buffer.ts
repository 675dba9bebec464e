/** Initial bytes of a buffer: most files are small and would leave most of a large buffer unused. */
const FIRST_SIZE = 65_536;

/** Memory in which one file after the other is gathered. It grows once, for the first file that needs it. */
export class FileBuffer {
  readonly #capacity: number;
  #memory: Uint8Array;
  #length = 0;

  /** @param capacity the most bytes that it takes */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#memory = new Uint8Array(Math.min(FIRST_SIZE, capacity));
  }

  /** A view of what was gathered, valid until the buffer is cleared or grows. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  /** Whether no more bytes fit. */
  get full(): boolean {
    return this.#length === this.#capacity;
  }

  /** Takes as many of these bytes as fit. */
  append(bytes: Uint8Array): void {
    const fitting = bytes.subarray(0, this.#capacity - this.#length);
    if (this.#length + fitting.length > this.#memory.length) this.#grow();
    this.#memory.set(fitting, this.#length);
    this.#length += fitting.length;
  }

  #grow(): void {
    const gathered = this.bytes;
    this.#memory = new Uint8Array(this.#capacity);
    this.#memory.set(gathered);
  }

  /** Forgets what was gathered. */
  clear(): void {
    this.#length = 0;
  }
}

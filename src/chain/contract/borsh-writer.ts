/** Writes borsh (https://borsh.io) into one growing buffer, because arguments of a finalization exceed a megabyte. */
export class BorshWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  /** @param capacity initial size in bytes; a good estimate avoids copies */
  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Writes bytes without a length prefix. */
  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  bool(value: boolean): void {
    this.raw(Uint8Array.of(value ? 1 : 0));
  }

  u32(value: number): void {
    this.#room(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  /** Writes a string: its length in bytes, then UTF-8. */
  text(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.u32(bytes.length);
    this.raw(bytes);
  }

  /** The bytes written so far. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #room(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

import { ServiceError } from "../../domain/errors.ts";
import { nextPiece } from "../body-pieces.ts";

/** Bytes of a body that are in memory at once. */
const CAPACITY = 131_072;

/**
 * A window of fixed size that slides over a body. What `first` gives out is a view into it, valid until the next
 * `fill`. The stream's own buffers are not used where it lets its reader bring one (all request bodies do).
 */
export class ByteWindow {
  readonly #source: Source;
  readonly #maxBytes: number;
  readonly #moved: () => void;
  #memory: Buffer<ArrayBuffer> = Buffer.from(new ArrayBuffer(CAPACITY));
  #start = 0;
  #end = 0;
  #total = 0;

  /** @param maxBytes more throws ServiceError payload_too_large @param moved is called with every piece */
  constructor(body: ReadableStream<Uint8Array>, maxBytes: number, moved: () => void = () => undefined) {
    this.#source = sourceOf(body);
    this.#maxBytes = maxBytes;
    this.#moved = moved;
  }

  /** Bytes in sight. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Puts bytes in front of the body, before anything was read. */
  prepend(bytes: Uint8Array): void {
    this.#memory.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Where a sequence begins, counted from the window's start; -1 where it isn't in sight as a whole. */
  indexOf(sequence: Buffer): number {
    // The whole memory is searched, since a view for each search would be an object for each: behind the bytes in sight
    // lie old ones, and what is found there doesn't count.
    const found = this.#memory.indexOf(sequence, this.#start);
    return found < 0 || found + sequence.length > this.#end ? -1 : found - this.#start;
  }

  /** Whether the bytes in sight begin with this ASCII text. */
  startsWith(text: string): boolean {
    const end = Math.min(this.#start + text.length, this.#end);
    return this.#memory.toString("latin1", this.#start, end) === text;
  }

  /** A view of the first bytes in sight. */
  first(length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, this.#start, length);
  }

  /** Moves the window's start on. */
  consume(length: number): void {
    this.#start += length;
  }

  /** Reads some more of the body, of which something was consumed if the window is full. @returns false at its end */
  async fill(): Promise<boolean> {
    if (this.#start > 0) {
      this.#memory.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    const piece = this.#source.read(this.#memory, this.#end);
    const { memory, length } = await nextPiece(piece, { code: "invalid_multipart", name: "form" });
    this.#moved();
    this.#memory = memory;
    this.#end += length;
    this.#total += length;
    if (this.#total > this.#maxBytes) throw tooLarge(this.#maxBytes);
    return length > 0;
  }

  /** Reads what is left of the body and drops it. */
  async skipAll(): Promise<void> {
    do this.#start = this.#end;
    while (await this.fill());
  }

  /** Cancels the rest of the body. */
  async cancel(): Promise<void> {
    await this.#source.cancel();
  }
}

export const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError(
    "payload_too_large",
    `The body is larger than ${maxBytes} bytes. Send the files in several requests; they add up in the draft.`,
  );

/** A stream that is read into memory of ours. */
interface Source {
  /** Reads behind `offset`. The memory given is lost and comes back in the answer; length 0 is the end. */
  read(memory: Buffer<ArrayBuffer>, offset: number): Promise<{ memory: Buffer<ArrayBuffer>; length: number }>;
  cancel(): Promise<void>;
}

function sourceOf(body: ReadableStream<Uint8Array>): Source {
  try {
    return lendingSource(body.getReader({ mode: "byob" }));
  } catch (error) {
    // A stream that script made of chunks takes no memory of its reader's.
    if (error instanceof TypeError) return copyingSource(body);
    throw error;
  }
}

const lendingSource = (reader: ReadableStreamBYOBReader): Source => ({
  async read(memory, offset) {
    const { value, done } = await reader.read(new Uint8Array(memory.buffer, offset));
    if (value === undefined) return { memory: Buffer.from(new ArrayBuffer(CAPACITY)), length: 0 };
    return { memory: Buffer.from(value.buffer as ArrayBuffer), length: done ? 0 : value.length };
  },
  cancel: () => quietly(reader.cancel()),
});

function copyingSource(body: ReadableStream<Uint8Array>): Source {
  const reader = body.getReader();
  let rest = new Uint8Array(0);
  return {
    async read(memory, offset) {
      while (rest.length === 0) {
        const { value, done } = await reader.read();
        if (done) return { memory, length: 0 };
        rest = new Uint8Array(value);
      }
      const length = Math.min(rest.length, memory.length - offset);
      memory.set(rest.subarray(0, length), offset);
      rest = rest.subarray(length);
      return { memory, length };
    },
    cancel: () => quietly(reader.cancel()),
  };
}

/** Cancelling a stream that has failed already fails with the same error, which was reported when it was read. */
const quietly = (cancelling: Promise<void>): Promise<void> => cancelling.catch(() => undefined);

import { crc32 } from "node:zlib";
import { hasSignature } from "./media-sniffing.ts";

/** What a format's reader asks for next: some bytes at once, or to pass over more than are worth gathering. */
type Wanted =
  | { readonly take: number; readonly mayEnd?: boolean }
  | { readonly pass: number; readonly crc?: number; readonly mayEnd?: boolean }
  /** To pass over what ends by its own bytes, and `behind` bytes before it. A loop does so, not a step a byte. */
  | { readonly seek: Sought; readonly behind: number };

/**
 * `marker`: the next segment's marker of a JPEG; compressed data and markers without a segment lie before it. `block`: the
 * next byte of a GIF that isn't padding. `end of blocks`: the empty sub-block of a GIF.
 */
type Sought = "marker" | "block" | "end of blocks";

/** Reads a format from its first byte. Ends at the picture's end; yields what it needs, and gets it or the CRC. */
type Reader = Generator<Wanted, string | null, { readonly bytes: Uint8Array; readonly crc: number }>;

const uint32 = (bytes: Uint8Array, at: number, littleEndian = false): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, littleEndian);
const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

/** PNG, third edition (https://www.w3.org/TR/png-3/), section 5: chunks with a CRC each, IHDR first and IEND last. */
function* png(): Reader {
  yield { take: 8 };
  let [first, hasData] = [true, false];
  for (;;) {
    const { bytes: head } = yield { take: 8 };
    const [length, type] = [uint32(head, 0), latin1(head.subarray(4))];
    if (length > 0x7fff_ffff || !/^[A-Za-z]{4}$/.test(type)) return "has a damaged chunk";
    if (first !== (type === "IHDR"))
      return first ? "doesn't begin with its IHDR chunk" : "has two IHDR chunks";
    first = false;
    const { crc } = yield { pass: length, crc: crc32(head.subarray(4)) };
    const { bytes: stored } = yield { take: 4 };
    if (uint32(stored, 0) !== crc) return `has a damaged ${type} chunk`;
    hasData ||= type === "IDAT";
    if (type === "IEND") return hasData ? null : "has no picture data";
  }
}

/** JPEG (ITU-T T.81, annex B): segments between SOI and EOI, with at least one scan. */
function* jpeg(): Reader {
  yield { take: 2 };
  let hasScan = false;
  for (;;) {
    const marker = (yield { seek: "marker", behind: 0 }).bytes[0]!;
    if (marker === 0xd9) return hasScan ? null : "has no scan";
    if (marker === 0xd8) return "begins a second picture within the first";
    const { bytes } = yield { take: 2 };
    const length = bytes[0]! * 256 + bytes[1]!;
    if (length < 2) return "has a damaged segment";
    yield { pass: length - 2 };
    hasScan ||= marker === 0xda;
  }
}

/** Bytes of a colour table, by the flags of its descriptor. */
const colours = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

/** GIF89a (https://www.w3.org/Graphics/GIF/spec-gif89a.txt): blocks up to the trailer, with at least one image. */
function* gif(): Reader {
  const { bytes: screen } = yield { take: 13 };
  yield { pass: colours(screen[10]!) };
  let hasImage = false;
  for (;;) {
    const kind = (yield { seek: "block", behind: 0 }).bytes[0]!;
    if (kind === 0x3b) return hasImage ? null : "has no image";
    if (kind !== 0x2c && kind !== 0x21) return "has a damaged block";
    if (kind === 0x2c) yield { pass: colours((yield { take: 9 }).bytes[8]!) };
    // Behind the code size of an image, or an extension's label.
    yield { seek: "end of blocks", behind: 1 };
    hasImage ||= kind === 0x2c;
  }
}

/** WebP (RFC 9649, section 2): chunks within the RIFF container's length, one of them a picture. */
function* webp(): Reader {
  const { bytes: head } = yield { take: 12 };
  let left = uint32(head, 4, true) - 4;
  let hasPicture = false;
  while (left > 0) {
    const { bytes } = yield { take: 8 };
    const size = uint32(bytes, 4, true);
    const whole = 8 + size + (size % 2);
    if (whole > left) return "has a chunk that ends beyond the file";
    yield { pass: whole - 8 };
    left -= whole;
    hasPicture ||= /^(VP8 |VP8L|ANMF)$/.test(latin1(bytes.subarray(0, 4)));
  }
  return hasPicture ? null : "has no picture";
}

/** AVIF: boxes up to the file's end, media data among them (ISO/IEC 14496-12, section 4.2). */
function* avif(): Reader {
  for (let hasData = false; ; ) {
    const head: Uint8Array = (yield { take: 8, mayEnd: hasData }).bytes;
    const size = uint32(head, 0);
    hasData ||= latin1(head.subarray(4)) === "mdat";
    // The last box may leave its size out; a long one has it in the next eight bytes.
    if (size === 0) yield { pass: Number.POSITIVE_INFINITY, mayEnd: hasData };
    else if (size === 1) {
      const { bytes: long } = yield { take: 8 };
      const bytes = uint32(long, 0) * 2 ** 32 + uint32(long, 4);
      if (bytes < 16) return "has a damaged box";
      yield { pass: bytes - 16 };
    } else if (size < 8) return "has a damaged box";
    else yield { pass: size - 8 };
  }
}

/** Formats by how they begin (https://mimesniff.spec.whatwg.org/, section 6.1), and where each ends. */
const FORMATS = [
  { name: "PNG", begin: "\x89PNG\r\n\x1a\n", end: "its IEND chunk", read: png },
  { name: "JPEG", begin: "\xff\xd8\xff", end: "its end marker", read: jpeg },
  { name: "GIF", begin: "GIF8.a", end: "its trailer", read: gif },
  { name: "WebP", begin: "RIFF....WEBPVP", end: "its last chunk", read: webp },
  { name: "AVIF", begin: "....ftypavi.", end: "the end of its boxes", read: avif },
] as const;

/**
 * Most steps for a file, of which each chunk, segment or block takes three or four. A GIF of 10,000 frames takes 80,000; a
 * file of nothing but empty segments would keep the isolate busy for seconds.
 */
const MOST_STEPS = 300_000;

const SIGNATURE_BYTES = 14;

const NOTHING = new Uint8Array();

const joined = (one: Uint8Array, other: Uint8Array) => Uint8Array.from(Buffer.concat([one, other]));

/**
 * Checks, piece by piece and in constant memory, that the structure of a PNG, JPEG, GIF or WebP goes on to its end. Bytes after
 * it pass, as decoders do (phones put videos there). Files of other formats pass.
 */
export class PictureStructure {
  #begun: Uint8Array = NOTHING;
  #format: (typeof FORMATS)[number] | null | undefined;
  #reader: Reader | null = null;
  #wanted: Wanted | null = null;
  /** Of a `take`: what is there; otherwise nothing. */
  #taken = NOTHING;
  /** Bytes to take or to pass over; of `end of blocks`: what is left of a sub-block. */
  #left = 0;
  #crc = 0;
  /** The last byte was 0xff, which begins a marker of a JPEG. */
  #mayMark = false;
  #fault: string | null = null;
  #steps = 0;

  push(piece: Uint8Array): void {
    if (this.#format !== undefined) {
      if (this.#format !== null) this.#read(piece);
      return;
    }
    this.#begun = joined(this.#begun, piece);
    if (this.#begun.length >= SIGNATURE_BYTES) this.#begin();
  }

  /** Why the file is no whole picture, as a sentence; null: it is one, or no picture of these formats. */
  end(): string | null {
    if (this.#format === undefined) this.#begin();
    if (!this.#format) return null;
    const fault = this.#reader === null || this.#mayEnd() ? this.#fault : `ends before ${this.#format.end}`;
    return fault && `The ${this.#format.name} ${fault}: viewers may show it broken. Export it again.`;
  }

  /** Whether the file may end here, of a format without an end of its own. */
  #mayEnd(): boolean {
    const wanted = this.#wanted!;
    return "mayEnd" in wanted && wanted.mayEnd === true && this.#taken.length === 0;
  }

  #begin(): void {
    this.#format = FORMATS.find(({ begin }) => hasSignature(this.#begun, begin)) ?? null;
    if (this.#format === null) return;
    this.#reader = this.#format.read();
    this.#ask(this.#reader.next());
    this.#read(this.#begun);
  }

  #ask({ value, done }: IteratorResult<Wanted, string | null>): void {
    if (done) {
      [this.#reader, this.#fault] = [null, value];
      return;
    }
    this.#wanted = value;
    this.#taken = NOTHING;
    this.#left = "take" in value ? value.take : "pass" in value ? value.pass : value.behind;
    this.#crc = ("crc" in value && value.crc) || 0;
    this.#mayMark = false;
  }

  #answer(bytes: Uint8Array): void {
    if (++this.#steps > MOST_STEPS) [this.#reader, this.#fault] = [null, "has too many parts"];
    else this.#ask(this.#reader!.next({ bytes, crc: this.#crc }));
  }

  #read(piece: Uint8Array): void {
    for (let at = 0; this.#reader !== null; ) {
      const wanted = this.#wanted!;
      if ("seek" in wanted) {
        at = this.#seek(wanted.seek, piece, at);
        if (at < 0) return;
        continue;
      }
      const found = piece.subarray(at, at + this.#left);
      at += found.length;
      this.#left -= found.length;
      if ("take" in wanted && this.#left === 0 && this.#taken.length === 0) {
        this.#answer(found);
        continue;
      }
      if ("take" in wanted) this.#taken = joined(this.#taken, found);
      else if (wanted.crc !== undefined) this.#crc = crc32(found, this.#crc);
      if (this.#left > 0) return;
      this.#answer(this.#taken);
    }
  }

  /** Where a piece goes on behind what is sought; -1: it ends before. */
  #seek(sought: Sought, piece: Uint8Array, from: number): number {
    if (sought === "marker") return this.#seekMarker(piece, from);
    if (sought === "end of blocks") return this.#passBlocks(piece, from);
    let at = from;
    while (piece[at] === 0) at++;
    if (at === piece.length) return -1;
    this.#answer(piece.subarray(at, at + 1));
    return at + 1;
  }

  #seekMarker(piece: Uint8Array, from: number): number {
    for (let at = from; at < piece.length; at++) {
      if (!this.#mayMark) {
        at = piece.indexOf(0xff, at);
        if (at < 0) return -1;
        this.#mayMark = true;
      } else if (piece[at] !== 0xff) {
        this.#mayMark = false;
        if (!hasSegment(piece[at]!)) continue;
        this.#answer(piece.subarray(at, at + 1));
        return at + 1;
      }
    }
    return -1;
  }

  #passBlocks(piece: Uint8Array, from: number): number {
    for (let at = from; ; ) {
      const passed = Math.min(this.#left, piece.length - at);
      this.#left -= passed;
      at += passed;
      if (at === piece.length) return -1;
      this.#left = piece[at++]!;
      if (this.#left === 0) {
        this.#answer(NOTHING);
        return at;
      }
    }
  }
}

/** Whether 0xff and this byte begin a segment: not a byte of data (0), TEM, or a restart (T.81, table B.1). */
const hasSegment = (byte: number): boolean => byte > 0x01 && (byte < 0xd0 || byte > 0xd7);

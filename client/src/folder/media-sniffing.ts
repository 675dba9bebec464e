// A copy of the service's own.

const MEDIA_TYPES = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/svg+xml",
  "video/mp4",
  "video/webm",
  "audio/mpeg",
  "audio/wav",
  "audio/ogg",
  "video/ogg",
  "model/gltf-binary",
] as const;

/** What wallets and marketplaces show, and Mintage takes as an asset. */
export type MediaType = (typeof MEDIA_TYPES)[number];

export const isMediaType = (type: string): type is MediaType => MEDIA_TYPES.some((each) => each === type);

/** What messages call them. */
export const MEDIA_NAMES = "PNG, JPEG, GIF, WebP, AVIF, SVG, MP4, WebM, MP3, WAV, OGG and GLB";

/** Bytes that identify a file's type: an MP3 without a tag needs two frames, and an SVG may begin with comments. */
export const SNIFFED_BYTES = 4096;

/** The type of a file by its bytes. @param file the file, or at least its first SNIFFED_BYTES */
export function mediaType(file: Uint8Array): MediaType | null {
  const start = file.subarray(0, SNIFFED_BYTES);
  const known = SIGNATURES.find(([, signature]) => hasSignature(start, signature));
  return known?.[0] ?? isoMedia(start) ?? webm(start) ?? ogg(start) ?? mp3(start) ?? glb(start) ?? svg(start);
}

/** Why a file is not taken, as a sentence. @param file its first bytes */
export function mediaFault(file: Uint8Array): string {
  const isXml = /^(\xef\xbb\xbf)?[ \t\r\n]*</.test(latin1(file.subarray(0, 64)));
  const hint = isXml
    ? ` An SVG has its svg element, with xmlns="${SVG_NAMESPACE}", in its first ${SNIFFED_BYTES} bytes, in UTF-8.`
    : "";
  return `Its bytes are none of ${MEDIA_NAMES}.${hint}`;
}

/** Signatures by the MIME Sniffing Standard, section 6 (https://mimesniff.spec.whatwg.org/); `.` is any byte. */
const SIGNATURES: readonly (readonly [MediaType, string])[] = [
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF....WEBPVP"],
  ["audio/wav", "RIFF....WAVE"],
];

export function hasSignature(start: Uint8Array, signature: string, offset = 0): boolean {
  if (start.length < offset + signature.length) return false;
  for (let index = 0; index < signature.length; index++) {
    if (signature[index] !== "." && start[offset + index] !== signature.charCodeAt(index)) return false;
  }
  return true;
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
const uint32 = (bytes: Uint8Array, at: number): number =>
  bytes.length < at + 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at);

/** Brands of still pictures other than AVIF, such as HEIC, which browsers don't show. */
const OTHER_PICTURES = /^(heic|heix|heim|heis|hevc|hevx|mif1|mif2|msf1|miaf|jpeg|j2ki|avci|avcs)$/;
/** Brands of MP4 (ISO/IEC 14496-12 and -14, and what encoders write in practice). */
const MP4_BRANDS = /^(isom|iso[2-9]|mp4[12]|avc1|M4[VA] |dash|MSNV)$/;

/** ISO base media: a file type box names the brands that a file conforms to. */
function isoMedia(start: Uint8Array): MediaType | null {
  if (!hasSignature(start, "....ftyp")) return null;
  const size = uint32(start, 0);
  if (size < 16 || size % 4 !== 0) return null;
  const end = Math.min(size, start.length);
  const brands = [latin1(start.subarray(8, 12))];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(latin1(start.subarray(at, at + 4)));
  if (brands.some((brand) => brand === "avif" || brand === "avis")) return "image/avif";
  if (brands.some((brand) => OTHER_PICTURES.test(brand))) return null;
  return brands.some((brand) => MP4_BRANDS.test(brand)) ? "video/mp4" : null;
}

/** EBML whose document type is WebM (RFC 8794, section 11.2; WebM Container Guidelines). Matroska is another one. */
function webm(start: Uint8Array): MediaType | null {
  if (!hasSignature(start, "\x1a\x45\xdf\xa3")) return null;
  const header = sizeAt(start, 4);
  if (header === null) return null;
  const end = Math.min(header.next + header.size, start.length);
  for (let at = header.next; at < end; ) {
    // Identifiers of a header's elements have two bytes, but for CRC-32 and Void, which have one.
    const idLength = (start[at] ?? 0) & 0x80 ? 1 : 2;
    const isDocType = hasSignature(start, "\x42\x82", at);
    const element = sizeAt(start, at + idLength);
    if (element === null) return null;
    const value = start.subarray(element.next, Math.min(element.next + element.size, end));
    // A text may be filled up with zeros (RFC 8794, section 7.4).
    if (isDocType) return /^webm\0*$/.test(latin1(value.subarray(0, 8))) ? "video/webm" : null;
    at = element.next + element.size;
  }
  return null;
}

/** A data size of EBML: as many bytes as the first one has leading zero bits, and one. */
function sizeAt(bytes: Uint8Array, at: number): { readonly size: number; readonly next: number } | null {
  const first = bytes[at];
  if (first === undefined || first === 0) return null;
  const length = Math.clz32(first) - 23;
  if (at + length > bytes.length) return null;
  let size = first & (0xff >> length);
  for (let index = 1; index < length; index++) size = size * 256 + (bytes[at + index] ?? 0);
  return { size, next: at + length };
}

/** The first packet of an Ogg stream names its codec (RFC 3533; RFC 5334). */
function ogg(start: Uint8Array): MediaType | null {
  if (!hasSignature(start, "OggS\0")) return null;
  const packet = 27 + (start[26] ?? 0);
  if (["\x80theora", "fishead\0"].some((codec) => hasSignature(start, codec, packet))) return "video/ogg";
  const audio = ["\x01vorbis", "OpusHead", "\x7fFLAC", "Speex   "];
  return audio.some((codec) => hasSignature(start, codec, packet)) ? "audio/ogg" : null;
}

/** An ID3 tag, or two frames of MPEG audio, layer III, one behind the other. */
function mp3(start: Uint8Array): MediaType | null {
  if (hasSignature(start, "ID3") && start.length >= 10) {
    const [major = 0xff, revision = 0xff] = start.subarray(3, 5);
    const size = start.subarray(6, 10);
    return major < 0x10 && revision < 0xff && size.every((byte) => byte < 0x80) ? "audio/mpeg" : null;
  }
  const length = frameLength(start, 0);
  return length > 0 && frameLength(start, length) > 0 ? "audio/mpeg" : null;
}

/** kbit/s of layer III by the header's index, for MPEG 1 and for MPEG 2 and 2.5. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
] as const;
/** Hz by the header's index, for MPEG 1; halved for MPEG 2, and again for MPEG 2.5. */
const SAMPLE_RATES = [44_100, 48_000, 32_000, 0] as const;

/** Bytes of the frame of MPEG audio, layer III, that begins here (ISO/IEC 11172-3, 2.4.1); 0 where none does. */
function frameLength(bytes: Uint8Array, at: number): number {
  const header = uint32(bytes, at);
  if (header >>> 21 !== 0x7ff) return 0;
  const version = (header >>> 19) & 3;
  const layer = (header >>> 17) & 3;
  if (version === 1 || layer !== 1) return 0;
  const isMpeg1 = version === 3;
  const bitRate = BIT_RATES[isMpeg1 ? 0 : 1][(header >>> 12) & 15] ?? 0;
  const sampleRate = (SAMPLE_RATES[(header >>> 10) & 3] ?? 0) / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  if (bitRate === 0 || sampleRate === 0) return 0;
  const padding = (header >>> 9) & 1;
  return Math.floor(((isMpeg1 ? 144_000 : 72_000) * bitRate) / sampleRate) + padding;
}

/** glTF in binary, version 2, whose first chunk is JSON (glTF 2.0 specification, section 4.4). */
function glb(start: Uint8Array): MediaType | null {
  const isGltf = hasSignature(start, "glTF\x02\0\0\0") && hasSignature(start, "JSON", 16);
  return isGltf ? "model/gltf-binary" : null;
}

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** XML in UTF-8 whose root is `svg`, with its namespace, behind a prolog with comments and a document type. */
function svg(start: Uint8Array): MediaType | null {
  // Characters beyond ASCII don't matter here, only that none of them is a null byte, as in UTF-16 and binary files.
  const text = latin1Text(
    start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? start.subarray(3) : start,
  );
  if (text.includes("\0")) return null;
  const root = rootAt(text);
  if (root === null || !/^<(?:[A-Za-z_][\w.-]*:)?svg[\s/>]/.test(text.slice(root, root + 80))) return null;
  return text.slice(0, tagEnd(text, root)).includes(SVG_NAMESPACE) ? "image/svg+xml" : null;
}

const latin1Text = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

/** Where the root element begins; null if something else comes first, or the prolog goes beyond the text. */
function rootAt(text: string): number | null {
  for (let at = 0; ; ) {
    while (/[ \t\r\n]/.test(text[at] ?? "")) at += 1;
    const after = text.startsWith("<?", at)
      ? behind(text, "?>", at + 2)
      : text.startsWith("<!--", at)
        ? behind(text, "-->", at + 4)
        : text.startsWith("<!DOCTYPE", at)
          ? behindDocumentType(text, at)
          : 0;
    if (after === 0) return text[at] === "<" ? at : null;
    if (after === null) return null;
    at = after;
  }
}

const behind = (text: string, mark: string, from: number): number | null => {
  const found = text.indexOf(mark, from);
  return found < 0 ? null : found + mark.length;
};

/** Behind a document type, whose internal subset stands in brackets and may have `>` in it. */
function behindDocumentType(text: string, from: number): number | null {
  const end = tagEnd(text, from);
  const subset = text.indexOf("[", from);
  if (subset < 0 || subset > end) return end < text.length ? end + 1 : null;
  const closing = text.indexOf("]", subset);
  return closing < 0 ? null : behind(text, ">", closing);
}

/** Position of the `>` that ends a tag, outside of quoted values; the text's length where there is none. */
function tagEnd(text: string, from: number): number {
  let quote = "";
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return at;
  }
  return text.length;
}

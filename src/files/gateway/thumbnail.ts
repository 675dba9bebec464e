import { imageSize } from "image-size";
import type { ServiceContext } from "../../context.ts";
import { noteGround } from "../../db/queries/blobs.ts";
import { ServiceError } from "../../domain/errors.ts";
import { toHex } from "../../domain/ids.ts";
import type { CardTexts } from "../../domain/share-card.ts";
import { THUMBNAIL_TYPES } from "../../domain/thumbnails.ts";
import { memoryShare } from "../isolate-memory.ts";
import { thumbnailKey } from "../storage/keys.ts";
import { onePixel } from "./one-pixel.ts";
import { openBytes, type Stored, type StoredBytes } from "./stored-blocks.ts";

const MB = 1_048_576;

/** Limits of a picture that is decoded here: pixels, and bytes of its file. Memory: docs/measurements.md. */
const MOST_PIXELS = 2_100_000;
const MOST_BYTES = 4 * MB;
/** What the platform's service takes, bytes (https://developers.cloudflare.com/images/transform-images/). */
const MOST_BYTES_OF_SERVICE = 20 * MB;
/** Bytes in which a picture's header is looked for. */
const HEADER_BYTES = 256 * 1024;

/** What the decoder's memory grows to; memory of WebAssembly never shrinks. */
const DECODER_MEMORY = 32 * MB;
const MOST_DECODER_MEMORY = 40 * MB;
/** Memory for one thumbnail: no owner can hold two such shares, so they are made one at a time. */
const THUMBNAIL_MEMORY = 28 * MB;

/** Lossy, as the platform's service has it; 0 to 100. */
const QUALITY = 80;

/** A thumbnail and its media type; `original`: return the stored picture; `busy`: return it this time. */
export type Thumbnail =
  | { readonly bytes: Uint8Array; readonly type: "image/webp" | "image/avif" }
  | "original"
  | "busy";

/** A thumbnail that is asked for. */
interface Wanted {
  readonly width: number;
  /** Whether it may be an AVIF. */
  readonly avif: boolean;
}

/**
 * The thumbnail of a stored picture, of an animation its first frame, made as it is first asked for and kept in R2: a WebP,
 * or an AVIF where that is smaller and the platform's service makes it. A picture that isn't wider, or that none can be
 * made of, is its own.
 */
export async function thumbnailOf(
  context: ServiceContext,
  stored: Stored,
  { width, avif }: Wanted,
): Promise<Thumbnail> {
  if (!isPicture(stored)) return "original";
  const { bytes, blob } = stored;
  const webp = await webpOf(context, { bytes, blob }, width);
  if (!avif || context.env.IMAGES === undefined || typeof webp === "string") return webp;
  const key = thumbnailKey(toHex(blob.sha256), `${width}.avif`);
  const known = await kept(context, key, "image/avif");
  if (known !== null) return known === "original" ? webp : known;
  const made = await byService(context, bytes, { width, format: "image/avif" });
  // Next time, as a picture that can be asked for again.
  if (typeof made === "string") return webp;
  const isSmaller = made.type === "image/avif" && made.bytes.length < webp.bytes.length;
  await keep(context, key, isSmaller ? made : "original");
  return isSmaller ? made : webp;
}

type StoredFile = Extract<Stored, { blob: unknown }>;
type StoredPicture = Pick<StoredFile, "bytes" | "blob">;

/** Whether thumbnails are made of it. */
const isPicture = (stored: Stored): stored is StoredFile =>
  "blob" in stored && THUMBNAIL_TYPES.has(stored.mediaType);

async function webpOf(
  context: ServiceContext,
  { bytes, blob }: StoredPicture,
  width: number,
): Promise<Thumbnail> {
  const key = thumbnailKey(toHex(blob.sha256), width);
  const known = await kept(context, key, "image/webp");
  if (known !== null) return known;
  const isOurs = context.env.IMAGES === undefined;
  if (bytes.size > (isOurs ? MOST_BYTES : MOST_BYTES_OF_SERVICE)) return "original";
  const size = await sizeOf(context, bytes);
  if (size === null || shownSize(size).width <= width) return "original";
  // Beside the answer: pages are shown without it.
  const note = (found: Promise<string | null>) => {
    const noted = found.then((colour) =>
      colour === null ? undefined : noteGround(context.db, blob.sha256, { ...shownSize(size), colour }),
    );
    context.waitUntil(
      noted.catch((error: unknown) => context.log("thumbnail.not_noted", { key: bytes.key, error })),
    );
  };
  if (!isOurs) {
    const made = await byService(context, bytes, { width, format: "image/webp" });
    if (blob.ground === null && typeof made !== "string") note(colourByService(context, bytes));
    return keep(context, key, made);
  }
  // The decoder ignores the EXIF rotation.
  if (size.width * size.height > MOST_PIXELS || (size.orientation ?? 1) > 1 || !size.isOneFrame)
    return "original";
  return oneAtATime(context, async () => {
    // Another request may have made it since.
    const present = await kept(context, key, "image/webp");
    return present ?? keep(context, key, await byLibrary(context, bytes, { width, note }));
  });
}

/** EXIF's orientations from 5 on are on their side. */
const shownSize = ({ width, height, orientation = 1 }: ReturnType<typeof imageSize>) =>
  orientation > 4 ? { width: height, height: width } : { width, height };

const NOTHING = new Uint8Array();

/** The object in R2; an empty one means that no thumbnail can be made. Null: not requested before. */
async function kept(
  { env }: ServiceContext,
  key: string,
  type: "image/webp" | "image/avif",
): Promise<Thumbnail | null> {
  const object = await env.BUCKET.get(key);
  if (object === null) return null;
  const bytes = new Uint8Array(await object.arrayBuffer());
  return bytes.length === 0 ? "original" : { bytes, type };
}

async function keep({ env }: ServiceContext, key: string, thumbnail: Thumbnail): Promise<Thumbnail> {
  if (thumbnail !== "busy") await env.BUCKET.put(key, thumbnail === "original" ? NOTHING : thumbnail.bytes);
  return thumbnail;
}

/** A picture's size, by its header; null if it isn't found. */
async function sizeOf(context: ServiceContext, bytes: StoredBytes) {
  const header = await openBytes(context, { ...bytes, size: Math.min(bytes.size, HEADER_BYTES) });
  const start = new Uint8Array(await new Response(header).arrayBuffer());
  try {
    return { ...imageSize(start), isOneFrame: isOneFrame(start) };
  } catch (error) {
    context.log("thumbnail.no_size", { key: bytes.key, error });
    return null;
  }
}

/**
 * Whether the frame that is decoded has the size of the picture's header. The decoder allocates what a frame says of itself:
 * 54 bytes can take gigabytes.
 */
function isOneFrame(start: Uint8Array): boolean {
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.length);
  const { width, height, type } = imageSize(start);
  try {
    if (type === "webp") return isWebpFrame(bytes, width, height);
    if (type === "gif") return isGifFrame(bytes, width, height);
    return type !== "jpg" || isJpegFrame(bytes);
  } catch (error) {
    // The frame begins beyond the bytes that were read.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** A still WebP, whose frame is a chunk (RFC 9649, section 2.7). @throws RangeError where the bytes end before it */
function isWebpFrame(bytes: Buffer, width: number, height: number): boolean {
  for (let at = 12; ; ) {
    const type = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    if (type === "VP8 " || type === "VP8L") {
      const frame = imageSize(Buffer.concat([bytes.subarray(0, 12), bytes.subarray(at, at + 64)]));
      return frame.width === width && frame.height === height;
    }
    if (type === "ANMF") return false;
    at += 8 + length + (length % 2);
  }
}

/** A GIF whose first image lies within its screen (GIF89a, sections 18 and 20). @throws RangeError as above */
function isGifFrame(bytes: Buffer, width: number, height: number): boolean {
  const flags = bytes.readUInt8(10);
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  while (bytes.readUInt8(at) !== 0x2c) {
    // Padding; or an extension, whose sub-blocks end with an empty one.
    if (bytes.readUInt8(at++) === 0) continue;
    at += 1;
    while (bytes.readUInt8(at) !== 0) at += 1 + bytes.readUInt8(at);
    at += 1;
  }
  const [left, top] = [bytes.readUInt16LE(at + 1), bytes.readUInt16LE(at + 3)];
  return left + bytes.readUInt16LE(at + 5) <= width && top + bytes.readUInt16LE(at + 7) <= height;
}

/** A JPEG with one frame header before its first scan (ITU-T T.81, figure B.2). @throws RangeError as above */
function isJpegFrame(bytes: Buffer): boolean {
  let frames = 0;
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes.readUInt8(at) !== 0xff) return false;
    while (bytes.readUInt8(at + 1) === 0xff) at += 1;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xda) return frames === 1;
    // SOF0 to SOF15, without the tables DHT, JPG and DAC between them.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) frames += 1;
  }
}

/** By the platform's service; what it doesn't make now it may make later. */
async function byService(
  context: ServiceContext,
  bytes: StoredBytes,
  { width, format }: { readonly width: number; readonly format: "image/webp" | "image/avif" },
): Promise<Thumbnail> {
  const picture = await openBytes(context, bytes);
  try {
    const output = await context.env
      .IMAGES!.input(picture)
      .transform({ width, fit: "scale-down" })
      .output({ format, quality: QUALITY, anim: false });
    // A picture that is too large for AVIF comes in another format.
    const type = output.contentType() === "image/avif" ? "image/avif" : "image/webp";
    return { bytes: new Uint8Array(await output.response().arrayBuffer()), type };
  } catch (error) {
    context.log("thumbnail.service_failed", { key: bytes.key, error });
    return "busy";
  }
}

/** A picture's mean colour, by the platform's service: the one pixel of a PNG. Null if it isn't opaque, or not known now. */
async function colourByService(context: ServiceContext, bytes: StoredBytes): Promise<string | null> {
  const picture = await openBytes(context, bytes);
  try {
    const output = await context.env
      .IMAGES!.input(picture)
      .transform({ width: 1, height: 1, fit: "squeeze" })
      .output({ format: "image/png", anim: false });
    return await onePixel(new Uint8Array(await output.response().arrayBuffer()));
  } catch (error) {
    context.log("thumbnail.no_colour", { key: bytes.key, error });
    return null;
  }
}

/** Width of a work on a card, at least: pixels. */
const ON_CARD = 640;
/** Memory that the library of cards keeps. */
const CARD_MEMORY = 8 * MB;

/**
 * The card of a page as WebP. @param stored the work; null, as where nothing can be made of it: its sign is drawn @param font
 * TrueType
 */
export async function cardOf(
  context: ServiceContext,
  stored: Stored | null,
  { texts, font }: { readonly texts: CardTexts; readonly font: Uint8Array },
): Promise<Uint8Array | "busy"> {
  const picture = stored && (await smallPicture(context, stored));
  if (picture === "busy") return picture;
  return oneAtATime(context, async () => {
    if (!isCardHeld) {
      const share = { bytes: CARD_MEMORY, owner: "cards", what: "cards" };
      (await memoryShare(context, share)).kept();
    }
    isCardHeld = true;
    const { drawnCard } = await import("./drawn-card.ts");
    return drawnCard(texts, picture, { font, quality: QUALITY });
  });
}

let isCardHeld = false;

/** A file that is decoded for a card: a work's thumbnail, or the work itself where it is small; null: there is none. */
async function smallPicture(context: ServiceContext, stored: Stored): Promise<Uint8Array | "busy" | null> {
  const made = await thumbnailOf(context, stored, { width: ON_CARD, avif: false });
  if (made === "busy") return made;
  const { bytes } = stored;
  if (made === "original" && (!isPicture(stored) || bytes.size > MOST_BYTES)) return null;
  const size = made === "original" ? await sizeOf(context, bytes) : imageSize(made.bytes);
  if (size === null || size.width * size.height > MOST_PIXELS) return null;
  if (made !== "original") return made.bytes;
  // A wider one is its own thumbnail because none can be made of it.
  if (size.width > ON_CARD || (size.orientation ?? 1) > 1 || !("isOneFrame" in size && size.isOneFrame))
    return null;
  return new Uint8Array(await new Response(await openBytes(context, bytes)).arrayBuffer());
}

/** Runs with a share of the isolate's memory while no other thumbnail is made; `busy` if there is none in time. */
async function oneAtATime<T>(context: ServiceContext, work: () => Promise<T>): Promise<T | "busy"> {
  const share = (bytes: number, owner: string) => memoryShare(context, { bytes, owner, what: "thumbnails" });
  try {
    const { ended } = await share(THUMBNAIL_MEMORY, "thumbnails");
    try {
      if (!isHeld) (await share(DECODER_MEMORY, "decoder of thumbnails")).kept();
      isHeld = true;
      return await work();
    } finally {
      ended();
    }
  } catch (error) {
    if (error instanceof ServiceError && error.code === "rate_limited") return "busy";
    throw error;
  }
}

let isHeld = false;

/** `original` if the picture can't be decoded: an upload checks a file's structure, not its pixels. */
async function byLibrary(
  context: ServiceContext,
  bytes: StoredBytes,
  { width, note }: { readonly width: number; readonly note: (colour: Promise<string | null>) => void },
): Promise<Thumbnail> {
  const file = new Uint8Array(await new Response(await openBytes(context, bytes)).arrayBuffer());
  // With the first picture: WebAssembly of 2 MB that most isolates don't need.
  const { decoderMemory, shrunkWebp } = await import("./shrunk-webp.ts");
  // A decoder that broke off doesn't free what it had.
  if ((await decoderMemory()) > MOST_DECODER_MEMORY) return "busy";
  try {
    const { webp, colour } = await shrunkWebp(file, { width, quality: QUALITY });
    note(Promise.resolve(colour));
    return { bytes: webp, type: "image/webp" };
  } catch (error) {
    context.log("thumbnail.not_decoded", { key: bytes.key, error });
    return "original";
  }
}

import { imageSize } from "image-size";
import type { ServiceContext } from "../../context.ts";
import { ServiceError } from "../../domain/errors.ts";
import { toHex } from "../../domain/ids.ts";
import { CARD, GROUND, THUMBNAIL_TYPES, type ThumbnailForm } from "../../domain/thumbnails.ts";
import { memoryShare } from "../isolate-memory.ts";
import { thumbnailKey } from "../storage/keys.ts";
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
const THUMBNAIL_MEMORY = 31 * MB;

/** Lossy, as the platform's service has it; 0 to 100. */
const QUALITY = 80;

/** A thumbnail as WebP; `original`: return the stored picture; `busy`: return it this time. */
export type Thumbnail = Uint8Array | "original" | "busy";

/**
 * The WebP of a stored picture, of an animation its first frame, made as it is first asked for and kept in R2. A
 * picture that isn't wider, or that none can be made of, is its own; every other one has a card.
 */
export async function thumbnailOf(
  context: ServiceContext,
  stored: Stored,
  form: ThumbnailForm,
): Promise<Thumbnail> {
  if (!("blob" in stored) || !THUMBNAIL_TYPES.has(stored.mediaType)) return "original";
  const key = thumbnailKey(toHex(stored.blob.sha256), form);
  const known = await kept(context, key);
  if (known !== null) return known;
  const { bytes } = stored;
  const isOurs = context.env.IMAGES === undefined;
  if (bytes.size > (isOurs ? MOST_BYTES : MOST_BYTES_OF_SERVICE)) return "original";
  const size = await sizeOf(context, bytes);
  if (size === null || (form !== "card" && shownWidth(size) <= form)) return "original";
  if (!isOurs) return keep(context, key, await byService(context, bytes, form));
  // The decoder ignores the EXIF rotation.
  if (size.width * size.height > MOST_PIXELS || (size.orientation ?? 1) > 1 || !size.isOneFrame)
    return "original";
  return oneAtATime(context, async () => {
    // Another request may have made it since.
    const present = await kept(context, key);
    return present ?? keep(context, key, await byLibrary(context, bytes, form));
  });
}

/** EXIF's orientations from 5 on are on their side. */
const shownWidth = ({ width, height, orientation = 1 }: ReturnType<typeof imageSize>): number =>
  orientation > 4 ? height : width;

const NOTHING = new Uint8Array();

/** The object in R2; an empty one means that no thumbnail can be made. Null: not requested before. */
async function kept({ env }: ServiceContext, key: string): Promise<Thumbnail | null> {
  const object = await env.BUCKET.get(key);
  if (object === null) return null;
  const bytes = new Uint8Array(await object.arrayBuffer());
  return bytes.length === 0 ? "original" : bytes;
}

async function keep({ env }: ServiceContext, key: string, thumbnail: Thumbnail): Promise<Thumbnail> {
  if (thumbnail !== "busy") await env.BUCKET.put(key, thumbnail === "original" ? NOTHING : thumbnail);
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

const PADDED = {
  width: CARD.width,
  height: CARD.height,
  fit: "pad",
  background: `rgb(${GROUND.join(" ")})`,
} as const;

/** By the platform's service; what it doesn't make now it may make later. */
async function byService(
  context: ServiceContext,
  bytes: StoredBytes,
  form: ThumbnailForm,
): Promise<Thumbnail> {
  const picture = await openBytes(context, bytes);
  try {
    const output = await context.env
      .IMAGES!.input(picture)
      .transform(form === "card" ? PADDED : { width: form, fit: "scale-down" })
      .output({ format: "image/webp", quality: QUALITY, anim: false });
    return new Uint8Array(await output.response().arrayBuffer());
  } catch (error) {
    context.log("thumbnail.service_failed", { key: bytes.key, error });
    return "busy";
  }
}

/** Runs with a share of the isolate's memory while no other thumbnail is made; `busy` if there is none in time. */
async function oneAtATime(context: ServiceContext, work: () => Promise<Thumbnail>): Promise<Thumbnail> {
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
  form: ThumbnailForm,
): Promise<Thumbnail> {
  const file = new Uint8Array(await new Response(await openBytes(context, bytes)).arrayBuffer());
  // With the first picture: WebAssembly of 2 MB that most isolates don't need.
  const { decoderMemory, shrunkWebp } = await import("./shrunk-webp.ts");
  // A decoder that broke off doesn't free what it had.
  if ((await decoderMemory()) > MOST_DECODER_MEMORY) return "busy";
  try {
    return await shrunkWebp(file, { form, quality: QUALITY });
  } catch (error) {
    context.log("thumbnail.not_decoded", { key: bytes.key, error });
    return "original";
  }
}

import { initPhoton, PhotonImage } from "@cf-wasm/photon/others";
import photonModule from "@cf-wasm/photon/photon.wasm";
import encoderModule from "@jsquash/webp/codec/enc/webp_enc_simd.wasm";
import encodeWebp, { init as initEncoder } from "@jsquash/webp/encode.js";
import { meanColour, type Pixels, shrink } from "../../domain/thumbnails.ts";

/** Of 0 to 6: twice as fast as the default of 4, with files a few per cent larger. */
const METHOD = 2;

/** Bytes of memory that the decoder has; it is started if it wasn't. */
export async function decoderMemory(): Promise<number> {
  if (!initPhoton.initialized) initPhoton.sync({ module: photonModule });
  const { memory } = await initPhoton.ensure();
  return memory.buffer.byteLength;
}

/**
 * A picture as WebP of a width, of an animation its first frame, and its mean colour, null if it isn't opaque. @param quality
 * 0 to 100 @throws Error if it can't be decoded
 */
export async function shrunkWebp(
  file: Uint8Array,
  { width, quality }: { readonly width: number; readonly quality: number },
): Promise<{ readonly webp: Uint8Array; readonly colour: string | null }> {
  const pixels = shrink(decode(file), width);
  return { webp: await asWebp(pixels, quality), colour: meanColour(pixels) };
}

/** Pixels as WebP. @param quality 0 to 100 */
export async function asWebp({ data, ...size }: Pixels, quality: number): Promise<Uint8Array> {
  const picture = { ...size, data: new Uint8ClampedArray(data.buffer), colorSpace: "srgb" } as const;
  // A new one each time, so that its memory is freed.
  await initEncoder(encoderModule);
  return new Uint8Array(await encodeWebp(picture, { quality, method: METHOD }));
}

/** A picture's pixels; an animation's first. @throws Error if it can't be decoded */
export function decode(file: Uint8Array): Pixels {
  const image = PhotonImage.new_from_byteslice(file);
  try {
    return { data: image.get_raw_pixels(), width: image.get_width(), height: image.get_height() };
  } finally {
    image.free();
  }
}

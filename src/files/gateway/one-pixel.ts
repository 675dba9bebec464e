/** The deflated data of a PNG, and how its pixels are written (https://www.w3.org/TR/png-3/#5Chunk-layout). */
function read(png: Uint8Array): { readonly depth: number; readonly sort: number; readonly data: Uint8Array } {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = 8; at + 12 <= png.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    if (type === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return { depth: view.getUint8(24), sort: view.getUint8(25), data: Buffer.concat(parts) };
}

/** Channels of a pixel by the PNG's colour type: grey, red, green and blue, and both with alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };

/** The colour of a PNG of one pixel, `#rrggbb`; null if it is see-through, or of a palette. @throws Error if it is no PNG */
export async function onePixel(png: Uint8Array): Promise<string | null> {
  const { depth, sort, data } = read(png);
  const channels = CHANNELS[sort];
  if (depth !== 8 || channels === undefined) return null;
  const inflated = new Response(data as BodyInit).body!.pipeThrough(new DecompressionStream("deflate"));
  // A byte names the filter, which changes nothing of the first pixel.
  const [, ...pixel] = new Uint8Array(await new Response(inflated).arrayBuffer());
  const hasAlpha = channels % 2 === 0;
  if (pixel.length < channels || (hasAlpha && pixel[channels - 1] !== 255)) return null;
  const colour = channels < 3 ? [pixel[0]!, pixel[0]!, pixel[0]!] : pixel.slice(0, 3);
  return `#${colour.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

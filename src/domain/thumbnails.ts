/** Widths of thumbnails, pixels. */
export const THUMBNAIL_WIDTHS = [320, 640, 1280] as const;

/** Formats that have thumbnails. Others, such as SVG, are shown unchanged. */
export const THUMBNAIL_TYPES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

/** The `srcset` of a picture; undefined if its address is not of this gateway. @param base without a slash at the end */
export const thumbnailsOf = (url: string, base: string): string | undefined =>
  url.startsWith(`${base}/ipfs/`) && !/[?#]/.test(url)
    ? THUMBNAIL_WIDTHS.map((width) => `${url}?img-width=${width} ${width}w`).join(", ")
    : undefined;

/** What stands in place of an opaque picture while it loads: its size in pixels and its mean colour, `#rrggbb`. */
export interface PictureGround {
  readonly width: number;
  readonly height: number;
  readonly colour: string;
}

/** The mean colour of a picture, `#rrggbb`; null if anything shows through it. */
export function meanColour({ data }: Pixels): string | null {
  const sums = [0, 0, 0];
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] !== 255) return null;
    for (let channel = 0; channel < 3; channel++) sums[channel]! += data[at + channel]!;
  }
  const count = Math.max(1, data.length / 4);
  return `#${sums
    .map((sum) =>
      Math.round(sum / count)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** A picture's pixels: red, green, blue and alpha, a byte each, row by row. */
export interface Pixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A place on a canvas, pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Draws a whole picture into the middle of a box of an opaque canvas. A small one is enlarged by a whole number, so that
 * its pixels stay sharp.
 */
export function drawInto(canvas: Pixels, source: Pixels, box: Box): void {
  const fit = Math.min(box.width / source.width, box.height / source.height);
  const by = Math.max(1, Math.floor(fit));
  const part = fit < 1 ? shrink(source, Math.max(1, Math.floor(source.width * fit))) : source;
  const left = box.x + Math.floor((box.width - part.width * by) / 2);
  const top = box.y + Math.max(0, Math.floor((box.height - part.height * by) / 2));
  for (let y = 0; y < Math.min(part.height * by, box.height); y++) {
    for (let x = 0; x < part.width * by; x++) {
      const from = (Math.floor(y / by) * part.width + Math.floor(x / by)) * 4;
      const to = ((top + y) * canvas.width + left + x) * 4;
      const alpha = part.data[from + 3]! / 255;
      for (let colour = 0; colour < 3; colour++)
        canvas.data[to + colour] = Math.round(
          part.data[from + colour]! * alpha + canvas.data[to + colour]! * (1 - alpha),
        );
    }
  }
}

/**
 * A smaller picture: each pixel is the mean of those that it covers, by their alpha. It needs no memory beyond the result; the
 * decoder's library would double it (docs/measurements.md). @param width at most the source's
 */
export function shrink({ data, ...source }: Pixels, width: number): Pixels {
  const height = Math.max(1, Math.round((source.height * width) / source.width));
  const result = new Uint8Array(width * height * 4);
  for (let y = 0, at = 0; y < height; y++) {
    const [top, bottom] = [(y * source.height) / height, ((y + 1) * source.height) / height];
    for (let x = 0; x < width; x++) {
      const [left, right] = [(x * source.width) / width, ((x + 1) * source.width) / width];
      let [red, green, blue, alpha, area] = [0, 0, 0, 0, 0];
      for (let row = Math.floor(top); row < bottom && row < source.height; row++) {
        const part = Math.min(row + 1, bottom) - Math.max(row, top);
        for (let column = Math.floor(left); column < right && column < source.width; column++) {
          const from = (row * source.width + column) * 4;
          const covered = part * (Math.min(column + 1, right) - Math.max(column, left));
          const opaque = covered * data[from + 3]!;
          red += opaque * data[from]!;
          green += opaque * data[from + 1]!;
          blue += opaque * data[from + 2]!;
          alpha += opaque;
          area += covered;
        }
      }
      const weight = alpha || 1;
      result[at++] = Math.round(red / weight);
      result[at++] = Math.round(green / weight);
      result[at++] = Math.round(blue / weight);
      result[at++] = Math.round(alpha / area);
    }
  }
  return { data: result, width, height };
}

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

/** A picture's pixels: red, green, blue and alpha, a byte each, row by row. */
export interface Pixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
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

/** Widths of thumbnails, pixels. */
const THUMBNAIL_WIDTHS = [320, 640, 1280] as const;

/** A picture as other sites show it beside a link: pixels of the whole card, and of its edge around the picture. */
export const CARD = { width: 1_200, height: 630, edge: 40 } as const;

/** What a picture is made smaller to: a width of `THUMBNAIL_WIDTHS`, or a card. */
export type ThumbnailForm = number | "card";

export const THUMBNAIL_FORMS: readonly ThumbnailForm[] = [...THUMBNAIL_WIDTHS, "card"];

/** A card's ground, on which the whole picture lies: red, green and blue. */
export const GROUND = [0xef, 0xef, 0xeb] as const;

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

/** Address of a picture's card; null if none is made of it, or another gateway has it. @param type null: not known */
export const cardOf = (url: string, type: string | null, base: string): string | null =>
  (type === null || THUMBNAIL_TYPES.has(type)) && thumbnailsOf(url, base) ? `${url}?img-width=card` : null;

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

/** A picture in the middle of a card. A small one is enlarged by a whole number, so that its pixels stay sharp. */
export function card(source: Pixels): Pixels {
  const { width, height, edge } = CARD;
  const fit = Math.min((width - 2 * edge) / source.width, (height - 2 * edge) / source.height);
  const by = Math.max(1, Math.floor(fit));
  const part = fit < 1 ? shrink(source, Math.max(1, Math.floor(source.width * fit))) : source;
  const [left, top] = [
    Math.floor((width - part.width * by) / 2),
    Math.max(0, Math.floor((height - part.height * by) / 2)),
  ];
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < data.length; at += 4) data.set([...GROUND, 255], at);
  for (let y = 0; y < Math.min(part.height * by, height); y++) {
    for (let x = 0; x < part.width * by; x++) {
      const from = (Math.floor(y / by) * part.width + Math.floor(x / by)) * 4;
      const to = ((top + y) * width + left + x) * 4;
      const alpha = part.data[from + 3]! / 255;
      for (let colour = 0; colour < 3; colour++)
        data[to + colour] = Math.round(part.data[from + colour]! * alpha + GROUND[colour]! * (1 - alpha));
    }
  }
  return { data, width, height };
}

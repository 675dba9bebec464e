import * as fc from "fast-check";
import sharp from "sharp";
import { expect, test } from "vitest";
import { drawInto, meanColour, shrink, THUMBNAIL_TYPES, thumbnailsOf } from "../../src/domain/thumbnails.ts";
import { onePixel } from "../../src/files/gateway/one-pixel.ts";

const sizes = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }));

const pixels = sizes.chain(([width, height]) =>
  fc.record({
    data: fc.uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 }),
    width: fc.constant(width),
    height: fc.constant(height),
  }),
);

test("a smaller picture has the requested width and its source's proportions", () => {
  fc.assert(
    fc.property(pixels, fc.double({ min: 0, max: 1, noNaN: true }), (source, part) => {
      const width = Math.max(1, Math.floor(source.width * part));
      const small = shrink(source, width);
      expect(small.width).toBe(width);
      expect(Math.abs(small.height - (source.height * width) / source.width)).toBeLessThanOrEqual(1);
      expect(small.data.length).toBe(small.width * small.height * 4);
    }),
  );
});

test("a picture at its source's width is unchanged, but for the colours of transparent pixels", () => {
  fc.assert(
    fc.property(pixels, (source) => {
      const seen = source.data.map((value, at) => (source.data[at - (at % 4) + 3] === 0 ? 0 : value));
      expect(shrink(source, source.width).data).toEqual(seen);
    }),
  );
});

test("a pixel is the average of the pixels that it covers, by area and alpha", () => {
  const data = Uint8Array.from(
    [
      [255, 0, 0, 255],
      [0, 0, 255, 255],
      [0, 255, 0, 0],
      [255, 0, 0, 255],
      [0, 0, 255, 255],
      [0, 255, 0, 0],
    ].flat(),
  );
  const { data: small, height } = shrink({ data, width: 3, height: 2 }, 2);
  expect(height).toBe(1);
  expect([...small]).toEqual([170, 0, 85, 255, 0, 0, 255, 85]);
});

/** A canvas of one colour. */
const canvasOf = (width: number, height: number, ground: number) => ({
  data: new Uint8Array(width * height * 4).fill(ground),
  width,
  height,
});

test.each([
  [1_000, 1_000],
  [3_000, 40],
  [40, 1_500],
  [1_121, 551],
  [32, 32],
])("a picture of %d × %d px is drawn whole, in its shape, within its box", (width, height) => {
  const canvas = canvasOf(1_200, 630, 9);
  const box = { x: 100, y: 20, width: 600, height: 500 };
  drawInto(canvas, { width, height, data: new Uint8Array(width * height * 4).fill(255) }, box);
  const isPicture = (x: number, y: number) => canvas.data[(y * 1_200 + x) * 4] === 255;
  const columns = Array.from({ length: 1_200 }, (_, x) => x).filter((x) => isPicture(x, 270));
  const rows = Array.from({ length: 630 }, (_, y) => y).filter((y) => isPicture(400, y));
  expect(columns[0]).toBeGreaterThanOrEqual(100);
  expect(columns.at(-1)).toBeLessThan(700);
  expect(rows[0]).toBeGreaterThanOrEqual(20);
  expect(rows.at(-1)).toBeLessThan(520);
  // Its shape stays, but for less than a pixel.
  expect(Math.abs(columns.length - (rows.length * width) / height)).toBeLessThanOrEqual(width / height + 1);
});

test("transparent parts show the canvas, and a small picture keeps sharp pixels", () => {
  const data = Uint8Array.from([200, 0, 0, 255, 0, 0, 0, 0]);
  const canvas = canvasOf(100, 50, 9);
  drawInto(canvas, { width: 2, height: 1, data }, { x: 0, y: 0, width: 100, height: 50 });
  const colours = Array.from({ length: 100 }, (_, x) =>
    canvas.data
      .slice((25 * 100 + x) * 4)
      .slice(0, 3)
      .join(),
  );
  expect(new Set(colours)).toEqual(new Set(["9,9,9", "200,0,0"]));
});

test("a picture is in the middle of its box, and mixed with the canvas by its alpha", () => {
  const pixel = (alpha: number) => ({ width: 1, height: 1, data: Uint8Array.of(200, 100, 0, alpha) });
  const canvas = canvasOf(9, 7, 20);
  // Enlarged three times: the box has room for three and a half.
  drawInto(canvas, pixel(255), { x: 1, y: 2, width: 7, height: 3 });
  const drawn = Array.from({ length: 63 }, (_, at) => at).filter((at) => canvas.data[at * 4] === 200);
  expect(drawn).toEqual([2, 3, 4].flatMap((y) => [3, 4, 5].map((x) => y * 9 + x)));
  expect([...new Set(canvas.data.filter((_, at) => at % 4 === 3))]).toEqual([20]);
  const mixed = canvasOf(1, 1, 20);
  drawInto(mixed, pixel(51), { x: 0, y: 0, width: 1, height: 1 });
  expect([...mixed.data]).toEqual([56, 36, 16, 20]);
});

test("a picture of the gateway has thumbnails in three widths, and no other address has", () => {
  const base = "https://mint.test";
  expect(thumbnailsOf(`${base}/ipfs/x`, base)).toBe(
    [320, 640, 1280].map((width) => `${base}/ipfs/x?img-width=${width} ${width}w`).join(", "),
  );
  for (const url of [`${base}/ipfs/x?a`, `${base}/ipfs/x#a`, `${base}/x`, "https://other.test/ipfs/x"])
    expect(thumbnailsOf(url, base), url).toBeUndefined();
  expect(THUMBNAIL_TYPES).toEqual(new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]));
});

test("the mean colour is that of all pixels, and none where something shows through", () => {
  const data = Uint8Array.from([255, 0, 0, 255, 1, 128, 8, 255]);
  expect(meanColour({ data, width: 2, height: 1 })).toBe("#804004");
  expect(meanColour({ data: new Uint8Array(), width: 0, height: 0 })).toBe("#000000");
  data[7] = 254;
  expect(meanColour({ data, width: 2, height: 1 })).toBeNull();
});

test.each([
  ["red, green and blue", { r: 27, g: 65, b: 115 }, "#1b4173"],
  ["alpha that is full", { r: 27, g: 65, b: 115, alpha: 1 }, "#1b4173"],
  ["alpha", { r: 27, g: 65, b: 115, alpha: 0.5 }, null],
] as const)("the pixel of a PNG is read, with %s", async (_, background, colour) => {
  const channels = "alpha" in background ? 4 : 3;
  const png = await sharp({ create: { width: 1, height: 1, channels, background } })
    .png()
    .toBuffer();
  expect(await onePixel(png)).toBe(colour);
  const grey = await sharp(png).flatten().toColourspace("b-w").png().toBuffer();
  expect(await onePixel(grey)).toMatch(/^#(..)\1\1$/);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CARD, card, cardOf, GROUND, shrink } from "../../src/domain/thumbnails.ts";

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

test.each([
  [1_000, 1_000],
  [3_000, 40],
  [40, 1_500],
  [1_121, 551],
  [32, 32],
])("a card of a picture of %d × %d px has its size, the whole picture, and a background", (width, height) => {
  const made = card({ width, height, data: new Uint8Array(width * height * 4).fill(255) });
  expect([made.width, made.height, made.data.length]).toEqual([1_200, 630, 1_200 * 630 * 4]);
  const isPicture = (x: number, y: number) => made.data[(y * 1_200 + x) * 4] === 255;
  const columns = Array.from({ length: 1_200 }, (_, x) => x).filter((x) => isPicture(x, 314));
  const rows = Array.from({ length: 630 }, (_, y) => y).filter((y) => isPicture(599, y));
  expect(columns[0]).toBeGreaterThanOrEqual(CARD.edge);
  expect(columns.at(-1)).toBeLessThan(1_200 - CARD.edge);
  expect(rows[0]).toBeGreaterThanOrEqual(CARD.edge);
  expect(rows.at(-1)).toBeLessThan(630 - CARD.edge);
  // Its shape stays, but for less than a pixel.
  expect(Math.abs(columns.length - (rows.length * width) / height)).toBeLessThanOrEqual(width / height + 1);
  const at = (place: number) => [...made.data.slice(place * 4, place * 4 + 4)];
  expect([at(0), at(1_200 * 630 - 1)]).toEqual([
    [...GROUND, 255],
    [...GROUND, 255],
  ]);
});

test("transparent parts show the card's background, and a small picture keeps sharp pixels", () => {
  const data = Uint8Array.from(
    [
      [200, 0, 0, 255],
      [0, 0, 0, 0],
    ].flat(),
  );
  const made = card({ width: 2, height: 1, data });
  const colours = new Set(
    Array.from({ length: 1_200 }, (_, x) =>
      made.data.slice((315 * 1_200 + x) * 4, (315 * 1_200 + x) * 4 + 3).join(),
    ),
  );
  expect(colours).toEqual(new Set([GROUND.join(), "200,0,0"]));
});

test("only pictures of this gateway have cards", () => {
  const base = "https://mint.test";
  for (const type of ["image/png", "image/gif", null])
    expect(cardOf(`${base}/ipfs/x`, type, base)).toBe(`${base}/ipfs/x?img-width=card`);
  for (const type of ["image/svg+xml", "video/mp4", "audio/wav"])
    expect(cardOf(`${base}/ipfs/x`, type, base)).toBeNull();
  expect(cardOf("https://ipfs.test/ipfs/x", "image/png", base)).toBeNull();
});

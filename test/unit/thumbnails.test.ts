import * as fc from "fast-check";
import { expect, test } from "vitest";
import { shrink } from "../../src/domain/thumbnails.ts";

const sizes = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }));

const pixels = sizes.chain(([width, height]) =>
  fc.record({
    data: fc.uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 }),
    width: fc.constant(width),
    height: fc.constant(height),
  }),
);

test("a smaller picture has the width that was asked for, and its source's shape", () => {
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

test("at the source's width it is the source, but for colours that nobody sees", () => {
  fc.assert(
    fc.property(pixels, (source) => {
      const seen = source.data.map((value, at) => (source.data[at - (at % 4) + 3] === 0 ? 0 : value));
      expect(shrink(source, source.width).data).toEqual(seen);
    }),
  );
});

test("a pixel is the mean of those it covers, by area and alpha", () => {
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

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { pictureType, referenceFault, SIGNATURE_LENGTH } from "../../src/domain/media-types.ts";
import { picture } from "../support/pictures.ts";

it.each(["png", "jpeg", "gif", "webp"] as const)("knows a %s by its first bytes", (format) => {
  const start = picture(format, 1).subarray(0, SIGNATURE_LENGTH);
  expect(pictureType(start)).toBe(`image/${format}`);
  const least = { png: 8, jpeg: 3, gif: 6, webp: 14 }[format];
  expect(pictureType(start.subarray(0, least))).toBe(`image/${format}`);
  expect(pictureType(start.subarray(0, least - 1))).toBeNull();
});

it.each(["", "<svg", "RIFF\0\0\0\0WAVEfmt ", "GIF88a", "%PDF-1.7", "BM", "ID3"])(
  "knows %j as no picture",
  (start) => expect(pictureType(Buffer.from(start, "latin1"))).toBeNull(),
);

it("takes JSON objects in UTF-8 as reference files, and nothing else", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      expect(referenceFault(Buffer.from(JSON.stringify(value))) === null).toBe(isObject);
    }),
  );
  expect(referenceFault(Buffer.from("\ufeff{}"))).toBeNull();
  expect(referenceFault(Buffer.from([0x7b, 0xff, 0x7d]))).toMatch(/UTF-8/);
  expect(referenceFault(Buffer.from("{}}"))).toMatch(/not JSON/);
});

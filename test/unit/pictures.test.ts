import { createHash } from "node:crypto";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { type PictureFormat, picture } from "../../testing/pictures.ts";

const SIZES = [undefined, 512, 700, 1024, 65_536, 65_900, 66_000, 131_500, 1_048_576];

describe.each(["png", "jpeg", "gif", "webp"] satisfies PictureFormat[])("the test picture %s", (format) => {
  test.each(SIZES)("with %s bytes has that size and can be decoded", async (size) => {
    const bytes = picture(format, 7, size);
    if (size !== undefined) expect(bytes.length).toBe(size);
    const { data, info } = await sharp(bytes, { failOn: "warning" })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 2, height: 2 });
    expect(data.length).toBeGreaterThanOrEqual(12);
  });

  test("differs by its seed", () => {
    const hashes = Array.from({ length: 500 }, (_, seed) =>
      createHash("sha256").update(picture(format, seed)).digest("hex"),
    );
    expect(new Set(hashes).size).toBe(500);
  });
});

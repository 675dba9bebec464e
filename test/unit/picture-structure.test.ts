import { crc32 } from "node:zlib";
import fc from "fast-check";
import sharp, { type Sharp, type SharpOptions } from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { PictureStructure } from "../../src/domain/picture-structure.ts";
import { picture } from "../../testing/pictures.ts";

const faultOf = (...pieces: readonly Uint8Array[]): string | null => {
  const structure = new PictureStructure();
  for (const piece of pieces) structure.push(piece);
  return structure.end();
};

/** What encoders really make, by name: sharp's variants, animations included. */
const encoded = new Map<string, Uint8Array>();

beforeAll(async () => {
  const noise = { create: { width: 40, height: 30, channels: 4, background: "#1f6f54" } } as const;
  const gaussian = {
    ...noise,
    create: { ...noise.create, noise: { type: "gaussian", mean: 128, sigma: 60 } },
  };
  const one = () => sharp(gaussian as SharpOptions);
  const frames = await Promise.all([one().png().toBuffer(), one().png().toBuffer(), one().png().toBuffer()]);
  const animation = () => sharp(frames, { join: { animated: true } });
  const variants: Record<string, Sharp> = {
    png: one().png(),
    "png, interlaced": one().png({ progressive: true }),
    "png, palette": one().png({ palette: true, colours: 16 }),
    jpeg: one().jpeg(),
    "jpeg, progressive": one().jpeg({ progressive: true }),
    "jpeg, with metadata": one()
      .jpeg()
      .withExif({ IFD0: { Copyright: "Herons" } }),
    "jpeg, with restart markers": one().jpeg({ mozjpeg: true }),
    gif: one().gif(),
    "gif, animated": animation().gif(),
    "webp, lossy": one().webp(),
    "webp, lossless": one().webp({ lossless: true }),
    "webp, animated": animation().webp(),
    avif: one().avif(),
    "avif, lossless": one().avif({ lossless: true }),
  };
  for (const [name, image] of Object.entries(variants))
    encoded.set(name, Uint8Array.from(await image.toBuffer()));
  for (const format of ["png", "jpeg", "gif", "webp"] as const)
    encoded.set(`small ${format}`, picture(format, 3, 900));
});

const files = () => fc.constantFrom(...encoded.entries());
const within = (bytes: Uint8Array) => fc.integer({ min: 0, max: bytes.length });

describe("the structure of a picture", () => {
  test("is accepted for every whole file, however it is split", () => {
    for (const [name, bytes] of encoded) expect(faultOf(bytes), name).toBeNull();
    fc.assert(
      fc.property(
        files().chain(([name, bytes]) =>
          fc.tuple(fc.constant({ name, bytes }), fc.array(within(bytes), { maxLength: 8 })),
        ),
        ([{ name, bytes }, cuts]) => {
          const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
          const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
          expect(faultOf(...pieces), name).toBeNull();
        },
      ),
    );
  });

  test("is refused for a file that is truncated anywhere after its signature", () => {
    fc.assert(
      fc.property(
        files().chain(([name, bytes]) =>
          fc.tuple(fc.constant({ name, bytes }), fc.integer({ min: 14, max: bytes.length - 1 })),
        ),
        ([{ name, bytes }, length]) => {
          expect(faultOf(bytes.subarray(0, length)), `${name}, ${length} of ${bytes.length}`).toMatch(
            /Export it again\.$/,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test("is refused for a PNG with any changed byte in its chunks", () => {
    const bytes = encoded.get("png")!;
    const place = fc.integer({ min: 8, max: bytes.length - 1 });
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const changed = bytes.slice();
        changed[at]! ^= difference;
        expect(faultOf(changed)).not.toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  test("is accepted for an AVIF with any kind of box size, and refused for an impossible size", () => {
    const bytes = encoded.get("avif")!;
    const box = (size: number[], more: number[]) =>
      Uint8Array.from([...size, ...Buffer.from("free"), ...more]);
    const long = box([0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 20, 1, 2, 3, 4]);
    for (const end of [long, box([0, 0, 0, 0], [1, 2, 3])]) expect(faultOf(bytes, end)).toBeNull();
    const damaged = "The AVIF has a damaged box: viewers may show it broken. Export it again.";
    for (const end of [box([0, 0, 0, 7], []), box([0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 15])])
      expect(faultOf(bytes, end)).toBe(damaged);
    for (const end of [long.subarray(0, 7), long.subarray(0, 15), long.subarray(0, 19)])
      expect(faultOf(bytes, end)).toMatch(/ends before the end of its boxes/);
    const withoutData = bytes.subarray(0, Buffer.from(bytes).indexOf("mdat") - 4);
    expect(faultOf(withoutData)).toMatch(/ends before the end of its boxes/);
  });

  test("may be followed by further bytes, as decoders allow", () => {
    for (const [name, bytes] of encoded)
      if (!name.startsWith("avif")) expect(faultOf(bytes, new Uint8Array(1_000)), name).toBeNull();
  });

  test("may contain padding, empty extensions, one-byte sub-blocks and restart markers", () => {
    const insert = (name: string, place: (bytes: Uint8Array) => number, more: readonly number[]) => {
      const bytes = encoded.get(name)!;
      const at = place(bytes);
      return Uint8Array.from([...bytes.subarray(0, at), ...more, ...bytes.subarray(at)]);
    };
    const many = (...bytes: number[]) => Array.from({ length: 300 }, () => bytes).flat();
    const trailer = (bytes: Uint8Array) => bytes.length - 1;
    const endMarker = (bytes: Uint8Array) => bytes.length - 2;
    for (const whole of [
      insert("gif", trailer, many(0)),
      insert("gif", trailer, many(0x21, 0xfe, 0)),
      insert("gif", trailer, [0x21, 0xfe, ...many(1, 0x3b), 0]),
      insert("jpeg", endMarker, many(0xff, 0xd0)),
      insert("jpeg", endMarker, many(0xff, 0x00)),
      insert("jpeg", endMarker, many(0xff, 0xfe, 0, 2)),
    ]) {
      expect(faultOf(whole)).toBeNull();
      expect(faultOf(...Array.from(whole, (byte) => Uint8Array.of(byte)))).toBeNull();
      expect(faultOf(whole.subarray(0, -1))).toMatch(/ends before/);
    }
  });

  test("is refused for a file with more parts than encoders write, before all of them are read", () => {
    const segment = [0xff, 0xfe, 0, 2];
    const segments = (count: number) => Uint8Array.from({ length: 4 * count }, (_, at) => segment[at % 4]!);
    const jpeg = encoded.get("jpeg")!;
    const end = jpeg.length - 2;
    expect(faultOf(jpeg.subarray(0, end), segments(90_000), jpeg.subarray(end))).toBeNull();
    expect(faultOf(jpeg.subarray(0, end), segments(110_000), jpeg.subarray(end))).toBe(
      "The JPEG has too many parts: viewers may show it broken. Export it again.",
    );
  });

  test("isn't checked in other formats, in few bytes, or in an empty file", () => {
    for (const text of ["", "GIF8", "<svg/>", "RIFF\0\0\0\0WAVEfmt ", "ID3 and so on, an MP3"])
      expect(faultOf(new TextEncoder().encode(text))).toBeNull();
  });

  test("is refused with the format and the missing part", () => {
    const cut = (name: string) => faultOf(encoded.get(name)!.subarray(0, 200));
    expect([cut("png"), cut("jpeg"), cut("gif"), cut("webp, lossy")]).toEqual([
      "The PNG ends before its IEND chunk: viewers may show it broken. Export it again.",
      "The JPEG ends before its end marker: viewers may show it broken. Export it again.",
      "The GIF ends before its trailer: viewers may show it broken. Export it again.",
      "The WebP ends before its last chunk: viewers may show it broken. Export it again.",
    ]);
  });

  /** A PNG of chunks. */
  const png = (...chunks: readonly (readonly [type: string, data?: string])[]) =>
    Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      ...chunks.flatMap(([type, data = ""]) => {
        const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
        length.writeUInt32BE(data.length);
        crc.writeUInt32BE(crc32(type + data));
        return [length, Buffer.from(type + data), crc];
      }),
    ]);
  const latin1 = (text: string) => Buffer.from(text, "latin1");
  const webp = (size: number, chunks: string) =>
    latin1(`RIFF${String.fromCharCode(size)}\0\0\0WEBP${chunks}`);

  test.each([
    ["PNG doesn't begin with its IHDR chunk", png(["IDAT"], ["IHDR"], ["IEND"])],
    ["PNG has two IHDR chunks", png(["IHDR"], ["IHDR"], ["IDAT"], ["IEND"])],
    ["PNG has no picture data", png(["IHDR"], ["IEND"])],
    ["PNG has a damaged chunk", png(["IH1R"], ["IDAT"], ["IEND"])],
    ["PNG has a damaged chunk", latin1("\x89PNG\r\n\x1a\n\x80\0\0\0IHDR")],
    ["PNG has a damaged IDAT chunk", png(["IHDR"], ["IDAT", "a"]).fill("b", 28, 29)],
    ["JPEG has no scan", latin1("\xff\xd8\xff\xe0\0\x0812345\0\xff\xd9and more")],
    ["JPEG begins a second picture within the first", latin1("\xff\xd8\xff\xe0\0\x0412\xff\xd8and more")],
    ["JPEG has a damaged segment", latin1("\xff\xd8\xff\xe0\0\x01and more than that")],
    ["GIF has no image", latin1("GIF89a\0\0\0\0\0\0\0;and more")],
    ["GIF has a damaged block", latin1("GIF89a\0\0\0\0\0\0\0xand more")],
    ["WebP has a chunk that ends beyond the file", webp(22, "VP8 \x0b\0\0\x0a3456789012")],
    ["WebP has no picture", webp(22, "VPXX\x0a\0\0\x000123456789")],
  ])("is refused where the %s", (why, bytes) => {
    expect(faultOf(bytes)).toBe(`The ${why}: viewers may show it broken. Export it again.`);
  });

  test("is accepted for the smallest parts that a format allows", () => {
    for (const bytes of [
      png(["IHDR"], ["IDAT"], ["IEND"]),
      latin1("\xff\xd8\xff\xe0\0\x02\xff\xda\0\x02data\xff\xd9 "),
      // A colour table of two, then an image with one of four.
      latin1(`GIF87a\0\0\0\0\x80\0\0${"c".repeat(6)},\0\0\0\0\0\0\0\0\x81${"c".repeat(12)}\x02\x01x\0;`),
      // Chunks are padded to even sizes.
      webp(22, "VP8L\x09\0\0\x00123456789\0"),
      webp(22, "VP8 \x0a\0\0\x000123456789"),
      webp(22, "ANMF\x0a\0\0\x000123456789"),
    ])
      expect(faultOf(bytes), bytes.toString("latin1")).toBeNull();
  });
});

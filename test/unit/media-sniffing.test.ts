import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isMediaType,
  MEDIA_NAMES,
  mediaFault,
  mediaType,
  SNIFFED_BYTES,
} from "../../src/domain/media-sniffing.ts";
import { picture } from "../../testing/pictures.ts";
import { MEDIA, MORE_MEDIA, OTHER_FILES } from "../support/media.ts";

const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));
const utf8 = (text: string) => new TextEncoder().encode(text);

const FILES: Readonly<Record<string, { readonly type: string; readonly bytes: Uint8Array }>> = {
  ...MEDIA,
  ...MORE_MEDIA,
  png: { type: "image/png", bytes: picture("png", 1) },
  jpeg: { type: "image/jpeg", bytes: picture("jpeg", 1) },
  gif: { type: "image/gif", bytes: picture("gif", 1) },
  webp: { type: "image/webp", bytes: picture("webp", 1) },
};

test.each(Object.entries(FILES))("%s is recognised by its bytes", (_, { type, bytes }) => {
  expect(mediaType(bytes)).toBe(type);
  expect(isMediaType(type)).toBe(true);
});

/** The fewest first bytes that identify a format. With fewer it is not recognized. */
const LEAST: Readonly<Record<string, number>> = {
  png: 8,
  jpeg: 3,
  gif: 6,
  webp: 14,
  wav: 12,
  ogg: 36,
  glb: 20,
};

test.each(Object.entries(LEAST))(
  "%s is recognised by its first %i bytes and not by fewer",
  (format, least) => {
    const { type, bytes } = FILES[format]!;
    expect(mediaType(bytes.subarray(0, least))).toBe(type);
    expect(mediaType(bytes.subarray(0, least - 1))).toBeNull();
  },
);

test.each([
  ["an empty file", ""],
  ["a text", "not a picture"],
  ["a PDF", "%PDF-1.7"],
  ["a bitmap", "BM\x36\0\0\0"],
  ["GIF of another version", "GIF88a"],
  ["another RIFF", "RIFF\0\0\0\0AVI LIST"],
  ["HEIC", "\0\0\0\x18ftypheic\0\0\0\0mif1heic"],
  ["HEIC that says isom", "\0\0\0\x18ftypheic\0\0\0\0isommif1"],
  ["a box of an odd size", "\0\0\0\x11ftypisom\0\0\0\0isom"],
  ["glTF 1", "glTF\x01\0\0\0\x18\0\0\0\x04\0\0\0JSON"],
  ["Ogg of an unknown codec", `OggS${"\0".repeat(22)}\x01\x08nonsense`],
  ["an ID3 tag with an invalid size", "ID3\x04\0\0\x80\0\0\0 and more"],
  ["one frame of MP3 and then noise", `\xff\xfb\x90\0${"\0".repeat(413)}noise`],
  ["HTML", "<!DOCTYPE html><html><svg xmlns='http://www.w3.org/2000/svg'></svg></html>"],
  ["an svg element of no namespace", "<svg/>"],
  ["an element that begins with svg", '<svgx xmlns="http://www.w3.org/2000/svg"/>'],
  ["a namespace behind the root tag", '<svg><g xmlns="http://www.w3.org/2000/svg"/></svg>'],
  ["a text before the root", 'x<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ["a comment without an end", '<!-- <svg xmlns="http://www.w3.org/2000/svg"/>'],
])("%s is not recognised as a media file", (_, text) => {
  expect(mediaType(latin1(text))).toBeNull();
});

test.each(Object.entries(OTHER_FILES))("%s is not recognised", (_, bytes) => {
  expect(mediaType(bytes)).toBeNull();
});

describe("an SVG", () => {
  const space = fc.stringMatching(/^[ \t\r\n]{0,4}$/);
  const words = fc.stringMatching(/^[A-Za-z ><!"'=\u00e4\u4e16]{0,40}$/);
  const piece = fc.oneof(
    words.map((text) => `<!--${text}-->`),
    words.map((text) => `<?xml-stylesheet ${text.replaceAll("?>", "")}?>`),
  );
  const documentType = fc.constantFrom(
    "",
    "<!DOCTYPE svg>",
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">',
    '<!DOCTYPE svg [ <!ENTITY ns_svg "http://www.w3.org/2000/svg"> <!ENTITY a "b>c"> ]>',
  );
  const root = fc.constantFrom(
    '<svg xmlns="http://www.w3.org/2000/svg">',
    "<svg\n\tviewBox='0 0 1 1' xmlns='http://www.w3.org/2000/svg'/>",
    '<svg data-x="a>b" xmlns="http://www.w3.org/2000/svg" width="1">',
    '<s:svg xmlns:s="http://www.w3.org/2000/svg">',
  );
  const prolog = fc
    .tuple(
      fc.constantFrom("", "\ufeff"),
      fc.constantFrom("", '<?xml version="1.0"?>'),
      fc.array(piece, { maxLength: 5 }),
    )
    .chain(([mark, declaration, pieces]) =>
      fc
        .tuple(space, documentType, fc.array(piece, { maxLength: 3 }))
        .map(
          ([gap, type, more]) => mark + declaration + gap + pieces.join(gap) + type + more.join("\n") + gap,
        ),
    );

  test("is recognised after anything that may precede its root element", () => {
    fc.assert(
      fc.property(prolog, root, words, (before, tag, after) => {
        const bytes = utf8(before + tag + after);
        fc.pre(utf8(before + tag).length <= SNIFFED_BYTES);
        expect(mediaType(bytes)).toBe("image/svg+xml");
      }),
    );
  });

  test("is not recognised with another root element, or in another encoding", () => {
    fc.assert(
      fc.property(prolog, fc.constantFrom("html", "math", "svgs", "g"), (before, name) => {
        expect(mediaType(utf8(`${before}<${name} xmlns="http://www.w3.org/2000/svg">`))).toBeNull();
      }),
    );
    expect(
      mediaType(Uint8Array.from(Buffer.from(`\ufeff<svg xmlns="http://www.w3.org/2000/svg"/>`, "utf16le"))),
    ).toBeNull();
  });

  test("is recognised only if it begins within the bytes that are examined", () => {
    const tag = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    const behind = (size: number) => utf8(`<!--${" ".repeat(size - 7)}-->${tag}`);
    expect(mediaType(behind(SNIFFED_BYTES - tag.length))).toBe("image/svg+xml");
    expect(mediaType(behind(SNIFFED_BYTES))).toBeNull();
  });
});

test("a type is detected from a bounded number of bytes, without an exception", () => {
  const known = fc.constantFrom(...Object.values(FILES).map(({ bytes }) => bytes));
  const start = fc.oneof(known, fc.uint8Array({ maxLength: 200 }), fc.string().map(utf8));
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 100 }), fc.nat(300), (head, tail, cut) => {
      const filled = new Uint8Array(SNIFFED_BYTES);
      filled.set(head.subarray(0, SNIFFED_BYTES));
      const longer = new Uint8Array([...filled, ...tail]);
      expect(mediaType(longer)).toBe(mediaType(filled));
      const shorter = mediaType(head.subarray(0, cut));
      if (shorter !== null) expect(isMediaType(shorter)).toBe(true);
    }),
  );
});

test("an incomplete file is never taken for another type", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(FILES)), fc.nat(), ({ type, bytes }, cut) => {
      expect([null, type]).toContain(mediaType(bytes.subarray(0, cut % (bytes.length + 1))));
    }),
  );
});

test("a rejected file's message lists the accepted types, and for XML what an SVG requires", () => {
  expect(mediaFault(latin1("BM"))).toBe(`Its bytes are none of ${MEDIA_NAMES}.`);
  for (const text of ["<svg/>", "\ufeff <html>"])
    expect(mediaFault(utf8(text))).toContain('xmlns="http://www.w3.org/2000/svg"');
});

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
  ["a box of another type", "\0\0\0\x10skipisom\0\0\0\0"],
  ["a page of WebM without the mark of EBML", "\x1a\x45\xdf\xa4\x87\x42\x82\x84webm"],
  ["Ogg of another version", `OggS\x01${"\0".repeat(22)}OpusHead`],
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
  ["an svg element within another one", '<g xmlns="http://www.w3.org/2000/svg"><svg/></g>'],
  ["an SVG with a null byte", '<svg xmlns="http://www.w3.org/2000/svg">\0</svg>'],
  ["a comment without an end", '<!-- <svg xmlns="http://www.w3.org/2000/svg"/>'],
])("%s is not recognised as a media file", (_, text) => {
  expect(mediaType(latin1(text))).toBeNull();
});

test("GIF has two versions", () => {
  expect(["GIF87a", "GIF89a"].map((text) => mediaType(latin1(text)))).toEqual(["image/gif", "image/gif"]);
  expect(isMediaType("image/heic")).toBe(false);
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
    '<s-1.x:svg xmlns:s-1.x="http://www.w3.org/2000/svg">',
    "<svg data-x='a>b' data-y=\"[\" xmlns='http://www.w3.org/2000/svg'>",
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

  test.each(["\xef??", "?\xbb?", "??\xbf", "\xef\xbb?", "\xef?\xbf", "?\xbb\xbf"])(
    "is not recognised behind %j, which is no byte order mark",
    (mark) => {
      const tag = '<svg xmlns="http://www.w3.org/2000/svg"/>';
      expect(mediaType(latin1(mark + tag))).toBeNull();
      expect(mediaType(latin1(`\xef\xbb\xbf${tag}`))).toBe("image/svg+xml");
    },
  );

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

/** Two frames of MPEG audio, or a frame and whatever follows it. */
const frames = (header: readonly number[], length: number, second = header) =>
  Uint8Array.from([...header, ...Array<number>(length - 4).fill(0), ...second]);

describe("an MP3 without a tag", () => {
  // Lengths by ISO/IEC 11172-3 and 13818-3: samples of a frame / 8 × bit rate / sample rate, and padding.
  test.each([
    ["MPEG 1, 128 kbit/s at 44.1 kHz", [0xff, 0xfb, 0x90, 0], 417],
    ["the same with padding", [0xff, 0xfb, 0x92, 0], 418],
    ["MPEG 1, 32 kbit/s at 44.1 kHz", [0xff, 0xfb, 0x10, 0], 104],
    ["MPEG 1, 320 kbit/s at 48 kHz", [0xff, 0xfb, 0xe4, 0], 960],
    ["MPEG 1, 128 kbit/s at 32 kHz, with a checksum", [0xff, 0xfa, 0x98, 0], 576],
    ["MPEG 2, 64 kbit/s at 22.05 kHz", [0xff, 0xf3, 0x80, 0], 208],
    ["MPEG 2.5, 64 kbit/s at 11.025 kHz", [0xff, 0xe3, 0x80, 0], 417],
  ])("is recognised by two frames, one right behind the other: %s", (_, header, length) => {
    expect(mediaType(frames(header, length))).toBe("audio/mpeg");
    expect(mediaType(frames(header, length - 1))).toBeNull();
    expect(mediaType(frames(header, length + 1))).toBeNull();
    expect(mediaType(frames(header, length).subarray(0, -1))).toBeNull();
  });

  test.each([
    ["of a reserved version", [0xff, 0xeb, 0x90, 0]],
    ["of layer I", [0xff, 0xff, 0x90, 0]],
    ["of layer II", [0xff, 0xfd, 0x90, 0]],
    ["of a reserved layer", [0xff, 0xf9, 0x90, 0]],
    ["with a free bit rate", [0xff, 0xfb, 0x00, 0]],
    ["with a reserved bit rate", [0xff, 0xfb, 0xf0, 0]],
    ["with a reserved sample rate", [0xff, 0xfb, 0x9c, 0]],
    ["with too few bits of synchronization", [0xff, 0xdb, 0x90, 0]],
  ])("has no frame %s", (_, header) => {
    const good = [0xff, 0xfb, 0x90, 0];
    expect(mediaType(frames(good, 417, header))).toBeNull();
    for (const length of [104, 208, 417, 418]) expect(mediaType(frames(header, length))).toBeNull();
  });
});

test.each([
  ["ID3\x02\0\0\0\0\0\0", "audio/mpeg"],
  ["ID3\x0f\xfe\0\x7f\x7f\x7f\x7f", "audio/mpeg"],
  ["ID3\x10\0\0\0\0\0\0", null],
  ["ID3\x04\xff\0\0\0\0\0", null],
  ["ID3\x04\0\0\0\0\0\x80", null],
  ["ID3\x04\0\0\0\0\0", null],
])("a tag %j is that of %s", (text, type) => expect(mediaType(latin1(text))).toBe(type));

describe("ISO base media", () => {
  const box = (size: number, ...brands: readonly string[]) =>
    latin1(`${String.fromCharCode(0, 0, 0, size)}ftyp${brands[0]}\0\0\0\0${brands.slice(1).join("")}`);

  test.each(["isom", "iso2", "iso9", "mp41", "mp42", "avc1", "M4V ", "M4A ", "dash", "MSNV"])(
    "is MP4 by the brand %s, as the first or as another one",
    (brand) => {
      expect(mediaType(box(16, brand))).toBe("video/mp4");
      expect(mediaType(box(24, "XXXX", "YYYY", brand))).toBe("video/mp4");
      // Behind the box.
      expect(mediaType(box(20, "XXXX", "YYYY", brand))).toBeNull();
    },
  );

  test.each(["avif", "avis"])("is AVIF by the brand %s, beside whatever others", (brand) => {
    expect(mediaType(box(16, brand))).toBe("image/avif");
    expect(mediaType(box(24, "mif1", "isom", brand))).toBe("image/avif");
  });

  test.each(["heic", "hevx", "mif1", "msf1", "avci"])("is not taken with the brand %s", (brand) => {
    expect(mediaType(box(16, brand))).toBeNull();
    expect(mediaType(box(24, "isom", "mp42", brand))).toBeNull();
  });

  test("has a box of whole brands, with room for the first", () => {
    for (const size of [0, 12, 17, 18, 19]) expect(mediaType(box(size, "isom", "isom"))).toBeNull();
    for (const brand of ["xisom", "isomx", "iso1", "mp43", "M4X "])
      expect(mediaType(box(16, brand))).toBe(brand === "isomx" ? "video/mp4" : null);
  });
});

describe("EBML", () => {
  const element = (id: string, value: string) => id + String.fromCharCode(0x80 | value.length) + value;
  const file = (...elements: readonly string[]) =>
    latin1(`\x1a\x45\xdf\xa3${element("", elements.join(""))}`);
  const version = element("\x42\x86", "\x01");
  const docType = (value: string) => element("\x42\x82", value);

  test("is WebM by its document type, behind whatever elements", () => {
    for (const before of ["", version, element("\xec", "\0\0"), element("\xbf", "abcd"), version + version])
      expect(mediaType(file(before, docType("webm")))).toBe("video/webm");
    expect(mediaType(file(docType("webm\0\0")))).toBe("video/webm");
    // A size may have up to eight bytes.
    expect(mediaType(latin1(`\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x07${docType("webm")}`))).toBe("video/webm");
    expect(mediaType(latin1(`\x1a\x45\xdf\xa3\x40\x07${docType("webm")}`))).toBe("video/webm");
    const filler = `\xec\x42\x05${"\0".repeat(0x2_05)}`;
    expect(mediaType(latin1(`\x1a\x45\xdf\xa3\x42\x0f${filler}${docType("webm")}`))).toBe("video/webm");
    expect(mediaType(latin1(`\x1a\x45\xdf\xa3\0\0\0\0\0\0\0\0\x07${docType("webm")}`))).toBeNull();
  });

  test("is not WebM with another document type, or with none in its header", () => {
    for (const other of ["matroska", "webmx", "xwebm", "web", ""])
      expect(mediaType(file(docType(other)))).toBeNull();
    expect(mediaType(file(version))).toBeNull();
    expect(mediaType(latin1(`\x1a\x45\xdf\xa3\x84${version}${docType("webm")}`))).toBeNull();
    for (const header of ["", "\0", "\x40", "\x87\x42\x82", "\x87\x42\x82\0"])
      expect(mediaType(latin1(`\x1a\x45\xdf\xa3${header}`))).toBeNull();
    // The value's end is beyond the header's.
    expect(mediaType(latin1(`\x1a\x45\xdf\xa3\x85${docType("webm")}`))).toBeNull();
  });
});

test.each([
  ["\x01vorbis", "audio/ogg"],
  ["OpusHead", "audio/ogg"],
  ["\x7fFLAC", "audio/ogg"],
  ["Speex   ", "audio/ogg"],
  ["\x80theora", "video/ogg"],
  ["fishead\0", "video/ogg"],
  ["theora", null],
])("an Ogg stream whose first packet begins with %j is %s", (packet, type) => {
  const page = (segments: number) =>
    `OggS\0${"\0".repeat(21)}${String.fromCharCode(segments)}${"\0".repeat(segments)}`;
  expect(mediaType(latin1(page(1) + packet))).toBe(type);
  expect(mediaType(latin1(page(3) + packet))).toBe(type);
});

test.each([
  "<!DOCTYPE svg",
  "<!DOCTYPE svg [ <!ENTITY a 'b'> ",
  "<!DOCTYPE svg [ ] ",
  "<?xml version='1.0'",
  "<svg xmlns='http://www.w3.org/2000/other'>http://www.w3.org/2000/svg",
  "<1svg xmlns='http://www.w3.org/2000/svg'>",
  "<a:b:svg xmlns='http://www.w3.org/2000/svg'>",
])("%j is no SVG", (text) => {
  expect(mediaType(utf8(text))).toBeNull();
  if (!text.includes("svg'"))
    expect(mediaType(utf8(`${text}<svg xmlns='http://www.w3.org/2000/svg'`))).toBeNull();
});

test("a wrong XML is told from other files by its first mark, behind a byte order mark and white space", () => {
  const isTold = (text: string) => mediaFault(utf8(text)).includes("in UTF-8");
  expect(["<", " \t\r\n<x", "\ufeff<"].map(isTold)).toEqual([true, true, true]);
  expect(["x<", "", " ", "x \ufeff<"].map(isTold)).toEqual([false, false, false, false]);
});

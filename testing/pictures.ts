/**
 * Valid pictures of any size, each different from every other by its seed. The image is two pixels wide; what makes up
 * the size is a comment, in the form that each format has for one. Runs in Node and in workerd.
 */

import { deflateSync } from "node:zlib";

/** A format that the service stores. */
export type PictureFormat = "png" | "jpeg" | "gif" | "webp";

/** Two by two pixels in one colour. */
const TINY: Readonly<Record<PictureFormat, string>> = {
  png: "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQImWM4EWp7ItSWAUIBACgSBWlJJ/hOAAAAAElFTkSuQmCC",
  jpeg:
    "/9j/2wBDABAQEBAREBIUFBIZGxgbGSUiHx8iJTgoKygrKDhVNT41NT41VUtbSkVKW0uHal5eaoecg3yDnL2pqb3u4u7/////2wBDARAQEBAREBIU" +
    "FBIZGxgbGSUiHx8iJTgoKygrKDhVNT41NT41VUtbSkVKW0uHal5eaoecg3yDnL2pqb3u4u7/////wgARCAACAAIDASIAAhEBAxEB/8QAFQABAQAA" +
    "AAAAAAAAAAAAAAAAAAP/xAAVAQEBAAAAAAAAAAAAAAAAAAAEBf/aAAwDAQACEAMQAAAAkAXf/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAB" +
    "PwB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPwB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwB//9k=",
  gif: "R0lGODlhAgACAIAAAExpcchVPSH5BAUAAAAALAAAAAACAAIAAAICjFMAOw==",
  webp: "UklGRh4AAABXRUJQVlA4TBEAAAAvAUAAAAfQqiK3p/+BiOh/AAA=",
};

/** Comment lengths that a format's own structure allows for. */
const DEFAULT_COMMENT = 40;

/**
 * A picture.
 * @param seed tells it from others; any number
 * @param size bytes of the whole file; at least about 400, even for WebP, whose chunks are; default: small
 */
export function picture(format: PictureFormat, seed: number, size?: number): Uint8Array<ArrayBuffer> {
  const tiny = Uint8Array.from(atob(TINY[format]), (character) => character.charCodeAt(0));
  const extra = size === undefined ? DEFAULT_COMMENT : size - tiny.length;
  if (extra < 24) throw new RangeError(`a ${format} can't be ${size} bytes with a comment in it`);
  const { at, bytes } = COMMENTS[format](tiny, extra, filler(seed));
  const whole = new Uint8Array(tiny.length + bytes.length);
  whole.set(tiny.subarray(0, at));
  whole.set(bytes, at);
  whole.set(tiny.subarray(at), at + bytes.length);
  if (format === "webp") new DataView(whole.buffer).setUint32(4, whole.length - 8, true);
  return whole;
}

/** A number of different pictures, formats in turn, named as generative tools name them: `0.png`, `1.jpg`, … */
export function pictures(count: number, size?: number): { name: string; bytes: Uint8Array<ArrayBuffer> }[] {
  const formats = [
    ["png", "png"],
    ["jpeg", "jpg"],
    ["gif", "gif"],
    ["webp", "webp"],
  ] as const;
  return Array.from({ length: count }, (_, index) => {
    const [format, extension] = formats[index % formats.length] ?? formats[0];
    return { name: `${index}.${extension}`, bytes: picture(format, index, size) };
  });
}

type Fill = (target: Uint8Array) => void;
type Comment = (tiny: Uint8Array, length: number, fill: Fill) => { at: number; bytes: Uint8Array };

/** Bytes that follow from the seed and hardly compress (xorshift32), so that no two pictures are alike. */
function filler(seed: number): Fill {
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x5f356495) >>> 0 || 1;
  return (target) => {
    for (let index = 0; index < target.length; index++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      target[index] = state & 0xff;
    }
  };
}

const COMMENTS: Readonly<Record<PictureFormat, Comment>> = {
  /** A private ancillary chunk before IEND (PNG, third edition, 5.3). */
  png(tiny, length, fill) {
    const bytes = new Uint8Array(length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, length - 12);
    bytes.set(new TextEncoder().encode("miNt"), 4);
    fill(bytes.subarray(8, length - 4));
    view.setUint32(length - 4, crc32(bytes.subarray(4, length - 4)));
    return { at: tiny.length - 12, bytes };
  },
  /** COM segments after the start of the image (ITU-T T.81, B.2.4.5). */
  jpeg(_, length, fill) {
    const bytes = new Uint8Array(length);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < length; ) {
      let segment = Math.min(length - at, 65_537);
      if (length - at - segment > 0 && length - at - segment < 4) segment -= 4;
      view.setUint16(at, 0xfffe);
      view.setUint16(at + 2, segment - 2);
      fill(bytes.subarray(at + 4, at + segment));
      at += segment;
    }
    return { at: 2, bytes };
  },
  /** A comment extension before the trailer (GIF89a, 24). */
  gif(tiny, length, fill) {
    const bytes = new Uint8Array(length);
    bytes.set([0x21, 0xfe]);
    const end = length - 1;
    for (let at = 2; at < end; ) {
      let block = Math.min(end - at, 256);
      if (end - at - block === 1) block -= 1;
      bytes[at] = block - 1;
      fill(bytes.subarray(at + 1, at + block));
      at += block;
    }
    return { at: tiny.length - 1, bytes };
  },
  /** A chunk of a type that readers pass over (RFC 9649, 2.7.1.6). */
  webp(tiny, length, fill) {
    if (length % 2 === 1) throw new RangeError("a WebP file has an even number of bytes");
    const bytes = new Uint8Array(length);
    bytes.set(new TextEncoder().encode("miNt"));
    new DataView(bytes.buffer).setUint32(4, length - 8, true);
    fill(bytes.subarray(8));
    return { at: tiny.length, bytes };
  },
};

/** CRC-32 of a PNG chunk (PNG, annex D), by the polynomial bit by bit with a table. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** 400 × 200 pixels, left red and right blue. The GIF has a second frame, which is black; `turned` is a JPEG that EXIF data turns. */
const WIDE = {
  jpeg:
    "/9j/2wBDAA0NDQ0ODQ4QEA4UFhMWFB4bGRkbHi0gIiAiIC1EKjIqKjIqRDxJOzc7STxsVUtLVWx9aWNpfZeHh5e+tb75+f//2wBDAQ0NDQ0ODQ4QEA4U" +
    "FhMWFB4bGRkbHi0gIiAiIC1EKjIqKjIqRDxJOzc7STxsVUtLVWx9aWNpfZeHh5e+tb75+f//wgARCADIAZADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAA" +
    "AAAAAAAAAAUG/8QAFwEBAQEBAAAAAAAAAAAAAAAAAAYHBf/aAAwDAQACEAMQAAAAzQ52hAAAAAAAAAAAJFeRVTgVM2AAAAAAAAAABXGWaOAAAAAAAAAA" +
    "AkV5FVOBUzYAAAAAAAAAAFcZZo4AAAAAAAAAACRXkVU4FTNgAAAAAAAAAAVxlmjgAAAAAAAAAAJFeRVTgVM2AAAAAAAAAABXGWaOAAAAAAAAAAAkV5FV" +
    "OBUzYAAAAAAAAAAFcZZo4AAAAAAAAAACRXkVU4FTNgAAAAAAAAAAVxlmjgAAAAAAAAAAJFeRVTgVM2AAAAAAAAAABXGWaOAAAAAAAAAAAkV5FVOBUzYA" +
    "AAAAAAAAAFcZZo4AAAAAAAAAACRXkVU4FTNgAAAAAAAAAAVxlmjgAAAAAAAAAAJFeRVTgVM2AAAAAAAAAABXGWaOAAAAAAAAAAAkV5FVOBUzYAAAAAAA" +
    "AAAFcZZo4AAAAAAAAAACRXkVU4FTNgAAAAAAAAAAVxlmjgAAAAAAAAAAJBVTgVM2AAAAAAAAAAB//8QAFBABAAAAAAAAAAAAAAAAAAAAoP/aAAgBAQAB" +
    "PwAcX//EABkRAAIDAQAAAAAAAAAAAAAAAAZEQIPBMP/aAAgBAgEBPwDoNOV7JGnK9kjTleyRpyvZI05Xskacr2SNOV7JGnK9kjTleyRpyvZI05Xskacr" +
    "2SNOV71//8QAGREAAgMBAAAAAAAAAAAAAAAABkRAgsEw/9oACAEDAQE/AOhApfJJApfJJApfJJApfJJApfJJApfJJApfJJApfJJApfJJApfJJApfJJAp" +
    "fJJApfOv/9k=",
  gif:
    "R0lGODlhkAHIAIEAAExpcRQA3NwAFAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQFCgAAACwAAAAAkAHIAAAC/5SPqcvtD6OctNrrgt68+w+G4kiW5omm" +
    "6ipi7gvH8kxD7I3n+s73ZA0MCofEiu+ITCqXqaLzCY1imNSq9cqSarfcKPYLDl+75LL5JU6r17iz+w1XsOf0uieOz5Pt/H5aDxjo5EdYSCWImDhjyNjI" +
    "owgZaeRIWYkiiZnJYMnZCaIJCuo5OhpqKkmaannKmqj62tgqCwhbSziLG2e7a5fre8YbzPZL3CV8LFasLIXcjLUMPeg8zRRtLUSdnXTNTaP93dMtDgNe" +
    "njOOfmG+vpLuPsEef/JO/yB/P1Kvv4Df/7EP8IC/gRsCBiRI0CBAhAMV7mPoz6E+iP0k1qOIzyI9jP/3NL7jKM+jO5DxRKYjyc4kOpTrVI5jac6lOJjl" +
    "ZHajCc4mN5zfdF7jqc2nNaDZhEYjSs0oNKTTlC5j6sypMqjNpBajiswqMazHtP7iKsyrL7DBxOYiy8ssLrS71M5ia8utLLi15LaiC8suK7yv9J7iq8qv" +
    "KcCpBIciTMqwKMSeFGti3NgxJsidJE+mvMpyJMyZNSviXMkzJNCURH8mHcs0ItSpVQdizci1INiGZL+mfcu2Hty5dePh7cd3HuB9hP8m3ss4HOTJlbth" +
    "Xsf5G+h0pD+nPsy6GezZte/hrsZ7GfDhxRsjn8w8F/Tp1WthH8b9Fvhg5L+n/8y+F/xj9EP/4d+ff9IAeIiAAxK4hIEHIriNgkQwWI2DQ0CYoITYUNig" +
    "hUBgmKGG3nB4hIcbguiDiDWQWKKJi6D4iIoysNiii+TAqIOMMdBYo41o4NiGji7w2KOP6gCZhZBDEqmCkUcieYmSkzDZpJPwQBmllBFQWaWV9mBpgpYS" +
    "cNmllzaA+YOYW5LZgpkZoJmmmpuwGYKbDcAZp5z80PmPnXLgeYeeCfDZp58CAcqBoAgQWqihBiBakKICMKqBo49CKimkAVRKqaOWYsoop4h6SiiogIrK" +
    "J6l4mkonqnCqyiaraLpKJqxgysolrVjaSiWuUOrKJK9I+koksEAKyyOxOBpLI7IwcCrLIrMoOksitCBKyyG1GFpLIbYQassgtwh6SyC4AIrLH7n4mUsf" +
    "uvCpyx676LlLHrzgycsdvdjZSx2+0OnLHL/I+UscwMAJzBvBuBlMG8KwKcwaw6g5TBrEoEnMGcWYWUwZxpBpzBjHiHlMGMiAFQAAIfkEBQoAAAAsAAAA" +
    "AJAByACATGlxAAAAAv+Mj6nL7Q+jnLTai7PevPsPhuJIluaJpurKtu4Lx/JM1/aN5/rO9/4PDAqHxKLxiEwql8ym8wmNSqfUqvWKzWq33K73Cw6Lx+Sy" +
    "+YxOq9fstvsNj8vn9Lr9js/r9/y+/w8YKDhIWGh4iJiouMjY6PgIGSk5SVlpeYmZqbnJ2en5CRoqOkpaanqKmqq6ytrq+gobKztLW2t7i5uru8vb6/sL" +
    "HCw8TFxsfIycrLzM3Oz8DB0tPU1dbX2Nna29zd3t/Q0eLj5OXm5+jp6uvs7e7v4OHy8/T19vf4+fr7/P3+//DzCgwIEECxo8iDChwoUMGzp8CDGixIkU" +
    "K1q8iDGjxo2KHDt6/AgypMiRJEuaPIkypcqVLFu6fAkzpsyZNGvavIkzp86dPHv6/Ak0qNChRIsaPYo0qdKlTJs6fQo1qtSpVKtavYo1q9atXLt6/Qo2" +
    "rNixZMuaPYs2rdq1bNu6fQs3rty5dOvavYs3r969fPv6/Qs4sODBhAsbPow4seLFjBs7fgw5suTJzAoAADs=",
  webp:
    "UklGRiwBAABXRUJQVlA4ICABAADwFwCdASqQAcgAPtFosVKoJiSioWgBABoJaW7hdrEMqAfIzgAAFmRIkSI+uvL9nFatWrVq1atWrVmRgk85fr1Z1cXf" +
    "o1WrMjBJs2bNmzZs2bNmR/S8hYsWLFmQRMmTHnKEYoECBAiaatatWkZcObNmzZs2dObNmwbJghYsWLFixYsWLBuUIxQIECBE2VYUKE0y4c2bNmzZs2bN" +
    "mzI/peQsWLFixYsWLFNZMELFixYsyCJkyZLNkwQsWLFixYsWLFg3KEYoECA+AAD+/083/4N354b4f808/hL+SPFKmQoUKFChQoUHTyiVH+8If/E0/9As" +
    "f72v9MTB97zX3vNfbxu2CB3yaHqiKhkCOSIPuI3Mv0ooQQAEsAxE6CAAqWQIAAA=",
  turned:
    "/9j/4QC8RXhpZgAASUkqAAgAAAAGABIBAwABAAAABgAAABoBBQABAAAAVgAAABsBBQABAAAAXgAAACgBAwABAAAAAgAAABMCAwABAAAAAQAAAGmHBAAB" +
    "AAAAZgAAAAAAAAA4YwAA6AMAADhjAADoAwAABgAAkAcABAAAADAyMTABkQcABAAAAAECAwAAoAcABAAAADAxMDABoAMAAQAAAP//AAACoAQAAQAAAJAB" +
    "AAADoAQAAQAAAMgAAAAAAAAA/+IB8ElDQ19QUk9GSUxFAAEBAAAB4GxjbXMEIAAAbW50clJHQiBYWVogB+IAAwAUAAkADgAdYWNzcE1TRlQAAAAAc2F3" +
    "c2N0cmwAAAAAAAAAAAAAAAAAAPbWAAEAAAAA0y1oYW5keem/Vlo+AbaDI4VVRvdPqgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAKZGVzYwAA" +
    "APwAAAAkY3BydAAAASAAAAAid3RwdAAAAUQAAAAUY2hhZAAAAVgAAAAsclhZWgAAAYQAAAAUZ1hZWgAAAZgAAAAUYlhZWgAAAawAAAAUclRSQwAAAcAA" +
    "AAAgZ1RSQwAAAcAAAAAgYlRSQwAAAcAAAAAgbWx1YwAAAAAAAAABAAAADGVuVVMAAAAIAAAAHABzAFIARwBCbWx1YwAAAAAAAAABAAAADGVuVVMAAAAG" +
    "AAAAHABDAEMAMAAAWFlaIAAAAAAAAPbWAAEAAAAA0y1zZjMyAAAAAAABDD8AAAXd///zJgAAB5AAAP2S///7of///aIAAAPcAADAcVhZWiAAAAAAAABv" +
    "oAAAOPIAAAOPWFlaIAAAAAAAAGKWAAC3iQAAGNpYWVogAAAAAAAAJKAAAA+FAAC2xHBhcmEAAAAAAAMAAAACZmkAAPKnAAANWQAAE9AAAApb/9sAQwAU" +
    "FBQUFRQXGRkXHyIeIh8uKycnKy5GMjYyNjJGakJOQkJOQmpecl1WXXJeqYV2doWpw6SbpMPs09Ps/////////9sAQwEUFBQUFRQXGRkXHyIeIh8uKycn" +
    "Ky5GMjYyNjJGakJOQkJOQmpecl1WXXJeqYV2doWpw6SbpMPs09Ps/////////8IAEQgAyAGQAwEiAAIRAQMRAf/EABYAAQEBAAAAAAAAAAAAAAAAAAAE" +
    "Bf/EABcBAQEBAQAAAAAAAAAAAAAAAAAFBgT/2gAMAwEAAhADEAAAAMccmrAAAAAAAAAAAQXwW5AW5AAAAAAAAAAAF4xOuAAAAAAAAAAAQXwW5AW5AAAA" +
    "AAAAAAAF4xOuAAAAAAAAAAAQXwW5AW5AAAAAAAAAAAF4xOuAAAAAAAAAAAQXwW5AW5AAAAAAAAAAAF4xOuAAAAAAAAAAAQXwW5AW5AAAAAAAAAAAF4xO" +
    "uAAAAAAAAAAAQXwW5AW5AAAAAAAAAAAF4xOuAAAAAAAAAAAQXwW5AW5AAAAAAAAAAAF4xOuAAAAAAAAAAAQXwW5AW5AAAAAAAAAAAF4xOuAAAAAAAAAA" +
    "AQXwW5AW5AAAAAAAAAAAF4xOuAAAAAAAAAAAQXwW5AW5AAAAAAAAAAAF4xOuAAAAAAAAAAAQXwW5AW5AAAAAAAAAAAF4xOuAAAAAAAAAAAQXwW5AW5AA" +
    "AAAAAAAAAF4xOuAAAAAAAAAAAQFuQFuQAAAAAAAAAAB//8QAFBABAAAAAAAAAAAAAAAAAAAAoP/aAAgBAQABPwAcX//EABgRAAMBAQAAAAAAAAAAAAAA" +
    "AAVDgkAw/9oACAECAQE/AOgd86Q750h3zpDvnSHfOkO+dId86Q750h3zpDvnSHfOkO+dId89f//EABgRAAMBAQAAAAAAAAAAAAAAAAVDgkAw/9oACAED" +
    "AQE/AOhVNaSqa0lU1pKprSVTWkqmtJVNaSqa0lU1pKprSVTWkqmtJVNdf//Z",
} as const;

/** A format of `widePicture`. */
export type WideFormat = keyof typeof WIDE;

/** A picture of 400 × 200 pixels, left red and right blue: of the GIF the first frame; `turned`: a JPEG with orientation 6. */
export const widePicture = (format: WideFormat): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(WIDE[format]), (character) => character.charCodeAt(0));

/**
 * A PNG of one colour.
 * @param data of the IDAT chunk; default: that of the picture
 */
export function plainPng(
  width: number,
  height: number,
  [red, green, blue]: readonly [number, number, number],
  data: Uint8Array = deflateSync(rows(width, height, [red, green, blue])),
): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint16(8, 0x0802);
  const chunks = [
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("IDAT", data),
    chunk("IEND", new Uint8Array()),
  ];
  return new Uint8Array(Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]));
}

function rows(width: number, height: number, colour: readonly number[]): Uint8Array {
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 3, Buffer.from(colour))]);
  return Buffer.alloc(row.length * height, row);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const whole = Buffer.alloc(12 + data.length);
  whole.writeUInt32BE(data.length);
  whole.write(type, 4, "latin1");
  whole.set(data, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, -4)), 8 + data.length);
  return whole;
}

/**
 * Valid pictures of any size, each different from every other by its seed. The image is two pixels wide; what makes up
 * the size is a comment, in the form that each format has for one. Runs in Node and in workerd.
 */

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

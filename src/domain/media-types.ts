/** What Mintage stores: pictures, JSON metadata, and blocks of UnixFS directories. */
export type PictureType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** Media type of a reference file. */
export const JSON_TYPE = "application/json";

/** Media type of a block of a directory (registered with IANA). */
export const DAG_PB_TYPE = "application/vnd.ipld.dag-pb";

/** Media type of bytes that nobody has looked at. */
export const UNKNOWN_TYPE = "application/octet-stream";

/** Bytes from a file's beginning that tell what it is. */
export const SIGNATURE_LENGTH = 14;

/** What messages say of the four types. */
export const PICTURE_NAMES = "JPEG, PNG, GIF or WebP";

/** Signatures by the MIME Sniffing Standard, section 6.1 (https://mimesniff.spec.whatwg.org/); `.` is any byte. */
const SIGNATURES: readonly (readonly [PictureType, string])[] = [
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF....WEBPVP"],
];

/**
 * The type of a picture by its bytes; its name doesn't count.
 * @param start the file's first bytes, at least SIGNATURE_LENGTH of them where it has so many
 */
export function pictureType(start: Uint8Array): PictureType | null {
  const known = SIGNATURES.find(([, signature]) => hasSignature(start, signature));
  return known ? known[0] : null;
}

function hasSignature(start: Uint8Array, signature: string): boolean {
  if (start.length < signature.length) return false;
  for (let index = 0; index < signature.length; index++) {
    if (signature[index] !== "." && start[index] !== signature.charCodeAt(index)) return false;
  }
  return true;
}

/** Why bytes are not a reference file, as a sentence's end; null where they are a JSON object in UTF-8. */
export function referenceFault(bytes: Uint8Array): string | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch (error) {
    return error instanceof SyntaxError ? "is not JSON" : "is not UTF-8 text";
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? null : "is not a JSON object";
}

// api/gateway/: the IPFS gateway's HTTP: formats, ranges, caching. gateway/ finds what it serves.

/** A part of a representation: RFC 9110, section 14. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Reads a Range header of one range.
 * @returns null if the whole is to be sent: no header, another unit, several ranges (which a server may ignore), or
 *   one that is malformed; "unsatisfiable" where it begins behind the end
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(/\s/g, "") ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < offset) return null;
  return offset >= size ? "unsatisfiable" : { offset, length: end - offset + 1 };
}

import { varint } from "multiformats";
import { base16 } from "multiformats/bases/base16";
import { base32 } from "multiformats/bases/base32";
import { base36 } from "multiformats/bases/base36";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";

/** Writes an unsigned LEB128 (https://github.com/multiformats/unsigned-varint). @returns the offset after it */
export function writeVarint(target: Uint8Array, offset: number, value: number): number {
  varint.encodeTo(value, target, offset);
  return offset + varint.encodingLength(value);
}

/** Reads a number and the offset after it. @throws RangeError if it is cut off, too long, or not below 2^53 */
export function readVarint(source: Uint8Array, offset: number): { value: number; next: number } {
  const [value, length] = varint.decode(source, offset);
  // The library reads up to 2^63, and rounds.
  if (value > Number.MAX_SAFE_INTEGER) throw new RangeError("a varint is not below 2^53");
  return { value, next: offset + length };
}

/** Multicodecs: bytes of a file, and a node of a UnixFS file or directory. */
export const RAW = 0x55;
export const DAG_PB = 0x70;

/** A CID's codec and digest; its hash is always SHA-256. */
export interface BlockId {
  readonly codec: typeof RAW | typeof DAG_PB;
  /** 32 bytes. */
  readonly sha256: Uint8Array;
}

const SHA2_256 = 0x12;
const DIGEST_LENGTH = 32;

/** Bytes of a binary CIDv1 with SHA-256: version, codec, hash function, length, digest. */
export const CID_LENGTH = 4 + DIGEST_LENGTH;

/** The binary CIDv1 of a block, 36 bytes, as links and CAR files hold it. */
export function cidBytes({ codec, sha256 }: BlockId): Uint8Array {
  const bytes = new Uint8Array(CID_LENGTH);
  bytes.set([1, codec, SHA2_256, DIGEST_LENGTH]);
  bytes.set(sha256, 4);
  return bytes;
}

/** The text of a block's CIDv1 in base32, lower case, as IPFS tools print it: `bafkrei…` or `bafybei…`. */
export const cidText = (block: BlockId): string => base32.encode(cidBytes(block));

/** CID of a file of one raw block, which has at most 1 MiB. */
export const rawCid = (sha256: Uint8Array): string => cidText({ codec: RAW, sha256 });

/** CID of a UnixFS directory, or of the root of a file above 1 MiB. */
export const dagPbCid = (sha256: Uint8Array): string => cidText({ codec: DAG_PB, sha256 });

/** CID of a stored file, from its digest and, when it is above one block, its root's. */
export const fileCid = (sha256: Uint8Array, rootSha256: Uint8Array | null): string =>
  rootSha256 ? dagPbCid(rootSha256) : rawCid(sha256);

/** Characters of the longest text of such a CID: base16 behind its prefix. */
const LONGEST_TEXT = 1 + 2 * CID_LENGTH;
const decoders = base32.decoder.or(base36.decoder).or(base58btc.decoder).or(base16.decoder);

/** Reads a CID in base32, base36, base58btc or base16; null if it is none of UnixFS with SHA-256. */
export function parseCid(text: string): BlockId | null {
  // Base36 and base58 take quadratic time in the length, and the gateway is public.
  const cid = text.length > LONGEST_TEXT ? null : tryParse(text);
  if (cid === null || cid.multihash.code !== SHA2_256 || cid.multihash.digest.length !== DIGEST_LENGTH)
    return null;
  if (cid.code !== RAW && cid.code !== DAG_PB) return null;
  return { codec: cid.code, sha256: cid.multihash.digest };
}

function tryParse(text: string): CID | null {
  try {
    return CID.parse(text, decoders);
  } catch {
    return null;
  }
}

/** Reads a binary CIDv1, as a link of a block holds it; null if it is of another codec or hash function. */
export function blockIdOf(bytes: Uint8Array): BlockId | null {
  const [version, codec, hash, length] = bytes;
  if (bytes.length !== CID_LENGTH || version !== 1 || hash !== SHA2_256 || length !== DIGEST_LENGTH)
    return null;
  return codec === RAW || codec === DAG_PB ? { codec, sha256: bytes.subarray(4) } : null;
}

/** Where the gateway serves a CID, or a name below it. */
export const gatewayUrl = (base: string, cid: string, name?: string): string =>
  `${base}/ipfs/${cid}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;

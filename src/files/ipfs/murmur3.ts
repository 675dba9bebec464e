/**
 * The first 64 bits of MurmurHash3 x64 128 with seed 0, big-endian: the hash by which UnixFS shards directories
 * (multicodec `murmur3-x64-64`, 0x22; UnixFS specification, "HAMT structure and parameters").
 */
export function murmur3x64(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % 16);
  let h1 = 0n;
  let h2 = 0n;
  for (let offset = 0; offset < whole; offset += 16) {
    h1 ^= mixFirst(view.getBigUint64(offset, true));
    h1 = u64((rotate(h1, 27n) + h2) * 5n + 0x52dce729n);
    h2 ^= mixSecond(view.getBigUint64(offset + 8, true));
    h2 = u64((rotate(h2, 31n) + h1) * 5n + 0x38495ab5n);
  }
  h2 ^= mixSecond(littleEndian(bytes.subarray(whole + 8)));
  h1 ^= mixFirst(littleEndian(bytes.subarray(whole, whole + 8)));
  const length = BigInt(bytes.length);
  h1 = u64((h1 ^ length) + (h2 ^ length));
  h2 = u64((h2 ^ length) + h1);
  const hash = new Uint8Array(8);
  new DataView(hash.buffer).setBigUint64(0, u64(avalanche(h1) + avalanche(h2)));
  return hash;
}

const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, by: bigint): bigint => u64((value << by) | (value >> (64n - by)));
const mixFirst = (block: bigint): bigint => u64(rotate(u64(block * C1), 31n) * C2);
const mixSecond = (block: bigint): bigint => u64(rotate(u64(block * C2), 33n) * C1);

function avalanche(hash: bigint): bigint {
  const first = u64((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn);
  const second = u64((first ^ (first >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return second ^ (second >> 33n);
}

/** Up to eight bytes, the rest taken as zero; a block of zero mixes to zero, so that an absent tail adds nothing. */
function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let index = bytes.length - 1; index >= 0; index--) value = (value << 8n) | BigInt(bytes[index]!);
  return value;
}

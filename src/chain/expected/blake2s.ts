/** BLAKE2s (RFC 7693) without a key, which WebCrypto doesn't have. */

const IV = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const;

const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
] as const;

const BLOCK_BYTES = 64;

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** Places of the state that each half of a round mixes: columns, then diagonals. */
const MIXED = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

/** Takes a block into the state. @param count bytes of the message up to the end of this block */
const compress = (state: readonly number[], block: Uint8Array, count: number, isLast: boolean): number[] => {
  const bytes = new DataView(block.buffer);
  const v = [...state, ...IV];
  v[12]! ^= count;
  if (isLast) v[14] = ~v[14]!;
  for (const order of SIGMA) {
    for (const [half, [a, b, c, d]] of MIXED.entries()) {
      for (const [part, right, left] of [
        [0, 16, 12],
        [1, 8, 7],
      ] as const) {
        const word = bytes.getUint32(order[half * 2 + part]! * 4, true);
        v[a] = (v[a]! + v[b]! + word) | 0;
        v[d] = turned(v[d]! ^ v[a], right);
        v[c] = (v[c]! + v[d]) | 0;
        v[b] = turned(v[b]! ^ v[c], left);
      }
    }
  }
  return state.map((word, at) => word ^ v[at]! ^ v[at + 8]!);
};

/** The digest of `length` bytes, at most 32. */
export const blake2s = (message: Uint8Array, length: number): Uint8Array => {
  let state: number[] = IV.map((word, at) => (at === 0 ? word ^ 0x0101_0000 ^ length : word));
  for (let from = 0; from === 0 || from < message.length; from += BLOCK_BYTES) {
    const block = new Uint8Array(BLOCK_BYTES);
    block.set(message.subarray(from, from + BLOCK_BYTES));
    const to = Math.min(from + BLOCK_BYTES, message.length);
    state = compress(state, block, to, to === message.length);
  }
  const out = new DataView(new ArrayBuffer(32));
  for (const [at, word] of state.entries()) out.setUint32(at * 4, word, true);
  return new Uint8Array(out.buffer, 0, length);
};

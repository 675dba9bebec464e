/** Random numbers that depend on the question alone: draws don't affect each other, in any order. */

/**
 * A number from 0 up to, not including, 1 for a seed and the words that name a moment (FNV-1a over their characters,
 * then the mixing steps of murmur3).
 */
export function chanceOf(seed: number, ...words: readonly (string | number)[]): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (const word of words) {
    const text = String(word);
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash = Math.imul(hash ^ 0x1f, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** A ring of a sound's cover, in units of a picture 24 wide; opacity from 0 to 1. */
interface Ring {
  readonly radius: string;
  readonly width: string;
  readonly opacity: string;
}

/** Rings of a cover, and the gap between two. */
const RINGS = 9;
const GAP = 0.68;
/** Radius of the innermost one. */
const INNER = 5.6;

/** Rings that a file's address decides, whatever host it is at: the same ones for the same file (FNV-1a, and xorshift for more bits). */
export const ringsOf = (url: string): Ring[] => {
  let bits = 2_166_136_261;
  for (const letter of new URL(url).pathname)
    bits = Math.imul(bits ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  const next = (): number => {
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    return (bits >>> 0) / 2 ** 32;
  };
  return Array.from({ length: RINGS }, (_, place) => ({
    radius: (INNER + place * GAP).toFixed(2),
    width: (0.08 + next() * 0.5).toFixed(2),
    opacity: (0.15 + next() * 0.55).toFixed(2),
  }));
};

/** The loudest sample of each part of a sound, of all channels; the loudest one of all is 1. */
export function loudnessOf(channels: readonly Float32Array[], parts: number): number[] {
  const length = channels[0]?.length ?? 0;
  const peaks = Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((at) => Math.floor((at * length) / parts)) as [number, number];
    let peak = 0;
    for (const samples of channels)
      for (let at = from; at < to; at++) peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    return peak;
  });
  const most = Math.max(...peaks);
  return peaks.map((peak) => (most > 0 ? peak / most : 0));
}

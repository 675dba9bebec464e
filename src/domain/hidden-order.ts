import { sha256 } from "@noble/hashes/sha2.js";

/**
 * The order in which a collection that hides its assets has them on the chain. It follows from a secret seed of 32 bytes,
 * so that the seed and the draft's assets suffice to reveal the collection. Changing this would make collections
 * unrevealable: a test holds its results.
 */

const join = (parts: readonly Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const derived = (seed: Uint8Array, name: string): Uint8Array => sha256(join([text(name), seed]));

/** The 32 bytes that end the commitment, public once all is revealed. They say nothing about the seed. */
export const saltOf = (seed: Uint8Array): Uint8Array => derived(seed, "mintage reveal salt");

/** For each place on the chain the index of its asset in the draft: a random order, each as likely as every other. */
export const orderOf = (seed: Uint8Array, assets: number): number[] => {
  const key = derived(seed, "mintage reveal order");
  const keyed = Array.from({ length: assets }, (_, index) => {
    const digest = sha256(join([key, text(String(index))]));
    return { index, rank: Buffer.from(digest).toString("hex") };
  });
  return keyed.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ index }) => index);
};

/** Most batches that a collection is revealed in: a reveal shows whole ones, so that a hundredth can be shown alone. */
const MOST_BATCHES = 100;

/** Assets of each batch of the reveal: of up to 100 assets one each, else of a hundredth, of which the last may have fewer. */
export const batchSizes = (assets: number): number[] => {
  const size = Math.ceil(assets / MOST_BATCHES);
  return Array.from({ length: size === 0 ? 0 : Math.ceil(assets / size) }, (_, index) =>
    Math.min(size, assets - index * size),
  );
};

/**
 * The commitment to each batch and those behind it, and the salt behind the last (docs/contract.md, "Reveal").
 * @param batches SHA-256 of each batch as its reveal brings it
 */
export const commitmentsTo = (batches: readonly Uint8Array[], salt: Uint8Array): Uint8Array[] => {
  const commitments = [salt];
  for (const batch of [...batches].reverse()) commitments.unshift(sha256(join([batch, commitments[0]!])));
  return commitments;
};

/** Links of a claim drop as the contract keeps them: one bit a link, the lowest bit of the first byte first. */

const isSet = (links: Uint8Array, link: number): boolean =>
  (((links[link >> 3] ?? 0) >> (link & 7)) & 1) === 1;

/** Numbers of links that are claimed and weren't told of, ascending, at most `most`. */
export const linksToTell = (claimed: Uint8Array, told: Uint8Array, most: number): number[] => {
  const links: number[] = [];
  for (let link = 0; link < claimed.length * 8 && links.length < most; link++) {
    if (isSet(claimed, link) && !isSet(told, link)) links.push(link);
  }
  return links;
};

/** The links that were told of, with others among them. */
export const withLinks = (told: Uint8Array, links: readonly number[]): Uint8Array => {
  const last = links.at(-1) ?? 0;
  const next = new Uint8Array(Math.max(told.length, (last >> 3) + 1));
  next.set(told);
  for (const link of links) next[link >> 3] = next[link >> 3]! | (1 << (link & 7));
  return next;
};

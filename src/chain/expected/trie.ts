// How deep records lie in the state's trie, in which writing a record pays for each node on the way to it.

const hex = (numbers: readonly number[]): string =>
  numbers.map((number) => number.toString(16).padStart(8, "0")).join("");

/**
 * Nodes on the way to a key among the keys of its kind, all of one length: a run without forks is a node, each fork is
 * one, and an end, and behind it the value.
 * @param key hexadecimal
 * @param others hexadecimal, of which it may be one
 */
export const nodesAmong = (key: string, others: readonly string[]): number => {
  const [first] = others;
  if (first === undefined) return 0;
  const shared = others.reduce((length, other) => Math.min(length, sharedLength(first, other)), first.length);
  const isEnd = shared === first.length;
  const run = isEnd || shared > 0 ? 1 : 0;
  if (!key.startsWith(first.slice(0, shared))) return run;
  if (isEnd) return run + 1;
  const below = others
    .filter((other) => other[shared] === key[shared])
    .map((other) => other.slice(shared + 1));
  return run + 1 + nodesAmong(key.slice(shared + 1), below);
};

const sharedLength = (a: string, b: string): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
};

/** Levels of forks that random names and digests can come to. */
const LEVELS = [0, 1, 2, 3, 4, 5, 6, 7];

/** Nodes from the root of the embedded chain's state to where the records of its only contract part. */
const ONLY = 5;

/**
 * Nodes that are passed beside those on a shard with other people's accounts: the two letters that the contracts' names
 * begin with are a fork for each half. It follows from the trie's form; no node tells.
 */
const SHARED = 4;

/**
 * Nodes from the state's root to where a contract's records part, on average: behind the letters that all of the service's
 * contracts begin with, their names are random digits, each of which is two nodes where others share what is before it.
 * @param contracts how many the service has
 */
export const depthAmong = (contracts: number, isShared: boolean): number => {
  const forks = LEVELS.reduce((sum, level) => sum + 1 - (1 - 16 ** -level) ** Math.max(contracts - 1, 0), 0);
  return ONLY + (isShared ? SHARED : 0) + 2 * forks;
};

/** A collection among those of its contract, and how deep the contract's records lie. */
export interface Place {
  readonly id: number;
  /** Whether the contract has others. */
  readonly hasOthers: boolean;
  /** Nodes from the state's root to where the letters of the contract's keys part. */
  readonly depth: number;
}

/** The root record has a letter of its own. */
export const wayToRoot = ({ depth }: Pick<Place, "depth">): number => depth + 2;

/** Nodes on the way to a record whose key is one number or several. @param there keys of those that there are */
export const wayTo = (
  { depth }: Pick<Place, "depth">,
  key: readonly number[],
  there: readonly (readonly number[])[],
): number => depth + nodesAmong(hex(key), there.map(hex));

/** Nodes on the way to a record that each collection has. */
export const wayToCollection = (place: Place): number => {
  const { id, hasOthers } = place;
  const numbers = Array.from({ length: Math.max(id, 2) }, (_, before) => [before + 1]);
  return wayTo(place, [id], hasOthers ? numbers : [[id]]);
};

/**
 * Nodes on the way to a record of which a collection may have many, or one or none.
 * @param key behind the collection's number @param there those of the records that it has
 */
export const wayToOwn = (
  place: Place,
  key: readonly number[],
  there: readonly (readonly number[])[],
): number => {
  const { id, hasOthers } = place;
  const own = there.map((each) => [id, ...each]);
  const alone = wayTo(place, [id, ...key], own);
  if (!hasOthers) return alone;
  // Whether other collections have such records is not known.
  const others = [id + 1, id + 2].map((other) => [other, ...key.map(() => 0)]);
  return (alone + wayTo(place, [id, ...key], [...own, ...others])) / 2;
};

/** Nodes on the way to a record whose key is a digest, on average. @param count how many there are, about */
export const wayToDigest = ({ depth }: Pick<Place, "depth">, count: number, isThere: boolean): number => {
  if (count < 1 && !isThere) return depth;
  const others = isThere ? Math.max(count - 1, 0) : count;
  const forks = LEVELS.reduce((sum, level) => {
    const beside = others / 16 ** level;
    const none = Math.exp(-beside);
    return sum + 1 - (isThere ? none : none * (1 + beside));
  }, 0);
  return depth + 1 + forks + (isThere ? 2 : 0);
};

/** A trait and its value, such as Background and Blue. */
export interface Trait {
  readonly type: string;
  readonly value: string;
}

export const MOST_TRAITS = 32;
const MOST_TYPE = 64;
const MOST_VALUE = 128;

/** Control characters, which pages never show. */
const CONTROL = /\p{Cc}/gu;

const textOf = (value: unknown, most: number): string | null => {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  const text = String(value).replaceAll(CONTROL, " ").trim();
  return text === "" ? null : [...text].slice(0, most).join("");
};

/** Traits of a reference file: `attributes` with `trait_type` and `value`. Of a repeated type the first counts. */
export const traitsOf = (file: unknown): Trait[] => {
  const { attributes } = (typeof file === "object" && file !== null ? file : {}) as { attributes?: unknown };
  if (!Array.isArray(attributes)) return [];
  const traits = new Map<string, Trait>();
  for (const entry of attributes as unknown[]) {
    if (typeof entry !== "object" || entry === null || traits.size === MOST_TRAITS) continue;
    const { trait_type, value } = entry as { trait_type?: unknown; value?: unknown };
    const [type, shown] = [textOf(trait_type, MOST_TYPE), textOf(value, MOST_VALUE)];
    if (type !== null && shown !== null && !traits.has(type)) traits.set(type, { type, value: shown });
  }
  return [...traits.values()];
};

/** Traits that several tokens share, and how many tokens that can be. */
export interface Weighted {
  readonly traits: readonly Trait[];
  /** Copies: tokens that have or will have these traits. */
  readonly copies: number;
}

/** A trait with the number of tokens that have it. */
export interface TraitCount {
  readonly type: string;
  readonly values: readonly { readonly value: string; readonly copies: number }[];
}

/** Every type with its values, most frequent first, ties by name. */
export const countTraits = (all: readonly Weighted[]): TraitCount[] => {
  const types = new Map<string, Map<string, number>>();
  for (const { traits, copies } of all) {
    for (const { type, value } of traits) {
      const values = types.get(type) ?? new Map<string, number>();
      values.set(value, (values.get(value) ?? 0) + copies);
      types.set(type, values);
    }
  }
  return [...types]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, values]) => ({
      type,
      values: [...values]
        .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
        .map(([value, copies]) => ({ value, copies })),
    }));
};

/**
 * Ranks of combinations from 1, the rarest, by information content: the sum of -log2 of each value's frequency among all
 * copies, where lacking a type counts as a value. Equals share a rank, and the next one counts on behind them. Null: all are equals,
 * so that none is rare.
 */
export const ranksOf = (all: readonly Weighted[]): (number | null)[] => {
  const total = all.reduce((sum, { copies }) => sum + copies, 0);
  const counts = new Map(
    countTraits(all).map(({ type, values }) => [
      type,
      {
        having: values.reduce((sum, { copies }) => sum + copies, 0),
        values: new Map(values.map(({ value, copies }) => [value, copies])),
      },
    ]),
  );
  const scores = all.map(({ traits }) => {
    const own = new Map(traits.map(({ type, value }) => [type, value]));
    let score = 0;
    for (const [type, { having, values }] of counts) {
      const value = own.get(type);
      const frequent = value === undefined ? total - having : (values.get(value) ?? 0);
      score -= Math.log2(frequent / total);
    }
    // Sums of the same terms in another order may differ in their last bits.
    return Math.round(score * 1e9);
  });
  if (new Set(scores).size < 2) return all.map(() => null);
  const sorted = [...scores].sort((a, b) => b - a);
  const places = new Map<number, number>();
  for (const [place, score] of sorted.entries()) if (!places.has(score)) places.set(score, place + 1);
  return scores.map((score) => places.get(score) ?? 1);
};

/** Whether NFTs differ in how rare they are: any value is as frequent as the others of its type otherwise. @param total NFTs */
export const differInRarity = (counts: readonly TraitCount[], total: number): boolean =>
  counts.some(
    ({ values }) =>
      values.some(({ copies }) => copies !== values[0]?.copies) ||
      values.reduce((sum, { copies }) => sum + copies, 0) < total,
  );

/** Repeatable chance: the same seed gives the same throws (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!;
  }

  /** 64 hexadecimal digits: a marker that no other operation carries, and an implicit account id. */
  marker(): string {
    return Array.from({ length: 8 }, () =>
      Math.floor(this.next() * 2 ** 32)
        .toString(16)
        .padStart(8, "0"),
    ).join("");
  }
}

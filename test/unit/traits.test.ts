import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accentStyles, STYLES } from "../../src/collections/pages/styles.ts";
import { exactNear } from "../../src/domain/amounts.ts";
import { contrast, textOn } from "../../src/domain/collector-pages.ts";
import {
  countTraits,
  differInRarity,
  MOST_TRAITS,
  ranksOf,
  traitsOf,
  type Weighted,
} from "../../src/domain/traits.ts";

const trait = (trait_type: unknown, value: unknown) => ({ trait_type, value });

describe("the traits of a reference file", () => {
  test("are its attributes, as marketplaces read them", () => {
    const attributes = [trait("Sky", "Night"), trait("Level", 5), trait("Gold", true), trait("Sky", "Day")];
    expect(traitsOf({ name: "x", attributes })).toEqual([
      { type: "Sky", value: "Night" },
      { type: "Level", value: "5" },
      { type: "Gold", value: "true" },
    ]);
  });

  test("are the first 32 with a type and a value, each without space at its ends and cut to its length", () => {
    const many = Array.from({ length: 40 }, (_, index) => trait(`T${index}`, index));
    const wrong = [
      null,
      5,
      trait("", "x"),
      trait("x", " \n "),
      trait(null, "x"),
      trait("x", {}),
      trait("x", undefined),
    ];
    const found = traitsOf({ attributes: [...wrong, ...many] });
    expect(found).toEqual(
      many.slice(0, MOST_TRAITS).map(({ trait_type: type, value }) => ({ type, value: `${value}` })),
    );
    expect(traitsOf({ attributes: [trait(` \t${"😀".repeat(65)}`, `${"v".repeat(129)}\u0007`)] })).toEqual([
      { type: "😀".repeat(64), value: "v".repeat(128) },
    ]);
    expect(traitsOf({ attributes: [trait("a\u0000b", false)] })).toEqual([{ type: "a b", value: "false" }]);
    for (const file of [null, "text", 5, {}, { attributes: { trait_type: "a" } }, []])
      expect(traitsOf(file)).toEqual([]);
  });

  test("are bounded texts, whatever the file contains", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.array(fc.record({ trait_type: fc.jsonValue(), value: fc.jsonValue() })),
        (file, attributes) => {
          for (const found of [traitsOf(file), traitsOf({ attributes })]) {
            expect(found.length).toBeLessThanOrEqual(MOST_TRAITS);
            expect(new Set(found.map(({ type }) => type)).size).toBe(found.length);
            for (const { type, value } of found) {
              expect([...type].length).toBeLessThanOrEqual(64);
              expect([...value].length).toBeLessThanOrEqual(128);
              expect(`${type}${value}`).not.toMatch(/\p{Cc}/u);
            }
          }
        },
      ),
    );
  });
});

const weighted = fc.record({
  traits: fc.uniqueArray(
    fc.record({ type: fc.constantFrom("A", "B", "C"), value: fc.constantFrom("1", "2", "3") }),
    { selector: ({ type }) => type, maxLength: 3 },
  ),
  copies: fc.integer({ min: 1, max: 50 }),
});
const many = fc.array(weighted, { minLength: 1, maxLength: 30 });

describe("rarity", () => {
  test("a lower rank means that an NFT has rarer values", () => {
    const all: Weighted[] = [
      { traits: [{ type: "Sky", value: "Day" }], copies: 90 },
      { traits: [{ type: "Sky", value: "Night" }], copies: 9 },
      { traits: [], copies: 1 },
    ];
    expect(ranksOf(all)).toEqual([3, 2, 1]);
    expect(countTraits(all)).toEqual([
      {
        type: "Sky",
        values: [
          { value: "Day", copies: 90 },
          { value: "Night", copies: 9 },
        ],
      },
    ]);
  });

  test("types are in the order of their names, and values by how frequent they are, then by their names", () => {
    const one = (type: string, value: string, copies: number) => ({ traits: [{ type, value }], copies });
    const counts = countTraits([
      one("b", "y", 2),
      one("a", "z", 1),
      one("b", "x", 1),
      one("a", "y", 1),
      one("b", "w", 1),
      one("a", "x", 1),
    ]);
    expect(
      counts.map(({ type, values }) => [type, ...values.map(({ value, copies }) => `${value}${copies}`)]),
    ).toEqual([
      ["a", "x1", "y1", "z1"],
      ["b", "y2", "w1", "x1"],
    ]);
  });

  test("is the information of all values: two that half have are as rare as one that a quarter has", () => {
    const of = (traits: Record<string, string>, copies: number): Weighted => ({
      traits: Object.entries(traits).map(([type, value]) => ({ type, value })),
      copies,
    });
    const all = [of({ a: "1", b: "1" }, 1), of({ a: "1", b: "2" }, 3), of({ a: "2", b: "2" }, 4)];
    // a: 4 of 8 and 4 of 8; b: 1 of 8 and 7 of 8.
    expect(ranksOf(all)).toEqual([1, 2, 2]);
    expect(ranksOf([of({ a: "1" }, 1), of({ a: "2" }, 3), of({}, 2)])).toEqual([1, 3, 2]);
  });

  test("where all are equals, none has a rank", () => {
    const even: Weighted[] = ["Day", "Night"].map((value) => ({
      traits: [{ type: "Sky", value }],
      copies: 5,
    }));
    expect(ranksOf(even)).toEqual([null, null]);
    expect(differInRarity(countTraits(even), 10)).toBe(false);
    expect(differInRarity(countTraits(even), 11)).toBe(true);
    expect(differInRarity(countTraits([...even, { traits: [], copies: 1 }, even[0]!]), 16)).toBe(true);
  });

  test("every copy counts once for each of its traits", () => {
    fc.assert(
      fc.property(many, (all) => {
        const counted = countTraits(all).flatMap(({ values }) => values.map(({ copies }) => copies));
        const given = all.reduce((sum, { traits, copies }) => sum + traits.length * copies, 0);
        expect(counted.reduce((sum, copies) => sum + copies, 0)).toBe(given);
      }),
    );
  });

  test("equal NFTs share a rank, the next ranks are skipped, and the order of NFTs has no influence", () => {
    fc.assert(
      fc.property(many, (all) => {
        const ranks = ranksOf(all);
        for (const rank of ranks)
          if (rank !== null)
            expect(ranks.filter((other) => other !== null && other < rank)).toHaveLength(rank - 1);
        expect(ranksOf(all.toReversed())).toEqual(ranks.toReversed());
      }),
    );
  });
});

const colour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);

test("a line in any accent colour is visible on light and dark pages, and a visible colour stays unchanged", () => {
  const [, onLight = "", onDark = ""] = /--paper: light-dark\((#\w{6}), (#\w{6})\)/.exec(STYLES) ?? [];
  fc.assert(
    fc.property(colour, (accent) => {
      const [, light = "", dark = ""] =
        /--accent-line: light-dark\((#\w{6}), (#\w{6})\)/.exec(accentStyles(accent)) ?? [];
      for (const [line, paper] of [
        [light, onLight],
        [dark, onDark],
      ] as const) {
        expect(contrast(line, paper)).toBeGreaterThanOrEqual(3);
        if (contrast(accent, paper) >= 3) expect(line).toBe(accent);
      }
    }),
  );
});

test("texts of the pages are readable on each of their surfaces", () => {
  const pair = (name: string) => {
    const [, ...found] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(STYLES) ?? [];
    return found as [string, string];
  };
  for (const text of ["ink", "soft", "bad", "good"])
    for (const surface of ["paper", "card", "sunk"])
      for (const scheme of [0, 1])
        expect(
          contrast(pair(text)[scheme]!, pair(surface)[scheme]!),
          `${text} on ${surface}`,
        ).toBeGreaterThan(4.5);
});

test("text on any accent colour is readable", () => {
  fc.assert(
    fc.property(colour, (accent) => {
      expect(contrast(accent, textOn(accent))).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test("a price in NEAR has every digit that it has in yoctoNEAR, and no more", () => {
  expect(["0", "1", `${10n ** 24n}`, `${27n * 10n ** 20n}`, `12${"0".repeat(24)}`].map(exactNear)).toEqual([
    "0",
    `0.${"0".repeat(23)}1`,
    "1",
    "0.0027",
    "12",
  ]);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (yocto) => {
      const [whole = "", decimals = ""] = exactNear(String(yocto)).split(".");
      expect(BigInt(whole) * 10n ** 24n + BigInt(decimals.padEnd(24, "0"))).toBe(yocto);
      expect(decimals).not.toMatch(/0$/);
    }),
  );
});

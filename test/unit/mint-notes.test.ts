import fc from "fast-check";
import { expect, test } from "vitest";
import { hundredOf, mintProblem, notedHash, notesOf } from "../../src/domain/mint-notes.ts";

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 120 });

test("notes name the transaction for exactly the tokens that it minted, in runs within a hundred", () => {
  fc.assert(
    fc.property(numbers, (own) => {
      const notes = notesOf({ hash: "one", tokenIds: own.map((number) => `3:${number}`) });
      for (let number = 1; number <= 701; number += 1) {
        expect(notedHash(notes, number)).toBe(own.includes(number) ? "one" : null);
      }
      const runs = Object.entries(notes);
      for (const [first, [last]] of runs) expect(hundredOf(last)).toBe(hundredOf(Number(first)));
      // As few as there are gaps and hundreds, in whichever order the tokens are told.
      const ends = own.filter((number) => !own.includes(number + 1) || (number + 1) % 100 === 0);
      expect(runs).toHaveLength(ends.length);
    }),
  );
});

test("combined notes of many mints name the same transactions as the single ones", () => {
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 20 }), (all, each) => {
      const mints = Array.from({ length: Math.ceil(all.length / each) }, (_, turn) => ({
        hash: `hash ${turn}`,
        tokenIds: all.slice(turn * each, (turn + 1) * each).map((number) => `3:${number}`),
      }));
      const notes = Object.assign({}, ...mints.map(notesOf));
      for (const [place, number] of all.entries()) {
        expect(notedHash(notes, number)).toBe(`hash ${Math.floor(place / each)}`);
      }
    }),
  );
});

test("a hundred begins with its own number", () => {
  expect([1, 99, 100, 199, 200].map(hundredOf)).toEqual([0, 0, 1, 1, 2]);
});

test("a mint may have 25 tokens, as receivers times quantity, and both fields are named beyond it", () => {
  expect([mintProblem(25, 1), mintProblem(5, 5)]).toEqual([null, null]);
  expect(mintProblem(13, 2)).toMatchObject({
    code: "mint_limit_exceeded",
    message: expect.stringMatching(/at most 25 .* is 26\./),
    details: {
      issues: [
        { path: ["receiver_addresses"], message: expect.stringContaining("25") },
        { path: ["quantity_per_receiver"], message: expect.stringContaining("25") },
      ],
    },
  });
});

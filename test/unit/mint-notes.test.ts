import fc from "fast-check";
import { expect, test } from "vitest";
import { hundredOf, notedHash, notesOf } from "../../src/domain/mint-notes.ts";

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 120 });

test("notes name the transaction for exactly the tokens that it minted, in runs within a hundred", () => {
  fc.assert(
    fc.property(numbers, (own) => {
      const notes = notesOf({ hash: "one", tokenIds: own.map((number) => `3:${number}`) });
      for (let number = 1; number <= 701; number += 1) {
        expect(notedHash(notes, number)).toBe(own.includes(number) ? "one" : null);
      }
      for (const [first, [last]] of Object.entries(notes))
        expect(hundredOf(last)).toBe(hundredOf(Number(first)));
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

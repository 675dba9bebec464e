import fc from "fast-check";
import { expect, test } from "vitest";
import { isolated } from "../../src/domain/texts.ts";

/** Texts full of what directs text: embeddings, overrides, isolates, ends and marks. */
const directed = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200f"),
    fc.constantFrom(..."aא1 "),
  ),
  maxLength: 30,
});

const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

test("a text with bidirectional controls is isolated, so that it can't reorder what follows", () => {
  fc.assert(
    fc.property(directed, (text) => {
      fc.pre(text.search(DIRECTIONS) >= 0);
      const characters = [...isolated(text)];
      let depth = 0;
      const depths = characters.map((each) => {
        if (each >= "\u2066" && each <= "\u2068") depth += 1;
        if (each === "\u2069") depth -= 1;
        return depth;
      });
      expect(characters[0]).toBe("\u2068");
      expect(depths.indexOf(0)).toBe(characters.length - 1);
    }),
  );
});

test("isolation changes nothing but bidirectional controls, and no text without them", () => {
  fc.assert(
    fc.property(directed, (text) => {
      expect(isolated(text).replaceAll(DIRECTIONS, "")).toBe(text.replaceAll(DIRECTIONS, ""));
      const plain = text.replaceAll(DIRECTIONS, "");
      expect(isolated(plain)).toBe(plain);
    }),
  );
  // A text that is in order keeps its own parts.
  expect(isolated("a \u2067אב\u2069 b")).toBe("\u2068a \u2067אב\u2069 b\u2069");
});

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  codePoints,
  controlCharacter,
  directionProblem,
  isolated,
  JSON_WHITESPACE,
  LINE_BREAKS,
  textProblem,
} from "../../src/domain/texts.ts";

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

test("a text's length is in code points, and may be the largest that is allowed", () => {
  expect(["", "aä€", "😀😀"].map(codePoints)).toEqual([0, 3, 2]);
  expect([textProblem("aä€", 3), textProblem("😀😀", 2), textProblem("", 0)]).toEqual([null, null, null]);
  expect(textProblem("aä€", 2)).toMatch(/at most 2 characters; there are 3/);
  expect(textProblem("😀😀", 1)).toMatch(/at most 1 characters; there are 2/);
});

test("half of a surrogate pair is no text, and control characters are named", () => {
  expect(textProblem("a\ud800", 9)).toMatch(/well-formed/);
  for (const [text, name] of [
    ["a\0", "U+0000"],
    ["\x1f", "U+001F"],
    ["\x7f", "U+007F"],
    ["\x9f", "U+009F"],
    ["\n", "U+000A"],
  ] as const) {
    expect(controlCharacter(text)).toBe(name);
    expect(textProblem(text, 9)).toBe(`Remove the control character ${name}.`);
  }
  expect([" ", "\u00a0", "~"].map((text) => controlCharacter(text))).toEqual([null, null, null]);
  expect(textProblem("a\r\nb", 9, LINE_BREAKS)).toBeNull();
  expect(textProblem("a\r\nb\t", 9, LINE_BREAKS)).toMatch(/U\+0009\. Line breaks may stay/);
  expect(controlCharacter("\n\r\t", JSON_WHITESPACE)).toBeNull();
});

test("a name may have no character that changes the direction of text", () => {
  expect(directionProblem("Herons אב")).toBeNull();
  for (const [character, name] of [
    ["\u202a", "U+202A"],
    ["\u202e", "U+202E"],
    ["\u2066", "U+2066"],
    ["\u2069", "U+2069"],
  ] as const)
    expect(directionProblem(`a${character}b`)).toContain(name);
  for (const next of ["\u2029", "\u202f", "\u2065", "\u206a"]) expect(directionProblem(next)).toBeNull();
});

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  aboutFault,
  cleared,
  contrast,
  explorerOf,
  isSlug,
  textOn,
} from "../../src/domain/collector-pages.ts";

test("a creator has no field that is null", () => {
  expect(cleared({ name: "A", url: null, picture: null })).toEqual({ name: "A" });
  expect(Object.keys(cleared({ name: "A", url: null }))).toEqual(["name"]);
  const whole = { name: "A", url: "https://a.test", picture: "0123456789abcdef" };
  expect(cleared(whole)).toEqual(whole);
});

test("a page's text may have 500 marks of emphasis, and ten quotations and lists in a line", () => {
  expect(aboutFault("*_".repeat(250))).toBeNull();
  expect(aboutFault(`${"*_".repeat(250)}*`)).toMatch(/at most 500 .*there are 501/);
  expect(aboutFault(">".repeat(10))).toBeNull();
  expect(aboutFault(">".repeat(11))).toMatch(/at most 10/);
  for (const list of ["- ", "+ ", "1. ", "1) "]) {
    expect(aboutFault(`${list.repeat(10)}x`)).toBeNull();
    expect(aboutFault(`Some text\n${list.repeat(11)}x`)).not.toBeNull();
  }
  // What isn't at the beginning of a line, or has no space behind it, opens nothing.
  expect(aboutFault(`a ${"> ".repeat(20)}`)).toBeNull();
  expect(aboutFault("-".repeat(80))).toBeNull();
  expect(aboutFault(Array(20).fill("> - x").join("\n"))).toBeNull();
  for (const text of ["", "x".repeat(4_000)]) expect(aboutFault(text)).toBeNull();
});

test("an address's name is of small letters and digits, with single hyphens between them", () => {
  const near = fc.string({ unit: fc.constantFrom("a", "z", "0", "9", "-", "A", "."), maxLength: 8 });
  fc.assert(
    fc.property(near, (text) => {
      const parts = text.split("-");
      const isRight = text.length >= 3 && parts.every((part) => part !== "" && !/[A.]/.test(part));
      expect(isSlug(text)).toBe(isRight);
    }),
  );
  expect([isSlug("a".repeat(64)), isSlug("a".repeat(65)), isSlug("abc"), isSlug("ab")]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test("contrast is that of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBe(21);
  expect(contrast("#ffffff", "#ffffff")).toBe(1);
  // Examples of https://webaim.org/resources/contrastchecker/.
  for (const [colour, ratio] of [
    ["#ff0000", 4],
    ["#00ff00", 1.37],
    ["#0000ff", 8.59],
    ["#777777", 4.48],
    ["#0a0a0a", 19.8],
  ] as const) {
    expect(contrast(colour, "#ffffff"), colour).toBeCloseTo(ratio, 1);
    expect(contrast("#ffffff", colour)).toBe(contrast(colour, "#ffffff"));
  }
});

test("text on a colour is black or white, whichever is read better", () => {
  expect(["#ffffff", "#ffff00", "#000000", "#0000ff"].map(textOn)).toEqual([
    "#000000",
    "#000000",
    "#ffffff",
    "#ffffff",
  ]);
});

test("public networks have an explorer, and a local one has none", () => {
  expect(["mainnet", "testnet", "devchain"].map(explorerOf)).toEqual([
    "https://nearblocks.io",
    "https://testnet.nearblocks.io",
    null,
  ]);
});

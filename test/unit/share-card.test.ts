import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { CARD_FONT } from "../../src/collections/pages/scripts.ts";
import { contrast } from "../../src/domain/collector-pages.ts";
import { CARD, cardSvg, drawnText, pictureOf } from "../../src/domain/share-card.ts";

const font = { fontBuffers: [Buffer.from(CARD_FONT, "base64")], loadSystemFonts: false };

beforeAll(() =>
  initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm"))),
);

const texts = {
  title: "Night Herons",
  line: "No. 4 of 100",
  creator: "By Ada Heron",
  accent: "#1f4f8f",
  sign: "M7 4.5v15l12-7.5z",
};
/** Half as wide as high, as letters roughly are. */
const measure = (text: string, size: number) => (text.length * size) / 2;
const linesOf = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text = ""]) => text);

test("a card names the title, the number and the creator", () => {
  expect(linesOf(cardSvg(texts, true, measure))).toEqual(["Night Herons", "No. 4 of 100", "By Ada Heron"]);
});

test("a card consists of its elements: the accent's bar beside the work, and no text where there is none", () => {
  for (const [card, lines] of [
    [texts, 3],
    [{ ...texts, line: "" }, 2],
    [{ ...texts, title: "🐦" }, 0],
  ] as const)
    for (const hasPicture of [true, false]) {
      const svg = cardSvg(card, hasPicture, measure);
      expect(svg.replaceAll(/<text[^>]*>[^<]*<\/text>|<[^>]*>/g, "")).toBe("");
      expect(linesOf(svg)).toHaveLength(lines);
      expect(svg.includes(`height="8" rx="4" fill="${texts.accent}"`)).toBe(lines > 0);
    }
});

test("a long title is wrapped, and cut where it has no room", () => {
  const title = "An extraordinarily long title about paper shapes and light ".repeat(6).trim();
  const lines = linesOf(cardSvg({ ...texts, title }, true, measure));
  expect(lines.length).toBe(7);
  expect(lines[4]).toMatch(/…$/);
  for (const line of lines) expect(measure(line, 28)).toBeLessThanOrEqual(CARD.width - 678 - 48);
  const [only] = linesOf(cardSvg({ ...texts, title: "x".repeat(500) }, true, measure));
  expect(only).toMatch(/^x+…$/);
});

/** The texts of a card with their places: x, the base's y, size and colour. */
const textsOf = (svg: string) =>
  [...svg.matchAll(/<text x="(\d+)" y="(\d+)" font-size="(\d+)" fill="(#\w{6})">([^<]*)</g)].map(
    ([, x, y, size, colour = "", text = ""]) => ({
      x: Number(x),
      y: Number(y),
      size: Number(size),
      colour,
      text,
    }),
  );

test("texts stand beside the work, one below the other and within the card, and are readable", () => {
  const word = fc.stringMatching(/^[a-z]{1,24}$/);
  const words = fc.array(word, { minLength: 1, maxLength: 30 }).map((some) => some.join(" "));
  fc.assert(
    fc.property(words, words, words, (title, line, creator) => {
      const svg = cardSvg({ ...texts, title, line, creator }, true, measure);
      const [, ground = ""] = /<rect width="100%" height="100%" fill="(#\w{6})"/.exec(svg) ?? [];
      const [, sunk = ""] = /<rect width="630" height="630" fill="(#\w{6})"/.exec(svg) ?? [];
      expect(contrast(ground, sunk)).toBeLessThan(1.5);
      const found = textsOf(svg);
      let above = 64;
      for (const { x, y, size, colour, text } of found) {
        expect(x).toBe(678);
        expect(y - above).toBeGreaterThanOrEqual(size);
        expect(measure(text, size)).toBeLessThanOrEqual(CARD.width - 678 - 48);
        expect(contrast(colour, ground)).toBeGreaterThan(4.5);
        above = y;
      }
      expect(above).toBe(566);
      const titles = found.slice(0, -2);
      const isCut = titles.at(-1)!.text.endsWith("…");
      const size = titles[0]!.size;
      expect(titles.every((one) => one.size === size)).toBe(true);
      // As large as it can be.
      if (size === 60) expect(titles.length).toBeLessThanOrEqual(3);
      else expect([size, titles.length > 3 || isCut || measure(title, 60) > 3 * 300]).toEqual([44, true]);
      expect(titles.length).toBeLessThanOrEqual(5);
      if (!titles.some(({ text }) => text.endsWith("…")))
        expect(titles.map(({ text }) => text).join(" ")).toBe(title);
      for (const [index, { text }] of titles.slice(1).entries()) {
        const before = `${titles[index]!.text} ${text.split(" ")[0]}`;
        if (!before.includes("…")) expect(measure(before, size)).toBeGreaterThan(474);
      }
    }),
    { numRuns: 200 },
  );
});

test("a text is cut only where it must be, and ends with as much as there is room for", () => {
  // 474 pixels are 15 letters of 60.
  const lineOf = (title: string) => linesOf(cardSvg({ ...texts, title }, true, measure))[0]!;
  expect(lineOf("x".repeat(15))).toBe("x".repeat(15));
  // 21 letters of 44.
  expect(lineOf("x".repeat(21))).toBe("x".repeat(21));
  expect(lineOf("x".repeat(22))).toBe(`${"x".repeat(20)}…`);
  const second = (line: string) => linesOf(cardSvg({ ...texts, line }, true, measure))[1];
  // 27 letters of 34; no space before the mark.
  expect(second("x".repeat(27))).toBe("x".repeat(27));
  expect(second(`${"x".repeat(25)} xx`)).toBe(`${"x".repeat(25)}…`);
});

test("a text is drawn without emoji, and left out if the font lacks a letter of it", () => {
  expect(drawnText("  Herons 🐦‍⬛ at\nnight ")).toBe("Herons at night");
  expect(drawnText("Łódź “Żuraw” – 5 €")).toBe("Łódź “Żuraw” – 5 €");
  for (const text of ["أشكال", "鷺", "Цапля", "", "🐦", "a\u202eb"]) expect(drawnText(text)).toBeNull();
  const name = { ...texts, creator: "By أدا" };
  expect(linesOf(cardSvg(name, true, measure))).toEqual(["Night Herons", "No. 4 of 100"]);
});

test("with a title that the font can't draw the work is alone, and fills the card", () => {
  const alone = { ...texts, title: "鷺" };
  expect(pictureOf(texts)).toMatchObject({ width: 630, height: 630 });
  expect(pictureOf(alone)).toEqual({ x: 0, y: 0, ...CARD });
  const svg = cardSvg(alone, true, measure);
  expect(linesOf(svg)).toEqual([]);
  expect(svg).not.toContain(texts.accent);
  expect(cardSvg(alone, false, measure)).toContain(`width="1200" height="630" fill="${texts.accent}"`);
});

test("a picture has its own ground, and what can't be drawn the accent's with the sign in its middle", () => {
  expect(cardSvg(texts, true, measure)).not.toContain(texts.sign);
  expect(cardSvg(texts, false, measure)).toContain("translate(171 171) scale(12)");
  expect(cardSvg({ ...texts, title: "鷺" }, false, measure)).toContain("translate(456 171) scale(12)");
});

test("marks of XML in a text stay text", () => {
  expect(cardSvg({ ...texts, title: "<b>&" }, true, measure)).toContain(">&lt;b&gt;&amp;<");
});

test("the font has every letter that a card draws", () => {
  const letters = Array.from({ length: 0x2213 }, (_, code) => String.fromCodePoint(code)).filter(
    (letter) => letter.trim() !== "" && drawnText(letter) === letter,
  );
  expect(letters.length).toBeGreaterThan(300);
  const without = letters.filter((letter) => {
    const text = letter.replace("&", "&amp;").replace("<", "&lt;");
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text font-size="20">${text}</text></svg>`;
    return new Resvg(svg, { font }).getBBox() === undefined;
  });
  expect(without).toEqual([]);
});

test("what can't be drawn has its sign on the accent's colour", () => {
  const svg = cardSvg(texts, false, measure);
  expect(svg).toContain(`d="${texts.sign}"`);
  expect(svg).toContain(`width="630" height="630" fill="${texts.accent}"`);
  const { pixels } = new Resvg(svg, { font }).render();
  expect([...pixels.slice(0, 4)]).toEqual([0x1f, 0x4f, 0x8f, 255]);
});

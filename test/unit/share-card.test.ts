import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { beforeAll, expect, test } from "vitest";
import { CARD_FONT } from "../../src/collections/pages/scripts.ts";
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

test("a long title is wrapped, and cut where it has no room", () => {
  const title = "An extraordinarily long title about paper shapes and light ".repeat(6).trim();
  const lines = linesOf(cardSvg({ ...texts, title }, true, measure));
  expect(lines.length).toBe(7);
  expect(lines[4]).toMatch(/…$/);
  for (const line of lines) expect(measure(line, 28)).toBeLessThanOrEqual(CARD.width - 678 - 48);
  const [only] = linesOf(cardSvg({ ...texts, title: "x".repeat(500) }, true, measure));
  expect(only).toMatch(/^x+…$/);
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

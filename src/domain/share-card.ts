import { textOn } from "./collector-pages.ts";
import type { Box } from "./thumbnails.ts";

/** A picture with text that other sites show beside a link, pixels. */
export const CARD = { width: 1_200, height: 630 } as const;

/** Where the work is on a card: beside its texts, or alone. */
const BESIDE: Box = { x: 0, y: 0, width: 630, height: 630 };
const ALONE: Box = { x: 0, y: 0, ...CARD };

/** What a card says. */
export interface CardTexts {
  readonly title: string;
  /** Such as "No. 4 of 100". */
  readonly line: string;
  readonly creator: string;
  readonly accent: string;
  /** Path (24 × 24) of the sign of what can't be drawn, such as a film. */
  readonly sign: string;
}

/** Width of a text in pixels, in the card's font of a size. */
export type Measure = (text: string, size: number) => number;

const GROUND = "#fafaf8";
const SUNK = "#efefeb";
const INK = "#17181a";
const SOFT = "#5a5d61";

const LEFT = 678;
const WIDTH = CARD.width - LEFT - 48;
/** Sizes of a title, and the lines that it may have in each. */
const TITLE_SIZES = [
  { size: 60, lines: 3 },
  { size: 44, lines: 5 },
] as const;
const TITLE_TOP = 112;
const LINE_SIZE = 34;
const CREATOR_SIZE = 28;

/** The characters of the card's font (docs/design.md): Latin, with what is written around it. */
const DRAWN =
  /^[ -~\u00a0-\u00ac\u00ae-\u0113\u0116-\u0127\u012a\u012b\u012e-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u014d\u0150-\u0161\u0164\u0165\u016a-\u017e\u2013\u2014\u2018-\u201a\u201c-\u201e\u2022\u2026\u2039\u203a\u20ac\u2212]+$/;

/** A text as a card shows it: without emoji and breaks; null if the font lacks a letter of it, for half a name is wrong. */
export const drawnText = (text: string): string | null => {
  const plain = text
    .normalize("NFC")
    .replaceAll(/\p{Extended_Pictographic}|\u200d|\ufe0f/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return DRAWN.test(plain) ? plain : null;
};

/** A text that ends where the width does. */
const cut = (text: string, size: number, measure: Measure): string => {
  if (measure(text, size) <= WIDTH) return text;
  let length = text.length;
  while (length > 1 && measure(`${text.slice(0, length).trimEnd()}…`, size) > WIDTH) length -= 1;
  return `${text.slice(0, length).trimEnd()}…`;
};

/** The lines of a text: at most so many, the last one cut where there is more. */
const wrap = (text: string, { size, lines }: { size: number; lines: number }, measure: Measure): string[] => {
  const words = text.split(" ");
  const found: string[] = [];
  while (words.length > 0) {
    if (found.length === lines - 1) return [...found, cut(words.join(" "), size, measure)];
    let line = words.shift() as string;
    while (words[0] !== undefined && measure(`${line} ${words[0]}`, size) <= WIDTH)
      line += ` ${words.shift()}`;
    found.push(cut(line, size, measure));
  }
  return found;
};

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (mark) => ENTITIES[mark] ?? mark);

/** A line of text. @param y of its base */
const textAt = (text: string, y: number, size: number, colour: string): string =>
  `<text x="${LEFT}" y="${y}" font-size="${size}" fill="${colour}">${escaped(text)}</text>`;

const titleLines = (title: string, measure: Measure): { readonly lines: string[]; readonly size: number } => {
  const sized = TITLE_SIZES.map((each) => ({ lines: wrap(title, each, measure), size: each.size }));
  return sized.find(({ lines }) => !lines.at(-1)?.endsWith("…")) ?? sized[sized.length - 1]!;
};

/** Where the work is on a card. With a title that the font can't draw it is alone: what is left of the texts names nothing. */
export const pictureOf = ({ title }: CardTexts): Box => (drawnText(title) === null ? ALONE : BESIDE);

/**
 * A card as SVG, without the work, whose place is sunk. @param hasPicture otherwise the place has the accent's colour and the sign
 */
export function cardSvg(texts: CardTexts, hasPicture: boolean, measure: Measure): string {
  const { accent, sign } = texts;
  const box = pictureOf(texts);
  const { width, height } = box;
  const place = `<rect width="${width}" height="${height}" fill="${hasPicture ? SUNK : accent}"/>`;
  const mark = `<g transform="translate(${width / 2 - 144} ${height / 2 - 144}) scale(12)"><path d="${sign}" fill="none" stroke="${textOn(accent)}" stroke-width="1.2" stroke-linecap="round" stroke-linejoin="round"/></g>`;
  const parts = [place, ...(hasPicture ? [] : [mark]), ...(box === ALONE ? [] : textsOf(texts, measure))];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD.width}" height="${CARD.height}"><rect width="100%" height="100%" fill="${GROUND}"/>${parts.join("")}</svg>`;
}

/** What is beside the work. */
function textsOf(texts: CardTexts, measure: Measure): string[] {
  const [title, line, creator] = [texts.title, texts.line, texts.creator].map(drawnText);
  const parts = [`<rect x="${LEFT}" y="56" width="64" height="8" rx="4" fill="${texts.accent}"/>`];
  let y = TITLE_TOP;
  if (title) {
    const { lines, size } = titleLines(title, measure);
    for (const one of lines) {
      y += Math.round(size * 1.15);
      parts.push(textAt(one, y, size, INK));
    }
  }
  if (line) parts.push(textAt(cut(line, LINE_SIZE, measure), y + 60, LINE_SIZE, SOFT));
  if (creator) parts.push(textAt(cut(creator, CREATOR_SIZE, measure), 566, CREATOR_SIZE, INK));
  return parts;
}

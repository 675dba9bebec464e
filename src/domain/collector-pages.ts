export interface PageLink {
  readonly label: string;
  readonly url: string;
}

export interface PageTheme {
  /** Colour of buttons, `#rrggbb`. */
  readonly accent: string;
}

/** Who has made a collection, as its pages say. */
export interface PageCreator {
  readonly name: string;
  readonly url?: string;
  /** The first 16 hexadecimal digits of the SHA-256 of its picture. */
  readonly picture?: string;
}

/** A creator without what is null. */
export const cleared = ({
  name,
  url,
  picture,
}: {
  readonly name: string;
  readonly url?: string | null;
  readonly picture?: string | null;
}): PageCreator => ({ name, ...(url != null && { url }), ...(picture != null && { picture }) });

/** Bytes of a creator's picture, and characters of a page's text, at most. */
export const MOST_PICTURE_BYTES = 32_768;
export const MOST_ABOUT = 4_000;

/** A Markdown parser's time grows with the square of a text's marks of emphasis, and its stack with the depth of its blocks. */
const MOST_MARKS = 500;
const MOST_DEEP = 10;

/** What is wrong with a text in Markdown that is shown to anybody, as an instruction; null: nothing. */
export const aboutFault = (text: string): string | null => {
  const marks = text.length - text.replaceAll(/[*_]/g, "").length;
  if (marks > MOST_MARKS) return `Use at most ${MOST_MARKS} asterisks and underscores; there are ${marks}.`;
  const isDeep = text.split("\n").some((line) => depthOf(line) > MOST_DEEP);
  return isDeep ? `Nest at most ${MOST_DEEP} quotations and lists in a line.` : null;
};

/** How many quotations and lists may begin with a line. */
const depthOf = (line: string): number =>
  (/^[\s>*+\-\d.)]*/.exec(line)?.[0] ?? "").match(/>|[*+\-.)](?=\s)/g)?.length ?? 0;

export const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const SLUG_LENGTH = { min: 3, max: 64 } as const;

export const isSlug = (text: string): boolean =>
  text.length >= SLUG_LENGTH.min && text.length <= SLUG_LENGTH.max && SLUG.test(text);

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
const luminance = (colour: string): number => {
  const channel = (at: number): number => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
};

/** Contrast of two colours, from 1 to 21 (WCAG 2.2). */
export const contrast = (one: string, other: string): number => {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};

/** Black or white, whichever is read better on a colour; one of them has a contrast of 4.5 on every colour. */
export const textOn = (colour: string): string =>
  contrast(colour, "#000000") >= contrast(colour, "#ffffff") ? "#000000" : "#ffffff";

const EXPLORERS: Readonly<Record<string, string>> = {
  mainnet: "https://nearblocks.io",
  testnet: "https://testnet.nearblocks.io",
};

/** The explorer in which a network's accounts and NFTs are looked up; null: it has none. */
export const explorerOf = (network: string): string | null => EXPLORERS[network] ?? null;

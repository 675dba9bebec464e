import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import sharp, { type Sharp } from "sharp";

/**
 * Pictures of the states as somebody has seen and accepted them, a quarter as wide and high: what moved, is missing or has another
 * colour is seen at that size, and how letters are smoothed is not. With PAGES_REFERENCES=1 they are written instead of compared.
 */

const FOLDER = join(import.meta.dirname, "pictures");
const SMALLER = 4;
/** A window of so many pixels a side in which so many are another colour: 64 × 64 on the screen, and a sixth of it. */
const WINDOW = 16;
const MOST_OTHERS = 42;
/** How far colours may be apart, 0 to 1. */
const THRESHOLD = 0.12;

/** What is another at each run: moments, and what is made at random. */
export const STEADY = `{
  for (const time of document.querySelectorAll("time")) time.textContent = "Jan 1, 2040, 12:00 AM";
  for (const text of document.querySelectorAll("code, .id")) text.textContent = "0123456789";
  for (const span of document.querySelectorAll(".countdown")) {
    span.classList.remove("countdown");
    span.textContent = "(in 9 d)";
  }
}`;

/** How a state's picture differs from the accepted one; null: it doesn't. @param png the screen */
export async function differenceOf(name: string, png: Uint8Array): Promise<string | null> {
  const file = join(FOLDER, `${name}.webp`);
  const { width } = await sharp(png).metadata();
  const small = sharp(png).resize(Math.round(width / SMALLER), undefined, { kernel: "mitchell" });
  if (process.env.PAGES_REFERENCES) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, await small.webp({ quality: 60, effort: 6 }).toBuffer());
    return null;
  }
  if (!existsSync(file)) return `${name} has no reference: PAGES_REFERENCES=1 writes it`;
  const pixels = (image: Sharp) => image.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const [now, before] = await Promise.all([pixels(small), pixels(sharp(readFileSync(file)))]);
  const { width: across, height } = now.info;
  if (across !== before.info.width || height !== before.info.height) return `${name} has another size`;
  const options = { threshold: THRESHOLD, windowSize: WINDOW };
  const others = pixelmatch(now.data, before.data, null, across, height, options);
  return others > MOST_OTHERS
    ? `${name} looks different from its reference: ${others} of ${WINDOW ** 2} pixels of a part`
    : null;
}

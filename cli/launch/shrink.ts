import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { FolderError } from "../../client/src/folder/index.ts";
import { MAX_FILE } from "../../client/src/folder/plan.ts";

/** Folders in which pictures are looked for, as the upload does. */
const FOLDERS = ["", "images", "assets"];
const PICTURE = /\.(png|jpe?g|webp|avif|gif)$/i;
/** Where the originals are kept; the upload leaves this folder out. */
export const ORIGINALS = "originals";
/** Qualities of WebP to try before the picture is made smaller. */
const QUALITIES = [90, 80, 70];
/** Each further try has so much of the width and height of the one before. */
const SCALE = 0.8;
const SMALLEST = 64;

/** A picture that was re-encoded. */
export interface Shrunk {
  /** Path below the folder, before and after. */
  readonly from: string;
  readonly to: string;
  /** Bytes. */
  readonly was: number;
  readonly is: number;
}

/** Pictures of a folder that the service doesn't take because of their size, as paths below it. */
export const largePictures = (folder: string): string[] =>
  FOLDERS.flatMap((name) => {
    const entries = statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(join(folder, name), { withFileTypes: true })
      : [];
    return entries
      .filter((entry) => entry.isFile() && PICTURE.test(entry.name) && !/^[._]/.test(entry.name))
      .map((entry) => join(name, entry.name))
      .filter((path) => statSync(join(folder, path)).size > MAX_FILE);
  });

/**
 * Re-encodes pictures above the limit as WebP below it, animations included, and keeps the originals in `originals/`.
 * Killed anywhere, another run finishes it: an original leaves its place only once its replacement is there.
 * @param onPicture told of each that is done
 * @throws FolderError where another file has the name that a replacement would get
 */
export async function shrinkPictures(folder: string, onPicture: (one: Shrunk) => void): Promise<void> {
  const large = largePictures(folder);
  refuseTwins(folder, large);
  for (const path of large) {
    const original = join(folder, path);
    const kept = join(folder, ORIGINALS, path);
    const was = statSync(original).size;
    const smaller = await smallerPicture(original);
    mkdirSync(dirname(kept), { recursive: true });
    copyFileSync(original, `${kept}.new`);
    renameSync(`${kept}.new`, kept);
    const to = replacementOf(path);
    writeFileSync(join(folder, `${to}.new`), smaller);
    renameSync(join(folder, `${to}.new`), join(folder, to));
    if (to !== path) rmSync(original);
    onPicture({ from: path, to, was, is: smaller.length });
  }
}

const replacementOf = (path: string): string => path.replace(PICTURE, ".webp");

/**
 * A picture's replacement never takes the place of another one. What an interrupted run has put there is not another one:
 * it has kept the original before.
 */
function refuseTwins(folder: string, large: readonly string[]): void {
  const problems = large.flatMap((path) => {
    const to = replacementOf(path);
    const twins = large.filter((other) => other > path && replacementOf(other) === to);
    const isTaken = to !== path && existsSync(join(folder, to)) && !existsSync(join(folder, ORIGINALS, path));
    const [twin] = isTaken ? [to] : twins;
    return twin === undefined ? [] : [`${path} and ${twin} have the same name; rename one of them.`];
  });
  if (problems.length > 0) throw new FolderError(problems);
}

/** The best WebP of a picture that the service takes: first of less quality, then of fewer pixels. */
async function smallerPicture(file: string): Promise<Buffer> {
  // Loaded only here: it is a large library, and most folders don't need it.
  const { default: sharp } = await import("sharp");
  const { width = 0 } = await sharp(file).metadata();
  for (const quality of QUALITIES) {
    const bytes = await sharp(file, { animated: true }).autoOrient().webp({ quality }).toBuffer();
    if (bytes.length <= MAX_FILE) return bytes;
  }
  const quality = QUALITIES.at(-1);
  for (let size = width * SCALE; size >= SMALLEST; size *= SCALE) {
    const resized = sharp(file, { animated: true })
      .autoOrient()
      .resize({ width: Math.round(size) });
    const bytes = await resized.webp({ quality }).toBuffer();
    if (bytes.length <= MAX_FILE) return bytes;
  }
  throw new Error(`${file} stays too large at any size; export it smaller.`);
}

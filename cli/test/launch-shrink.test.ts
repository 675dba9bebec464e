import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FolderError, readFolder } from "../../client/src/folder/index.ts";
import { checkFolder } from "../launch/folder.ts";
import { largePictures, type Shrunk, shrinkPictures } from "../launch/shrink.ts";

const LIMIT = 1_048_576;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mintage-shrink-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Noise, which no format makes small. */
const noise = (size: number) =>
  sharp({
    create: {
      width: size,
      height: size,
      channels: 3,
      background: "white",
      noise: { type: "gaussian", mean: 128, sigma: 60 },
    },
  });

async function shrink(): Promise<Shrunk[]> {
  const done: Shrunk[] = [];
  await shrinkPictures(folder, (one) => done.push(one));
  return done;
}

test("pictures above the size limit are converted to WebP, the originals are kept, and others stay unchanged", async () => {
  mkdirSync(join(folder, "images"));
  const large = await noise(900).png().toBuffer();
  const largeWebp = await noise(1_400).webp({ lossless: true }).toBuffer();
  const small = await noise(20).png().toBuffer();
  writeFileSync(join(folder, "0.png"), large);
  writeFileSync(join(folder, "images", "1.webp"), largeWebp);
  writeFileSync(join(folder, "2.png"), small);
  expect(largePictures(folder)).toEqual(["0.png", "images/1.webp"]);

  const done = await shrink();
  expect(done.map(({ from, to }) => [from, to])).toEqual([
    ["0.png", "0.webp"],
    ["images/1.webp", "images/1.webp"],
  ]);
  expect(done.map(({ was }) => was)).toEqual([large.length, largeWebp.length]);
  for (const { to, is } of done) {
    expect(statSync(join(folder, to)).size).toBe(is);
    expect(is).toBeLessThanOrEqual(LIMIT);
    expect((await sharp(join(folder, to)).metadata()).format).toBe("webp");
  }
  expect(readFileSync(join(folder, "originals", "0.png")).equals(large)).toBe(true);
  expect(readFileSync(join(folder, "originals", "images", "1.webp")).equals(largeWebp)).toBe(true);
  expect(readFileSync(join(folder, "2.png")).equals(small)).toBe(true);
  expect((await readFolder(folder)).assets).toHaveLength(3);
  expect(await shrink()).toEqual([]);
});

test("a run that was killed while it replaced a picture is completed by the next run", async () => {
  const large = await noise(700).png().toBuffer();
  writeFileSync(join(folder, "0.png"), large);
  mkdirSync(join(folder, "originals"));
  writeFileSync(join(folder, "originals", "0.png"), large);
  writeFileSync(join(folder, "0.webp"), await noise(20).webp().toBuffer());
  await shrink();
  expect(readdirSync(folder).toSorted()).toEqual(["0.webp", "originals"]);
  expect(readFileSync(join(folder, "originals", "0.png")).equals(large)).toBe(true);
});

test("an animated picture stays animated", async () => {
  const frames = await Promise.all(Array.from({ length: 4 }, () => noise(100).png().toBuffer()));
  const gif = await sharp(frames, { join: { animated: true } })
    .gif({ effort: 1 })
    .toBuffer();
  // What follows a GIF's end is no part of it, and makes the file as large as need be.
  writeFileSync(join(folder, "0.gif"), Buffer.concat([gif, Buffer.alloc(LIMIT)]));
  await shrink();
  expect((await sharp(join(folder, "0.webp"), { animated: true }).metadata()).pages).toBe(4);
});

test("a picture that stays too large is reported with the way to make it smaller", async () => {
  writeFileSync(join(folder, "0.png"), await noise(700).png().toBuffer());
  writeFileSync(join(folder, "collection.yaml"), "title: Herons\n");
  await expect(checkFolder(folder)).rejects.toThrow(/0\.png has \d+ bytes[\s\S]*--shrink/);
});

test("a picture is not replaced if the folder already has a file with the new name", async () => {
  const large = await noise(900).png().toBuffer();
  const small = await noise(20).webp().toBuffer();
  const twins = [
    ["0.png", large],
    ["0.webp", small],
    ["1.avif", large],
    ["1.png", large],
    ["2.jpg", large],
    ["2.webp", large],
  ] as const;
  for (const [name, bytes] of twins) writeFileSync(join(folder, name), bytes);
  const refused = await shrink().catch((error: unknown) => error);
  expect((refused as FolderError).problems).toEqual(
    ["0.png and 0.webp", "1.avif and 1.png", "2.jpg and 2.webp"].map((both) =>
      expect.stringMatching(`^${both} have the same name`),
    ),
  );
  for (const [name, bytes] of twins) expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true);
});

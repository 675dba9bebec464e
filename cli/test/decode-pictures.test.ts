import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FolderError } from "../../client/src/folder/index.ts";
import { checkFolder } from "../launch/folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mintage-decode-"));
  writeFileSync(join(folder, "collection.yaml"), "title: Herons\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const FORMATS = ["png", "jpeg", "gif", "webp", "avif"] as const;

const noise = () => {
  const background = "white";
  const dots = { type: "gaussian", mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: 90, height: 90, channels: 3, background, noise: dots } });
};

const problems = async (): Promise<readonly string[]> => {
  const error = await checkFolder(folder).catch((thrown: unknown) => thrown);
  return error instanceof FolderError ? error.problems.filter((one) => one.includes("decoded")) : [];
};

test("every truncated picture is reported, in every format, and whole pictures are not", async () => {
  const files = await Promise.all(FORMATS.map((format) => noise().toFormat(format).toBuffer()));
  for (const [index, bytes] of files.entries())
    writeFileSync(join(folder, `${index}.${FORMATS[index]}`), bytes);
  expect(await problems()).toEqual([]);
  for (const [index, bytes] of files.entries())
    writeFileSync(join(folder, `${index}.${FORMATS[index]}`), bytes.subarray(0, bytes.length * 0.6));
  const found = await problems();
  expect(found.map((one) => one.split(":")[0])).toEqual(FORMATS.map((format, index) => `${index}.${format}`));
});

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, sourceFiles } from "../support/imports.ts";

/** Whether a file begins with a comment of at most three lines that names its folder. */
function saysWhatFor(folder: string, file: string): boolean {
  const [head = ""] = readFileSync(join(ROOT, file), "utf8").split("\n\n", 1);
  const lines = head.split("\n");
  const name = folder === "src" ? "The Worker." : `${folder.slice("src/".length)}/:`;
  return lines.length <= 3 && lines.every((line) => line.startsWith("// ")) && head.startsWith(`// ${name} `);
}

test("each folder of src has one file that begins with what the folder is for", () => {
  const files = sourceFiles("src");
  const folders = [...new Set(files.map(dirname))];
  const said = (folder: string) =>
    files.filter((file) => dirname(file) === folder && saysWhatFor(folder, file));
  expect(folders.length).toBeGreaterThan(30);
  expect(folders.filter((folder) => said(folder).length !== 1)).toEqual([]);
});

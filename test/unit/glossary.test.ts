import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT, sourceFiles } from "../support/imports.ts";

const GLOSSARY = readFileSync(join(ROOT, "docs/glossary.md"), "utf8");

/** The words of the glossary's last column. */
const TWINS = GLOSSARY.split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(2)
  .flatMap((line) => line.split("|")[3]?.split(",") ?? [])
  .map((word) => word.trim())
  .filter(Boolean);

/** Phrases that make a reader stop. */
const RIDDLES = [
  "which is none",
  "that is none",
  "such as are",
  "foretell",
  "foretold",
  "anew",
  "hasn't got",
  "was taken back",
  "near-facts",
  "the interface's",
];

const DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "client/README.md"];

const FOLDERS = ["src", "client/src", "cli", "devchain", "scripts", "tools", "bench", "browser"];

const documents = readdirSync(join(ROOT, "docs"))
  .filter((name) => name.endsWith(".md") && name !== "glossary.md")
  .map((name) => `docs/${name}`);

/** A file's text on one line, without comment marks. */
const textOf = (file: string): string =>
  readFileSync(join(ROOT, file), "utf8").replaceAll(/\n\s*(?:\*(?!\/)|\/\/)?\s*/g, " ");

/** The pages' scripts as they are built have texts of packages; those of this project are read in browser/. */
const BUILT = "src/collections/pages/scripts.ts";

const texts = [
  ...FOLDERS.flatMap(sourceFiles).filter((file) => file !== BUILT),
  ...DOCUMENTS,
  ...documents,
].map((file) => ({
  file,
  text: textOf(file),
}));

const filesWith = (words: string): string[] => {
  const pattern = new RegExp(`\\b${words}(?:s|es|ed)?\\b`, "i");
  return texts.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
};

describe("the glossary", () => {
  test("has at most 40 lines", () => {
    expect(GLOSSARY.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
    expect(TWINS.length).toBeGreaterThan(5);
  });

  test.each([...TWINS, ...RIDDLES])("is followed: no text uses %s", (word) => {
    expect(filesWith(word)).toEqual([]);
  });

  test("check finds a word wherever it is", () => {
    expect(filesWith("allowlist")).not.toEqual([]);
  });
});

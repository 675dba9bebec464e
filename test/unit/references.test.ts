import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/imports.ts";

const files = (...endings: string[]): string[] =>
  execFileSync("git", ["ls-files", "--", ...endings.map((ending) => `*.${ending}`)], {
    cwd: ROOT,
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file !== "" && existsSync(join(ROOT, file)));

const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const withoutBlocks = (file: string): string => textOf(file).replaceAll(/^```.*?^```/gms, "");

/** The anchors of a page's headings, as GitHub makes them. */
const anchors = (file: string): string[] =>
  Array.from(withoutBlocks(file).matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

test("each link of a document leads to an existing file and heading", () => {
  const broken = files("md").flatMap((file) =>
    Array.from(withoutBlocks(file).matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target)
      .filter((target) => !target.startsWith("https://"))
      .filter((target) => {
        const [path = "", anchor] = target.split("#");
        const page = path === "" ? file : normalize(join(dirname(file), path));
        if (!existsSync(join(ROOT, page))) return true;
        return anchor !== undefined && !anchors(page).includes(anchor);
      })
      .map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});

/** Paths from the root, as documents and comments write them. */
const PATHS =
  /(?<![\w./-])(?:src|docs|test|testing|devchain|cli|client|contract|scripts|browser|bench|tools|ops|examples)\/[\w./-]+\.(?:ts|tsx|mjs|md|rs|sql|json|yml)\b/g;

/** Only comments and documents name files of this repository by their paths; strings of tests make some up. */
const named = (file: string): string[] => {
  const text = textOf(file);
  if (file.endsWith(".md")) return text.match(PATHS) ?? [];
  const comments = text.match(/^\s*(?:\*|\/\/|\/\*\*).*$/gm) ?? [];
  return comments.flatMap((line) => line.match(PATHS) ?? []);
};

test("each file that a document or a comment names exists", () => {
  const missing = files("md", "ts", "tsx", "mjs", "rs").flatMap((file) =>
    named(file)
      .filter((path) => ![path, join(dirname(file), path)].some((place) => existsSync(join(ROOT, place))))
      .map((path) => `${file}: ${path}`),
  );
  expect(missing).toEqual([]);
});

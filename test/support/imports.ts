import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

/** The repository's root. */
export const ROOT = resolve(import.meta.dirname, "../..");

/** One import of a source file. */
export interface Import {
  /** Path of the importing file from the root, such as `src/app.ts`. */
  readonly from: string;
  /** Path of the imported file from the root, or a package's name. */
  readonly to: string;
  readonly isPackage: boolean;
  /** Nothing of it remains when the program runs. */
  readonly typeOnly: boolean;
}

/** All TypeScript files below a folder, from the root. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
    .map((name) => join(folder, name))
    .toSorted();
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[\w$*{}\s,]+?\s+from\s+)?["']([^"']+)["']/gm;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** What a file imports, static, dynamic, and what it passes on. */
export function importsOf(file: string, text = readFileSync(join(ROOT, file), "utf8")): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const found = [
    ...Array.from(code.matchAll(STATEMENT), (match) => ({
      typeOnly: match[1] !== undefined,
      target: match[2] ?? "",
    })),
    ...Array.from(code.matchAll(DYNAMIC), (match) => ({ typeOnly: false, target: match[1] ?? "" })),
  ];
  return found.map(({ typeOnly, target }) => {
    const isPackage = !target.startsWith(".");
    const to = isPackage ? target : relative(ROOT, resolve(ROOT, file, "..", target));
    return { from: file, to, isPackage, typeOnly };
  });
}

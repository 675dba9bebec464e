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
  /** An import of types, which is erased. */
  readonly typeOnly: boolean;
}

/** All TypeScript files below a folder, from the root. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
    .map((name) => join(folder, name))
    .toSorted();
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[\w$*{}\s,]+?\s+from\s+)?["']([^"']+)["']/gm;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** A file's imports: static, dynamic and re-exported. */
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

/** Groups of files that import each other in a circle, types included (Tarjan's algorithm). */
export function circlesAmong(files: readonly string[]): string[][] {
  const known = new Set(files);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    open.push(file);
    for (const { to } of importsOf(file)) {
      if (!known.has(to)) continue;
      const reached = order.has(to) ? (open.includes(to) ? order.get(to)! : Infinity) : visit(to);
      lowest.set(file, Math.min(lowest.get(file)!, reached));
    }
    if (lowest.get(file) === number) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) circles.push(group.toSorted());
    }
    return lowest.get(file)!;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return circles;
}

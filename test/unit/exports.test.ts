import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { ROOT, sourceFiles } from "../support/imports.ts";

/** Folders whose exports other files of the project import. The client's are for its users, and its types are generated. */
const FOLDERS = ["src", "devchain", "cli", "scripts", "testing", "bench", "test"];

/** What the runtime or a bundle imports by name, and a file that writes exports of another one as text. */
const ENTRY_POINTS = [
  "src/index.ts",
  "test/faults/worker.ts",
  "scripts/pages-build.ts",
  "src/collections/pages/preview.tsx",
];

const IMPORT = /(?:import|export)\s+(?:type\s+)?(?:\w+,?\s+)?(?:\{([^}]*)\}\s+)?from\s+["'](\.[^"']+)["']/g;
/** Imports of everything that a file exports. */
const WHOLE = /(?:(?:import|export)\s+(?:type\s+)?\*[^"']*from\s+|\bimport\(\s*)["'](\.[^"']+)["']/g;
const VALUE = /^export (?:async )?(?:function\*?|const|class|let) (\w+)/gm;

const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** `file#name` of each export that a text imports by its name, and `file#*` of files that it imports whole. */
function importedBy(file: string, text: string): string[] {
  const path = (target: string) => relative(ROOT, resolve(ROOT, file, "..", target));
  const named = Array.from(text.matchAll(IMPORT), ([, names = "", target = ""]) =>
    names
      .split(",")
      .map((name) => /^\s*(?:type )?(\w+)/.exec(name)?.[1])
      .filter((name) => name !== undefined)
      .map((name) => `${path(target)}#${name}`),
  );
  return [...named.flat(), ...Array.from(text.matchAll(WHOLE), ([, target = ""]) => `${path(target)}#*`)];
}

/** Exports of functions, classes and constants that no import of these files names. */
function unimported(files: ReadonlyMap<string, string>): string[] {
  const imported = new Set([...files].flatMap(([file, text]) => importedBy(file, text)));
  return [...files]
    .filter(([file]) => !ENTRY_POINTS.includes(file) && !file.endsWith(".test.ts"))
    .filter(([file]) => !imported.has(`${file}#*`))
    .flatMap(([file, text]) => Array.from(text.matchAll(VALUE), ([, name]) => `${file}#${name}`))
    .filter((name) => !imported.has(name));
}

test("the check finds an export that nothing imports", () => {
  const files = new Map([
    ["a.ts", "export const used = 1;\nexport async function unused() {}\nexport class Renamed {}\n"],
    ["b.ts", 'import {\n  used,\n  Renamed as Other,\n} from "./a.ts";\nexport const alone = 2;\n'],
    ["c.ts", 'const { alone } = await import("./b.ts");\n'],
  ]);
  expect(unimported(files)).toEqual(["a.ts#unused"]);
});

test("each exported function, class and constant is imported by another file", () => {
  const importing = [...FOLDERS, "client/test", "examples", "tools", "browser"];
  const names = [...importing.flatMap(sourceFiles), "vitest.config.ts"];
  const files = new Map(names.map((file) => [file, textOf(file)]));
  const exporting = unimported(files).filter((name) => FOLDERS.includes(name.split("/")[0] ?? ""));
  expect(exporting).toEqual([]);
});

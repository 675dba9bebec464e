import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { circlesAmong, type Import, importsOf, ROOT, sourceFiles } from "../support/imports.ts";

/**
 * The layers of src/, from the top: a file imports its own layer and those below it. A name is a folder of src/ or a file
 * directly in it; the longest that fits decides. docs/architecture.md says what is in each.
 */
const LAYERS: readonly (readonly string[])[] = [
  ["index.ts"],
  ["app.ts"],
  ["api"],
  ["operator"],
  ["operations"],
  ["events"],
  ["collections"],
  ["http"],
  ["wallet"],
  ["files"],
  ["chain"],
  ["db", "context.ts"],
  ["api/resources", "api/schemas"],
  ["env.ts"],
  ["waiting.ts"],
  ["domain"],
  ["wasm.d.ts"],
];

/** The number of a file's layer, 0 at the top; -1: it is in none. */
function layerOf(path: string): number {
  const names = LAYERS.flatMap((layer, number) => layer.map((name) => ({ name: `src/${name}`, number })));
  const fitting = names.filter(({ name }) => path === name || path.startsWith(`${name}/`));
  return fitting.toSorted((one, other) => other.name.length - one.name.length)[0]?.number ?? -1;
}

/** Folder of src/ that a path belongs to, or the file itself if it is directly in src/. */
const partOf = (path: string): string => path.split("/")[1] ?? "";

const isAllowed = ({ from, to }: Import): boolean => to.startsWith("src/") && layerOf(to) >= layerOf(from);

const arrow = ({ from, to }: Import) => `${from} → ${to}`;
const inProject = (file: string) => importsOf(file).filter((entry) => !entry.isPackage);

describe("imports of src/ go downwards", () => {
  const files = sourceFiles("src");

  test("the parser finds every form of import", () => {
    const text = [
      'import { a } from "../domain/a.ts";',
      'import type { B } from "../domain/b.ts";',
      'export * from "./c.ts";',
      'import "./d.ts";',
      'const e = await import("./e.ts");',
      "import {\n  f,\n  type G,\n} from '../f.ts';",
      'import code from "../../contract/wasm/mintage.wasm";',
      '// import { no } from "../no.ts";',
      'import { Hono } from "hono";',
    ].join("\n");
    expect(importsOf("src/api/x.ts", text).map((entry) => entry.to)).toEqual([
      "src/domain/a.ts",
      "src/domain/b.ts",
      "src/api/c.ts",
      "src/api/d.ts",
      "src/f.ts",
      "contract/wasm/mintage.wasm",
      "hono",
      "src/api/e.ts",
    ]);
  });

  test("every file belongs to a layer", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
  });

  test("the check finds an import of a higher layer", () => {
    const from = "src/domain/a.ts";
    expect(isAllowed({ ...importsOf("src/api/x.ts", 'import { a } from "../domain/a.ts";')[0]!, from })).toBe(
      true,
    );
    expect(isAllowed({ ...importsOf(from, 'import { a } from "../api/x.ts";')[0]! })).toBe(false);
  });

  test("no file imports from a higher layer", () => {
    const wrong = files
      .flatMap(inProject)
      .filter((entry) => !entry.to.endsWith(".wasm") && !isAllowed(entry))
      .map(arrow);
    expect(wrong).toEqual([]);
  });

  test.each(["src", "devchain", "client/src", "cli", "testing"])(
    "there is no import cycle in %s",
    (folder) => {
      expect(circlesAmong(sourceFiles(folder))).toEqual([]);
    },
  );

  test("each folder of the wallet imports only those below it", () => {
    const rooms = ["chain-state", "journal", "lanes", "signing", "observing"];
    const floor = (path: string) => rooms.indexOf(path.split("/")[2] ?? "");
    const wrong = sourceFiles("src/wallet")
      .flatMap(inProject)
      .filter(({ from, to }) => to.startsWith("src/wallet/") && floor(from) >= 0 && floor(to) > floor(from));
    expect(wrong.map(arrow)).toEqual([]);
  });

  test("the domain needs no package that does I/O, and no clock", () => {
    const domain = sourceFiles("src/domain");
    expect(domain.flatMap(inProject).filter((entry) => partOf(entry.to) !== "domain")).toEqual([]);
    const clocks = domain.filter((file) =>
      /\bDate\.now\(|\bnew Date\(\)|\bfetch\(|\bsetTimeout\(/.test(readFileSync(join(ROOT, file), "utf8")),
    );
    expect(clocks).toEqual([]);
  });

  test("src/ and devchain/ don't import each other", () => {
    const wrong = [...files, ...sourceFiles("devchain")]
      .flatMap(inProject)
      .filter(({ from, to }) => from.split("/")[0] !== to.split("/")[0] && !to.endsWith(".wasm"))
      .map(arrow);
    expect(wrong).toEqual([]);
  });

  test("the client imports nothing of the project, and the terminal nothing of src/", () => {
    const client = sourceFiles("client/src").flatMap(inProject);
    expect(client.filter(({ to }) => !to.startsWith("client/src/")).map(arrow)).toEqual([]);
    const cli = sourceFiles("cli").flatMap(inProject);
    expect(cli.filter(({ to }) => /^(src|devchain)\//.test(to)).map(arrow)).toEqual([]);
  });

  test("bench and test share testing/ and don't import each other", () => {
    const wrong = ["bench", "test", "testing"]
      .flatMap(sourceFiles)
      .flatMap(inProject)
      .filter(({ from, to }) => {
        const forbidden = from.startsWith("test/")
          ? ["bench/"]
          : from.startsWith("bench/")
            ? ["test/"]
            : ["test/", "bench/"];
        return forbidden.some((folder) => to.startsWith(folder));
      })
      .map(arrow);
    expect(wrong).toEqual([]);
  });
});

/**
 * Lines of a test of the API that import `src/` or use the database, the first of each, without a reason right above:
 * `// Inside: <why no request can do it>.`
 */
const unexplained = (text: string): string[] => {
  const lines = text.split("\n");
  const firsts = [
    /^import\b[^;]*?from\s+"(\.\.\/)+src\/|\bimport\("(\.\.\/)+src\//m,
    /\b(env|bindings)\.DB\b/,
  ]
    .map((inside) => text.search(inside))
    .filter((at) => at >= 0)
    .map((at) => text.slice(0, at).split("\n").length - 1);
  return firsts
    .filter((line) => !/^\s*\/\/ Inside: .+\.$/.test(lines[line - 1] ?? ""))
    .map((line) => lines[line]!.trim());
};

describe("API tests use HTTP", () => {
  test("a test that imports src/ or uses the database has the reason in the line above", () => {
    const folders = ["api", "losses", "nodes", "scale"];
    const files = folders
      .flatMap((folder) => sourceFiles(`test/${folder}`))
      .filter((file) => file.endsWith(".test.ts"));
    expect(files.length).toBeGreaterThan(100);
    const wrong = files.flatMap((file) =>
      unexplained(readFileSync(join(ROOT, file), "utf8")).map((line) => `${file}: ${line}`),
    );
    expect(wrong).toEqual([]);
  });

  test("the check finds imports on several lines and dynamic ones, and accepts a reason only directly above", () => {
    const why = "// Inside: no request does it.\n";
    const imported = 'import {\n  a,\n} from "../../src/a.ts";\n';
    const used = "  await env.DB.exec(sql);\n";
    expect(unexplained(imported + used)).toEqual(["import {", "await env.DB.exec(sql);"]);
    expect(unexplained(why + imported + used)).toEqual(["await env.DB.exec(sql);"]);
    expect(unexplained(`${why}${imported}  ${why}${used}`)).toEqual([]);
    expect(unexplained(`${why}\n${imported}`)).toEqual(["import {"]);
    expect(unexplained('const { a } = await import("../../src/a.ts");')).toHaveLength(1);
    expect(unexplained('import { a } from "../../client/src/index.ts";')).toEqual([]);
  });
});

describe("files are small", () => {
  const LINES = 600;

  test("no file of src/ has more than 600 lines", () => {
    const long = sourceFiles("src")
      .map((file) => ({ file, lines: readFileSync(join(ROOT, file), "utf8").trimEnd().split("\n").length }))
      .filter(({ lines }) => lines > LINES);
    expect(long).toEqual([]);
  });

  test("the example shop has at most 150 lines", () => {
    const lines = sourceFiles("examples/shop").map(
      (file) => readFileSync(join(ROOT, file), "utf8").trimEnd().split("\n").length,
    );
    expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(150);
  });

  test("no file or folder is called utils, helpers, common or manager", () => {
    const vague = ["src", "devchain", "client", "cli", "scripts", "test", "bench", "testing", "tools"]
      .flatMap(sourceFiles)
      .filter((file) => /(^|[/-])(utils?|helpers?|common|managers?|misc)([/.-]|$)/i.test(file));
    expect(vague).toEqual([]);
  });
});

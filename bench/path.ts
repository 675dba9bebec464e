/**
 * `npm run bench:path`: what one mint runs in src/ until its response: the files, the functions, and the deepest stack,
 * counted in an instrumented build. The mint is the second of its collection and has an Idempotency-Key, so that what an
 * isolate keeps is kept. `--json` prints `{files, functions, depth}` on one line; `--list` prints each function.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Node, parse } from "acorn";
import { fullAncestor } from "acorn-walk";
import { answerOf, call, newDraft, openShop, upload } from "../testing/bench-integration.ts";
import { startService } from "../testing/service.ts";
import { formOf } from "../testing/upload-forms.ts";

const { values: options } = parseArgs({ options: { json: { type: "boolean" }, list: { type: "boolean" } } });

const BLOCK_MS = 300;
/** The bundler writes this above each module. */
const MODULE = /^\/\/ ((?:\.\.\/)*(?:src|bench|node_modules|[\w-]+:)\S*)$/;

/** A function of src/ in the build. */
interface BuiltFunction {
  readonly file: string;
  readonly name: string;
}

/** Instruments a build: each function of src/ notes that it runs, and how deep. @returns the functions by their number */
function instrument(bundle: string): BuiltFunction[] {
  const source = readFileSync(bundle, "utf8");
  const files = filesByLine(source);
  const functions: BuiltFunction[] = [];
  const insertions: { at: number; text: string }[] = [];
  const tree = parse(source, { ecmaVersion: "latest", sourceType: "module", locations: true });
  fullAncestor(tree, (node, _, ancestors) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return;
    const { body, expression } = node as Node & { body: Node; expression: boolean };
    const file = files[node.loc!.start.line - 1] ?? "";
    if (!file.startsWith("src/")) return;
    const number = functions.push({ file, name: nameOf(ancestors) }) - 1;
    if (expression) {
      insertions.push({ at: body.start, text: `(noteRun(${number}), ` }, { at: body.end, text: ")" });
    } else insertions.push({ at: body.start + 1, text: `noteRun(${number});` });
  });
  const ours = files.map((file) => (file.startsWith("src/") ? 1 : 0)).join("");
  writeFileSync(bundle, recorder(ours) + inserted(source, insertions));
  return functions;
}

/** A function's own name, or that of what it is assigned to. @param ancestors from the outermost to the function */
function nameOf(ancestors: readonly Node[]): string {
  for (const node of ancestors.slice(-2).toReversed()) {
    const { id, key } = node as { id?: { name?: string } | null; key?: { name?: string } };
    const name = id?.name ?? key?.name;
    if (name !== undefined) return name;
  }
  return "(anonymous)";
}

/** The source file of each line. */
function filesByLine(source: string): string[] {
  let file = "";
  return source.split("\n").map((line) => {
    file = MODULE.exec(line)?.[1]?.replace(/^(\.\.\/)+/, "") ?? file;
    return file;
  });
}

/** Text with insertions; those at one place in the order of the list. */
function inserted(source: string, insertions: readonly { at: number; text: string }[]): string {
  let end = 0;
  const pieces: string[] = [];
  for (const { at, text } of insertions.toSorted((left, right) => left.at - right.at)) {
    pieces.push(source.slice(end, at), text);
    end = at;
  }
  return pieces.join("") + source.slice(end);
}

/**
 * What instrumented functions call, on the bundle's first line. A stack counts its frames of src/, those that await
 * included, once for each line of calls.
 * @param ours a character a line: 1 if it is of src/
 */
const recorder = (ours: string): string =>
  `Error.stackTraceLimit = 200; const linesOfSrc = ${JSON.stringify(ours)}; ` +
  "globalThis.counted = { functions: new Set(), depth: 0, isOn: false }; " +
  "function noteRun(number) { if (!globalThis.counted.isOn) return; globalThis.counted.functions.add(number); " +
  "let depth = 0; for (const [, line] of new Error().stack.matchAll(/:(\\d+):\\d+\\)?$/gm)) if (linesOfSrc[line - 1] === '1') depth += 1; " +
  "globalThis.counted.depth = Math.max(globalThis.counted.depth, depth); } ";

let functions: BuiltFunction[] = [];
const service = await startService({
  entry: "bench/path-worker.ts",
  blockMs: BLOCK_MS,
  built: (folder) => {
    functions = instrument(join(folder, "path-worker.js"));
  },
});
try {
  const shop = await openShop(service);
  const draft = await newDraft(service, shop);
  await upload(service, shop, draft, formOf({ seed: 1, count: 2, size: 1_000 }));
  const finalized = await call(service, shop, `/collection-draft/${draft}/finalize`, { method: "POST" });
  const { collection_uuid: collection } = await answerOf<{ collection_uuid: string }>(finalized, 201);
  const mint = async (key: string) => {
    const response = await call(service, shop, `/collection/${collection}/mint`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ receiver_addresses: [shop.walletAccountId] }),
    });
    await answerOf(response, 201);
  };
  await mint("first");
  await mint("second");
  const { functions: ran, depth } = await answerOf<{ functions: number[]; depth: number }>(
    await fetch(`${service.url}/path`),
    200,
  );
  const path = ran.map((number) => functions[number]!);
  const files = new Set(path.map(({ file }) => file));
  if (options.list) for (const { file, name } of path) console.log(`${file}  ${name}`);
  const figures = { files: files.size, functions: path.length, depth };
  console.log(
    options.json
      ? JSON.stringify(figures)
      : `${figures.files} files, ${figures.functions} functions, ${figures.depth} frames deep`,
  );
} finally {
  await service.stop();
}

import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { esmExternalRequirePlugin, type Plugin } from "vite";
import type { InlineConfig, PoolRunnerInitializer } from "vitest/node";
import { importsOf, sourceFiles } from "./imports.ts";

/**
 * Each file of the API tests has a workerd of its own, which gets the Worker's modules from vitest's process. Without what is
 * here that takes longer than most of these files run.
 */

type Optimizer = NonNullable<NonNullable<InlineConfig["deps"]>["optimizer"]>;

/** Imported by what the compiler makes of JSX. */
const JSX = ["hono/jsx/jsx-runtime", "hono/jsx/jsx-dev-runtime"];

/** Packages that src/ imports, which workerd has itself or gets as they are. */
const AS_THEY_ARE = /^(?:node|cloudflare):|\.wasm$/;

/** The packages that src/ imports become a few files, once for all runs. */
export function bundledPackages(): Optimizer {
  const packages = sourceFiles("src")
    .flatMap((file) => importsOf(file))
    .filter(({ isPackage, typeOnly, to }) => isPackage && !typeOnly && !AS_THEY_ARE.test(to))
    .map(({ to }) => to);
  return {
    ssr: {
      enabled: true,
      include: [...new Set([...packages, ...JSX])],
      rolldownOptions: {
        output: { minify: true, keepNames: true },
        plugins: [esmExternalRequirePlugin({ external: [...builtinModules] })],
      },
    },
  };
}

/** What vitest's cache has behind a module's code: what it imports, and its source map, for vitest's own process. */
const BEHIND_CODE = "\n//# vitestCache=";

const codes = new Map<string, string>();

function codeIn(path: string): string {
  let code = codes.get(path);
  if (code === undefined) {
    const text = readFileSync(path, "utf8");
    const end = text.lastIndexOf(BEHIND_CODE);
    if (end === -1) throw new Error(`${path} of vitest's cache has another form than expected`);
    code = text.slice(0, end);
    codes.set(path, code);
  }
  return code;
}

/** A module of the cache with its code, in place of the path of the file that has it. */
function withCode(module: object): object {
  if (!("tmp" in module)) return module;
  const { cached: _, tmp, ...rest } = module as { readonly cached: true; readonly tmp: string };
  return { ...rest, code: codeIn(tmp) };
}

/** Sends workerd the code of modules and nothing else of vitest's cache, which is three times as much. After cloudflareTest. */
export const codeOnly = (): Plugin => ({
  name: "code-only",
  configureVitest({ project }) {
    const pool = project.config.poolRunner as PoolRunnerInitializer;
    project.config.poolRunner = {
      ...pool,
      createPoolWorker(options) {
        const worker = pool.createPoolWorker(options);
        const send = worker.send.bind(worker);
        // A response of vitest's RPC has its result in `r`: a module, or modules by their ids.
        worker.send = (message) => {
          const result: unknown = Reflect.get(message, "r");
          if (typeof result !== "object" || result === null || Array.isArray(result)) return send(message);
          const isOne = "tmp" in result;
          const entries = Object.entries(result).map(([id, value]) => [
            id,
            typeof value === "object" && value !== null ? withCode(value) : value,
          ]);
          send({
            ...message,
            r: isOne ? withCode(result) : Object.fromEntries(entries),
          } as unknown as typeof message);
        };
        return worker;
      },
    };
  },
});

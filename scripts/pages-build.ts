/**
 * `npm run pages:build`: bundles the scripts of browser/ into src/collections/pages/scripts.ts, which is committed, so that every
 * build of the Worker has them as they are. `test/unit/page-scripts.test.ts` compares.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "./local-settings.ts";

/** The scripts, each of a file of browser/. */
const NAMES = [
  "claim",
  "development-wallet",
  "embed",
  "gallery",
  "mint",
  "near-connect",
  "operator",
  "token",
] as const;

const FILE = join(ROOT, "src", "collections", "pages", "scripts.ts");

const bundle = async (name: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "browser", `${name}.ts`)],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox120", "safari17.5"],
    legalComments: "none",
  });
  return outputFiles[0]?.text.trim() ?? "";
};

/** The text of src/collections/pages/scripts.ts. */
export const scriptsFile = async (): Promise<string> => {
  const entries = await Promise.all(
    NAMES.map(async (name) => {
      const text = await bundle(name);
      const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
      return `  ${JSON.stringify(name)}: { file: ${JSON.stringify(`${name}-${hash}.js`)}, text: ${JSON.stringify(text)} },`;
    }),
  );
  const font = readFileSync(join(ROOT, "browser", "font", "figtree.woff2"));
  const hash = createHash("sha256").update(font).digest("hex").slice(0, 12);
  const cardFont = readFileSync(join(ROOT, "browser", "font", "figtree-card.ttf"));
  return `// Made by \`npm run pages:build\` from browser/; never edited by hand.

/** The pages' scripts: the names they are served under, and their texts. */
export const SCRIPTS = {
${entries.join("\n")}
} as const;

/** The pages' font, WOFF2 in base64 (OFL, browser/font/OFL.txt). */
export const FONT = { file: "figtree-${hash}.woff2", base64: "${font.toString("base64")}" } as const;

/** The font of cards, TrueType in base64, of the same licence. */
export const CARD_FONT = "${cardFont.toString("base64")}";

/** One of the scripts. */
export type ScriptName = keyof typeof SCRIPTS;
`;
};

if (process.argv[1] === import.meta.filename) writeFileSync(FILE, await scriptsFile());

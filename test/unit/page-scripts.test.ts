import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { scriptsFile } from "../../scripts/pages-build.ts";
import { SCRIPTS } from "../../src/collections/pages/scripts.ts";
import { ROOT } from "../support/imports.ts";

test("src/collections/pages/scripts.ts is the output of npm run pages:build", async () => {
  expect(readFileSync(join(ROOT, "src/collections/pages/scripts.ts"), "utf8")).toBe(await scriptsFile());
});

test.each(["claim", "embed", "gallery", "mint"] as const)(
  "the script of %s is at most 30 kB gzip",
  (name) => {
    expect(gzipSync(SCRIPTS[name].text).length).toBeLessThanOrEqual(30_000);
  },
);

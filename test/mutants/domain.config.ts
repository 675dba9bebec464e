/** Vitest for mutants of `src/domain/`: the tests that are named after its files. */
import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    // Each mutant has a worker of its own; its files may share that one.
    isolate: false,
    include: readdirSync("src/domain").map((name) => `test/unit/${name.replace(/\.ts$/, ".test.ts")}`),
  },
});

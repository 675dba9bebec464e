/** Vitest for mutants of rules: the tests that are named after files of `src/domain/`, and those of the rules of wallets. */
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Begins with the test of the mutant's own file: a run ends with the first failure. What a file computes when it is loaded is
 * tried with all tests that load it.
 */
class OwnFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [mutated = ""] = [this.ctx.config.related ?? []].flat();
    const isOwn = ({ moduleId }: TestSpecification) =>
      basename(moduleId, ".test.ts") === basename(mutated, ".ts");
    const sorted = await super.sort(files);
    return [...sorted.filter(isOwn), ...sorted.filter((file) => !isOwn(file))];
  }
}

export default defineConfig({
  test: {
    environment: "node",
    // As long as a busy machine may need. StrykerJS ends endless loops itself.
    testTimeout: 60_000,
    // Each mutant has a worker of its own; its files may share that one.
    isolate: false,
    sequence: { sequencer: OwnFirst },
    setupFiles: ["test/mutants/seed.ts"],
    include: [
      ...readdirSync("src/domain").map((name) => `test/unit/${name.replace(/\.ts$/, ".test.ts")}`),
      "test/unit/wallet-{lanes,machine,rules,shared}.test.ts",
    ],
  },
});

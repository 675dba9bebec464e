/** Mutants of rules without I/O that StrykerJS makes (https://stryker-mutator.io/docs/stryker-js/configuration). */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Stryker } from "@stryker-mutator/core";

/** The rules of the domain, and those of a ledger's journal, its access keys and its proofs. */
const RULES: readonly string[] = [
  "src/domain/*.ts",
  "src/wallet/journal/{machine,parts,queue,timing}.ts",
  "src/wallet/lanes/lanes.ts",
  "src/wallet/observing/rules.ts",
];

/** The least share of mutants that tests have to notice, percent. */
const LEAST = 90;

/**
 * A mutant counts as an endless loop, and so as noticed, if its tests take longer by this. It allows for a busy machine; on one
 * that is busier still, mutants that no test notices raise the score. Milliseconds.
 */
const PATIENCE = 20_000;

/** The files with rules in a folder; any other name stands for itself. */
const filesOf = (name: string): readonly string[] => {
  const inside = RULES.filter((rule) => rule.startsWith(`${name}/`));
  return inside.length > 0 ? inside : [name];
};

/**
 * Tries all mutants of rules, and shows those that survive and the score of each file.
 * @param names files, or folders of `RULES`; none: all
 * @returns whether enough of them were noticed
 */
export async function tryRules(names: readonly string[]): Promise<boolean> {
  const files = names.length === 0 ? RULES : names.flatMap(filesOf);
  const scratch = mkdtempSync(join(tmpdir(), "mintage-stryker-"));
  try {
    const results = await new Stryker({
      mutate: [...files],
      testRunner: "vitest",
      plugins: ["@stryker-mutator/vitest-runner"],
      vitest: { configFile: "test/mutants/rules.config.ts" },
      concurrency: availableParallelism(),
      timeoutMS: PATIENCE,
      reporters: ["clear-text", "progress-append-only"],
      clearTextReporter: { logTests: false, reportTests: false },
      allowConsoleColors: false,
      tempDirName: scratch,
      ignorePatterns: ["/contract/target", "/.mintage", "/.vite", "/.wrangler", "/dist"],
      // It would change tsconfig.json with TypeScript's API, which TypeScript 7 doesn't have; Node and vitest don't read it.
      tsconfigFile: "none",
      disableTypeChecks: false,
    }).runMutationTest();
    const noticed = results.filter(({ status }) => status === "Killed" || status === "Timeout").length;
    const counted = results.filter(({ status }) => status !== "Ignored").length;
    return counted > 0 && noticed / counted >= LEAST / 100;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
